# SPDX-License-Identifier: Apache-2.0 OR MIT
# Shared by the scripts: where things are kept, how they fail, how a cache entry is made whole or not at all.
# shellcheck shell=bash disable=SC2034

set -euo pipefail
shopt -s inherit_errexit

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# Everything slow to make lives here, each entry in a folder named after the hash of what it was made from.
CACHE=${FERROCK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ferrock}
export FERROCK_CACHE=$CACHE
# Where administrators' commands are, which not everybody's PATH has.
PATH=$PATH:/usr/sbin:/sbin

# Interrupted is not failed: nothing is said about it. What was begun is removed on exit.
trap 'exit 130' INT

# The Debian release of the toolchain root and of the guest.
SUITE=trixie

note() { printf '== %s\n' "$*" >&2; }
die() { printf 'ferrock: %s\n' "$*" >&2; exit 1; }

# key TEXT...: a short name for a cache entry made from these inputs.
key() { printf '%s\n' "$@" | sha256sum | cut -c1-16; }

# need COMMAND|FILE PACKAGE: makes a command or file of the host available, by its Debian package where we may.
need() {
    { command -v "$1" || ls "$1"; } >/dev/null 2>&1 && return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        note "installing $2"
        { apt-get install -y --no-install-recommends "$2" >/dev/null 2>&1 ||
            { apt-get update >/dev/null 2>&1 && apt-get install -y --no-install-recommends "$2" >/dev/null 2>&1; }; } ||
            die "cannot install the package '$2'; see if the network and the apt configuration of this host work"
    else
        die "'$1' is missing; have the package '$2' installed (for example: sudo apt-get install $2)"
    fi
}

# free_mib: what the disk of the cache has left.
free_mib() { df -Pm "$CACHE" | awk 'NR == 2 { print $4 }'; }

# space GIB: refuses to start what would fill the disk.
space() {
    local free; free=$(free_mib)
    [ "$free" -ge $(($1 * 1024)) ] ||
        die "$CACHE has $((free / 1024)) GiB free and $1 are needed; free some, or set FERROCK_CACHE to a folder on a larger disk"
}

# become_root: sets `become`, the words before a command that let it run as root in a mount namespace of its own,
# in a user namespace if we are somebody else.
become_root() {
    need mount mount # which small images lack
    become=(unshare --mount)
    if [ "$(id -u)" != 0 ]; then
        need newuidmap uidmap
        become=(unshare --map-root-user --map-auto --mount)
    fi
    "${become[@]}" chroot / true 2>/dev/null && return 0
    [ "$(id -u)" != 0 ] || die "root may not mount anything here; if this is a container, give it CAP_SYS_ADMIN"
    die "$(id -un) may not use user namespaces; run this as root, or have them allowed: entries in /etc/subuid and /etc/subgid, sysctl user.max_user_namespaces above 0, no restriction by AppArmor, util-linux 2.38 or newer"
}

# as_root COMMAND...: runs a command so, for files of any owner to be made.
as_root() { local become; become_root; "${become[@]}" -- "$@"; }

# step LOG WHAT COMMAND...: runs a long command with its output in LOG, shows that it goes on, and dies with what to
# do if it fails.
step() {
    local log=$1 what=$2 status; shift 2
    note "$what"
    # not as part of a condition, where the shell would go on after errors inside
    set +e
    ( set -e; "$@" ) 2>&1 </dev/null | tee "$log" 2>/dev/null | progress >&2
    status=${PIPESTATUS[0]}
    set -e
    [ "$status" = 0 ] || die "$(reason "$log" "$what")"
}

# Shows the last line that came in: every second on a terminal, every minute elsewhere.
progress() {
    local line='' last='' every=60 next=0 start=$SECONDS rc
    [ ! -t 1 ] || every=1
    next=$((start + every))
    while true; do
        rc=0; IFS= read -r -t 1 line || rc=$?
        [ $rc -ne 0 ] || last=$line
        [ $rc -eq 0 ] || [ $rc -gt 128 ] || break
        [ $SECONDS -ge $next ] || continue
        next=$((SECONDS + every))
        if [ $every = 1 ]; then
            printf '\r\033[K   %d:%02d %.*s' $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60)) 90 "$last"
        else
            printf '   %d min: %.90s\n' $(((SECONDS - start) / 60)) "$last"
        fi
    done
    [ $every = 60 ] || printf '\r\033[K'
}

# reason LOG WHAT: one sentence on why a step failed and what to do.
reason() {
    local log=$1 what=${2% (*} end; end=$(tail -n 200 "$1")
    if [[ $(tail -n 1 <<<"$end") = "ferrock: "* ]]; then
        tail -n 1 <<<"$end" | sed 's/^ferrock: //'
    elif [ "$(free_mib)" -lt 64 ] || grep -qiE 'no space left|enough free space|quota exceeded' <<<"$end"; then
        echo "the disk became full while making: $what; free some space, or set FERROCK_CACHE to a folder on a larger disk"
    elif grep -qiE 'resolve|resolving|connection (refused|failed|timed out)|could not connect|failed to fetch|unable to fetch|unreachable|spurious network' <<<"$end"; then
        echo "the network does not give what is needed for: $what; see if this host's network, proxy and apt configuration work (details: $log)"
    else
        tail -n 20 "$log" | sed 's/^/   /' >&2
        echo "$what: this failed; the end of its output is above, the whole of it in $log"
    fi
}

# entry KIND KEY WHAT FUNCTION: prints the folder of a cache entry, made by FUNCTION DIR if it is not there yet.
# A folder is whole only when it has the mark; a lock makes a second run wait for the first. It is made in its
# final place, since build trees remember where they are.
entry() {
    local kind=$1 dir=$CACHE/$1/$2 what=$3 make=$4 lock become
    if [ ! -e "$dir/.complete" ]; then
        { mkdir -p "$CACHE/$kind" && [ -w "$CACHE/$kind" ]; } 2>/dev/null ||
            die "cannot write to the cache folder $CACHE; set FERROCK_CACHE to a folder that $(id -un) may write to"
        exec {lock}>"$dir.lock"
        flock -n "$lock" || { note "waiting for another run, which makes: $what"; flock "$lock"; }
        if [ ! -e "$dir/.complete" ]; then
            become_root # before anything is begun
            # shellcheck disable=SC2064
            trap "remove $(printf %q "$dir")" EXIT
            remove "$dir"
            mkdir "$dir"
            step "$dir.log" "$what" "$make" "$dir"
            touch "$dir/.complete"
            trap - EXIT
        fi
        exec {lock}>&-
    fi
    printf '%s\n' "$dir"
}

# Removes a folder with files of any owner, but nothing that is mounted there.
remove() { [ ! -e "$1" ] || as_root rm -rf --one-file-system "$1"; }

# bootstrap ARG...: mmdebstrap, with what the project's Debians have in common.
bootstrap() {
    local options=() line keys=/usr/share/keyrings/debian-archive-keyring.gpg
    need mmdebstrap mmdebstrap
    need $keys debian-archive-keyring
    # apt of another distribution does not trust Debian by itself
    compgen -G '/etc/apt/trusted.gpg.d/debian-archive-*' >/dev/null || options+=("--keyring=$keys")
    # proxies and clock settings of the host's apt hold inside too
    while read -r line; do options+=("--aptopt=$line"); done < <(apt-config dump Acquire | grep -E 'Proxy|Check-(Valid|Date)')
    as_root mmdebstrap --mode=root --variant=minbase --components=main,contrib,non-free,non-free-firmware \
        --aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io "${options[@]}" "$@"
}
