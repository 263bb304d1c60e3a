# Part of the agent: has the kernel's checkers say what they know at the end of a run. The host judges it.

leaks=/sys/kernel/debug/kmemleak
if [ -w $leaks ]; then
    # only what is some seconds old and did not change between two scans is called a leak
    sleep 6
    echo scan >$leaks && echo scan >$leaks || report failed "kmemleak does not scan"
    sed 's/^/leak /' $leaks >&3
fi
# lockdep ends itself after its first report, or when its tables are full
[ -r /proc/lockdep_stats ] && report lockdep "$(awk '$1 == "debug_locks:" { print $2 }' /proc/lockdep_stats)"
