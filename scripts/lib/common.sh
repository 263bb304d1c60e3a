# Shared by the scripts: where things are kept, how they fail, how a cache entry is made whole or not at all.
# shellcheck shell=bash

set -euo pipefail

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# Everything slow to make lives here, each entry in a folder named after the hash of what it was made from.
CACHE=${FERROCK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ferrock}
export FERROCK_CACHE=$CACHE

# The Debian release of the toolchain root and of the guest.
SUITE=trixie

note() { printf '== %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# key TEXT...: a short name for a cache entry made from these inputs.
key() { printf '%s\n' "$@" | sha256sum | cut -c1-16; }

# need COMMAND PACKAGE: makes a host command available, by its Debian package where we may.
need() {
    command -v "$1" >/dev/null && return
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        note "installing $2"
        { apt-get install -y --no-install-recommends "$2" >/dev/null 2>&1 ||
            { apt-get update >/dev/null 2>&1 && apt-get install -y --no-install-recommends "$2" >/dev/null; }; } ||
            die "cannot install the package '$2'; see if the network and the apt configuration of this host work"
    else
        die "'$1' is missing; install the package '$2' (for example: sudo apt-get install $2)"
    fi
}

# space GIB: refuses to start what would fill the disk.
space() {
    local free
    mkdir -p "$CACHE" || die "cannot create the cache folder $CACHE; set FERROCK_CACHE to a folder you may write to"
    free=$(df -Pk "$CACHE" | awk 'NR==2 {print int($4 / 1048576)}')
    [ "$free" -ge "$1" ] || die "$CACHE has $free GiB free and $1 are needed; free some, or set FERROCK_CACHE to a folder on a larger disk"
}

# as_root COMMAND...: runs a command as (user-namespace) root, so that files of any owner can be made.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; return; fi
    need newuidmap uidmap
    unshare --map-root-user --map-auto --mount -- "$@" ||
        { local rc=$?
          unshare --map-root-user --map-auto true 2>/dev/null ||
              die "user namespaces are not available to $(id -un); run this as root, or allow them (sysctl kernel.unprivileged_userns_clone=1, an entry in /etc/subuid and /etc/subgid)"
          return $rc; }
}

# entry KIND KEY FUNCTION: prints the folder of a cache entry, made by FUNCTION DIR if it is not there yet.
# A folder is whole only when it has the mark; a lock makes a second run wait for the first. It is made in its
# final place, since build trees remember where they are.
entry() {
    local kind=$1 dir=$CACHE/$1/$2 make=$3
    if [ ! -e "$dir/.complete" ]; then
        mkdir -p "$CACHE/$kind"
        exec {lock}>"$dir.lock"
        flock "$lock"
        if [ ! -e "$dir/.complete" ]; then
            as_root rm -rf "$dir"
            mkdir -p "$dir"
            ( set -e; "$make" "$dir" ) >&2 || die "could not make $kind; what went wrong is above"
            touch "$dir/.complete"
        fi
        exec {lock}>&-
    fi
    printf '%s\n' "$dir"
}
