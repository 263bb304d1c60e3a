#!/bin/bash
# Runs in the guest image as its first process: loads the driver, runs the command, reports, powers off.
# Channels: /dev/vport*p1 standard output, p2 standard error, p3 reports, p4 kernel log, hvc0 a terminal.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
here=/run/ferrock
serial=$(basename "$(ls -d /sys/class/virtio-ports/vport*p3)"); serial=/dev/${serial%p3}p
exec 3>"${serial}3"
report() { echo "$*" >&3; }

report boot "$(cut -d' ' -f1 /proc/uptime)"
dmesg --follow --noescape >"${serial}4" 2>/dev/null &
mount -t tmpfs -o mode=1777 tmpfs /tmp
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
ln -sfn /proc/self/fd /dev/fd
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
hostname ferrock
ip link set lo up 2>/dev/null
if [ -e $here/share ]; then
    modprobe -q 9pnet_virtio; modprobe -q 9p
    mkdir -p /share
    mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=none share /share || report failed "the shared folder could not be mounted"
fi
if [ -b /dev/vdb ]; then
    mkdir -p /suites
    mount -t erofs -o ro /dev/vdb /suites || report failed "the image of the suites could not be mounted"
fi
[ -e $here/programs ] && export PATH=$here/programs:$PATH

status=0
if [ -e $here/load ]; then
    . $here/load || { report failed "the driver could not be loaded"; status=125; }
fi
if [ $status = 0 ]; then
    report loaded "$(cut -d' ' -f1 /proc/uptime)"
    mapfile -d '' -t command <$here/command
    cd /root || cd /
    login=(env -i HOME=/root USER=root LOGNAME=root SHELL=/bin/bash LANG=C.UTF-8 TERM="$(cat $here/terminal)" PATH="$PATH")
    if [ -e $here/interactive ]; then
        "${login[@]}" setsid --ctty --wait bash -l <>/dev/hvc0 >&0 2>&1
    else
        "${login[@]}" "${command[@]}" </dev/null >"${serial}1" 2>"${serial}2"
    fi
    status=$?
fi
[ -e $here/abrupt ] || . $here/checkers
# the host waits for this line, so that it has the whole log
echo "ferrock: end of log" >/dev/kmsg
report exit $status "$(cat /proc/sys/kernel/tainted)"
sleep 0.2
sync
# o powers off and has the drivers shut their devices down, b restarts at once, which ends the machine too
[ -e $here/abrupt ] && key=b || key=o
echo $key >/proc/sysrq-trigger
sleep 60
