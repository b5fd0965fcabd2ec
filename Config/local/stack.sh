# Starts and stops a private Redis and PostgreSQL, the gateway and workers. Sourced, after `stack` was set to a name.
#
# Everything lies in .local/<stack>: data, logs, and one file with the process id of each program. Sockets have a short
# path of their own, since a unix socket's path has room for 107 bytes only.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
home=$root/.local/$stack
bin=$root/.build-release/release
sockets=/tmp/capture-$stack-$(printf '%s' "$root" | cksum | cut -d ' ' -f 1)
# Where PostgreSQL's data are when they cannot be in .local.
data_elsewhere=/var/tmp/$(basename "$sockets")

for part in build processes servers programs; do
    . "$root/Config/local/$part.sh"
done

say() { printf '%s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

# Has the stack for this script alone, as long as it runs: another would stop what this one has started.
own_stack() {
    mkdir -p "$root/.local"
    exec {lock}>"$root/.local/$stack.lock"
    flock --nonblock "$lock" && return 0
    say "the stack \"$stack\" is in the hands of another make: wait until that has ended, or end it with Ctrl-C there" >&2
    exit 75
}

stack_down() {
    local name
    for name in gateway worker-1 worker-2; do
        is_running "$name" && kill -s TERM "$(pid_of "$name")" 2>/dev/null || true
    done
    for name in gateway worker-1 worker-2; do stop "$name" TERM 30; done
    stop apple TERM 10
    stop redis TERM 10
    # It writes out what is in its memory first.
    stop postgres INT 120
    rm -rf "$sockets"
    # Its address leads nowhere now.
    rm -f "$home/environment"
}
