#!/usr/bin/env bash
# Installs what is missing of Debian's packages, unattended. Does nothing, quickly, when all is there.
# With `tests`: what only the tests need, too: a browser for the dashboard's, promtool for those of the alert rules, and
# a debugger for the case that a run stands still.
set -euo pipefail

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo --non-interactive "$@"; fi; }

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

wanted=(redis-server postgresql libpq-dev libhiredis-dev libssl-dev zlib1g-dev procps curl openssl python3)
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
echo "installing ${missing[*]}"
# The packages would start servers of their own and a cluster that nobody needs: only the programs are wanted.
as_root mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] ||
    echo 'create_main_cluster = false' | as_root tee /etc/postgresql-common/createcluster.conf >/dev/null
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
if [ "${1:-}" = tests ]; then get_promtool; fi
