#!/usr/bin/env bash
# Installs what is missing of Debian's packages, unattended. Does nothing, quickly, when all is there.
# With `tests`: what only the tests need, too: a browser for the dashboard's, promtool for those of the alert rules, and
# a debugger for the case that a run stands still.
set -euo pipefail

# Said first, not after packages: nothing else here can bring it. Programs that are built run without.
[ "${1:-}" != tests ] && [ -f .build-release/built ] || "$(dirname "$0")/swift.sh"

# Asks for a password only where somebody can give it.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo --non-interactive "$@"
    fi
}

has_systemd() { [ -d /run/systemd/system ]; }

# Has the system's own Redis not start, neither now nor with the machine: under systemd RUNLEVEL says nothing. It stays
# masked until `undo`.
without_redis() { # command…
    if has_systemd && [[ " ${missing[*]} " == *" redis-server "* ]]; then
        masked=redis-server.service
        as_root systemctl --quiet --runtime mask "$masked"
    fi
    "$@"
}

# Takes back what was for the installation only, however that has ended: nobody would unmask Redis later on.
undo() {
    if [ -n "$masked" ]; then
        as_root systemctl --quiet --runtime unmask "$masked" || true
        as_root systemctl --quiet disable "$masked" 2>/dev/null || true
    fi
    as_root rm -f "$clusters/capture-processor.conf" || true
    as_root rmdir --ignore-fail-on-non-empty "$clusters" || true
}

# Calls `undo` at the end, also where Ctrl-C or a terminal that is closed is the end.
undo_at_exit() {
    masked=
    trap undo EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# Out of Debian's package and without installing it: that would bring a server which starts with the machine.
get_promtool() {
    local tools=.local/tools package
    if command -v promtool >/dev/null || [ -x "$tools/promtool" ]; then return 0; fi
    package=$(mktemp -d)
    echo "getting promtool"
    mkdir -p "$tools"
    if (cd "$package" && { apt-get download -qq prometheus || { as_root apt-get update -qq && apt-get download -qq prometheus; }; }) \
        >/dev/null 2>&1 &&
        dpkg-deb --fsys-tarfile "$package"/prometheus_*.deb | tar -x -C "$package" ./usr/bin/promtool; then
        mv "$package/usr/bin/promtool" "$tools/promtool"
    else
        echo "promtool could not be had: the tests of the alert rules are left out" >&2
    fi
    rm -rf "$package"
}

wanted=(redis-server postgresql libpq-dev libhiredis-dev libssl-dev zlib1g-dev pkg-config procps curl openssl python3)
[ "${1:-}" != tests ] || wanted+=(chromium gdb)
missing=()
for package in "${wanted[@]}"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    if [ "${1:-}" = tests ]; then get_promtool; fi
    exit 0
fi

if ! command -v apt-get >/dev/null; then
    echo "missing: ${missing[*]}; this is not a Debian system, please install them by hand" >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    echo "packages are missing, and there is no sudo; as root: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
fi
echo "installing ${missing[*]}"
# The packages would start servers of their own and a cluster that nobody needs: only the programs are wanted. Who sets a
# server up on this machine finds Debian's settings as they were.
clusters=/etc/postgresql-common/createcluster.d
undo_at_exit
as_root mkdir -p "$clusters"
echo 'create_main_cluster = false' | as_root tee "$clusters/capture-processor.conf" >/dev/null
# A machine that has just started may be at its own upgrades.
lock=(-o DPkg::Lock::Timeout=300)
as_root apt-get "${lock[@]}" update -qq
without_redis as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get "${lock[@]}" install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
if [ "${1:-}" = tests ]; then get_promtool; fi
