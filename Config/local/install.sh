#!/usr/bin/env bash
# Installs what is missing of Debian's packages, unattended. Does nothing, quickly, when all is there.
set -euo pipefail

# With `browser`: what only the tests of the dashboard need, too.
wanted=(redis-server postgresql libpq-dev libhiredis-dev libssl-dev zlib1g-dev procps curl openssl python3)
[ "${1:-}" != browser ] || wanted+=(chromium)
missing=()
for package in "${wanted[@]}"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "missing: ${missing[*]}; this is not a Debian system, please install them by hand" >&2
    exit 1
fi
sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo --non-interactive)
echo "installing ${missing[*]}"
# The packages would start servers of their own and a cluster that nobody needs: only the programs are wanted.
"${sudo[@]}" mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] ||
    echo 'create_main_cluster = false' | "${sudo[@]}" tee /etc/postgresql-common/createcluster.conf >/dev/null
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
