#!/bin/busybox sh
# First process of the guest: puts a writable layer over the image and hands over to the agent in it.
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
for m in $(cat /modules/order); do insmod "/modules/$m" || echo "init: insmod $m failed"; done
i=0; while [ ! -b /dev/vda ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
mount -t erofs -o ro /dev/vda /lower || { echo "init: no guest image"; poweroff -f; }
mount -t tmpfs -o mode=0755 tmpfs /rw
mkdir /rw/upper /rw/work
mount -t overlay -o lowerdir=/lower,upperdir=/rw/upper,workdir=/rw/work overlay /root || { echo "init: no overlay"; poweroff -f; }
mkdir -p /root/run/ferrock
cp -a /ferrock/. /root/run/ferrock/
for d in proc sys dev; do mount --move /$d /root/$d; done
exec switch_root /root /run/ferrock/agent
