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
# The newest version's programs that has a server: one may have only those of a client.
newest_postgres() { # folder with one for each version
    ls -d "$1"/*/bin/postgres 2>/dev/null | sort -V | sed -n '$s,/postgres$,,p' || true
}
# Empty where PostgreSQL is not installed: whoever only stops or removes a stack needs none.
pg_bin=$(newest_postgres /usr/lib/postgresql)

say() { printf '%s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

# PostgreSQL refuses to run as root; then it runs as the user that its package made.
as_postgres() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid postgres --regid postgres --clear-groups "$@"
    else
        "$@"
    fi
}

# Has the stack for this script alone, as long as it runs: another would stop what this one has started.
own_stack() {
    mkdir -p "$root/.local"
    exec {lock}>"$root/.local/$stack.lock"
    flock --nonblock "$lock" && return 0
    say "the stack \"$stack\" is in the hands of another make: wait until that has ended, or end it with Ctrl-C there" >&2
    exit 75
}

# Starts a program in a session of its own, so that Ctrl-C reaches this script only. It outlives the script, without its
# lock.
start() { # name command…
    local name=$1
    shift
    setsid "$@" </dev/null >>"$home/log/$name.log" 2>&1 {lock}>&- &
    echo "$! $(birth $!)" >"$home/pid/$name"
}

# When a process began, of which start of the machine: a number that is another's by now is not its. Nothing where it has
# ended, also where nobody has asked what became of it (Z).
birth() {
    local began
    began=$(sed -n 's/.*) //; /^[^ZX]/p' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20) || true
    [ -z "$began" ] || echo "$(cat /proc/sys/kernel/random/boot_id):$began"
}

pid_of() { cut -d ' ' -f 1 "$home/pid/$1"; }

is_running() {
    local began
    [ -f "$home/pid/$1" ] || return 1
    began=$(cut -d ' ' -f 2 "$home/pid/$1")
    [ -n "$began" ] && [ "$began" = "$(birth "$(pid_of "$1")")" ]
}

has_ended() { # name seconds
    for _ in $(seq $(($2 * 20))); do
        is_running "$1" || return 0
        sleep 0.05
    done
    return 1
}

stop() { # name signal seconds
    is_running "$1" || { rm -f "$home/pid/$1"; return 0; }
    local process
    process=$(pid_of "$1")
    kill -s "$2" "$process" 2>/dev/null || true
    if ! has_ended "$1" "$3"; then
        say "$1 did not end within $3 s and is killed"
        kill -s KILL "$process" 2>/dev/null || true
        has_ended "$1" 10 || true
    fi
    rm -f "$home/pid/$1"
}

# As long as its process runs: one that has ended, as where its port is taken, has said why.
wait_for() { # name what seconds command…
    local name=$1 what=$2 tries=$(($3 * 20))
    shift 3
    for _ in $(seq "$tries"); do
        "$@" >/dev/null 2>&1 && return 0
        is_running "$name" || fail "$what did not come up: $(last_line "$name"); see $home/log"
        sleep 0.05
    done
    fail "$what did not come up in time; see $home/log"
}

last_line() { # name
    if [ "$1" = gateway ]; then gateway_lines; else cat "$home/log/$1.log"; fi | tail -n 1
}

# What the gateway has written since this start: its log is kept, as restores look up accepted captures in it.
gateway_lines() { tail -c "+$((gateway_log_bytes + 1))" "$home/log/gateway.log"; }

# Notes the address, too.
is_listening() {
    address=$(gateway_lines | sed -n 's/.*listening on \(http:[^ ]*\).*/\1/p')
    address=${address%%$'\n'*}
    # One that means every address of the machine is no name that a browser keeps a login for.
    address=${address/\/\/0.0.0.0:/\/\/127.0.0.1:}
    address=${address/\/\/\[::\]:/\/\/[::1]:}
    [ -n "$address" ]
}

# Not through a proxy that the user's shell names, and no longer than a moment.
is_ready() { curl --noproxy '*' --max-time 2 -fsS "$address/readyz"; }

# Makes a folder under a name that others can guess, which nobody else gets into: whoever reaches the sockets in it is
# PostgreSQL's superuser. One that is there already is this user's, or, where root runs this, PostgreSQL's.
own_folder() {
    (umask 077 && mkdir "$1" 2>/dev/null) || true
    [ -d "$1" ] && [ ! -L "$1" ] || fail "$1 is no folder and could not be made one; remove it"
    [ -O "$1" ] || { [ "$(id -u)" -eq 0 ] && [ "$(stat -c %U "$1")" = postgres ]; } || fail "$1 is another user's"
    chmod 700 "$1"
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

servers_up() {
    mkdir -p "$home/pid"
    # Places, photos and the dashboard's sessions are in Redis's file. The folders may be an earlier release's.
    (umask 077 && mkdir -p "$home/log" "$home/redis")
    chmod 700 "$home/log" "$home/redis"
    own_folder "$sockets"
    chmod 755 "$root/.local" "$home" 2>/dev/null || true
    start redis redis-server "$root/Config/redis.conf" --port 0 --unixsocket "$sockets/redis.sock" \
        --dir "$home/redis" --maxmemory 8gb --daemonize no
    postgres_up
    # Both read first what an earlier run has left. Without -e Redis's LOADING would do: redis-cli ends with 0 for it.
    wait_for redis Redis 120 redis-cli -e -s "$sockets/redis.sock" ping
    wait_for postgres PostgreSQL 120 "$pg_bin/psql" -X -h "$sockets" -U capture -d postgres -c 'SELECT 1'
    export CAPTURE_REDIS_URL=unix://$sockets/redis.sock
    export CAPTURE_POSTGRES_URL="host=$sockets user=capture dbname=capture"
}

postgres_up() {
    [ -n "$pg_bin" ] || fail "PostgreSQL's programs were not found"
    local data=$home/postgres process
    # A folder that the user postgres cannot enter (a clone under /root, say) needs another place for the data.
    mkdir -p "$data"
    [ "$(id -u)" -ne 0 ] || chown postgres "$data" "$sockets"
    if ! as_postgres test -x "$data" 2>/dev/null; then
        data=$data_elsewhere
        own_folder "$data"
        chown postgres "$data"
    fi
    chmod 700 "$data"
    if [ ! -f "$data/PG_VERSION" ]; then
        (cd / && as_postgres "$pg_bin/initdb" -D "$data" -U capture -A trust -E UTF8 --locale=C.UTF-8 --no-sync) \
            >>"$home/log/postgres.log" 2>&1 || fail "initdb failed; see $home/log/postgres.log"
    fi
    # PostgreSQL sees for itself whether the server before has ended, and its sessions; but a number that another process
    # of this user has by now it takes for that server.
    process=$(head -n 1 "$data/postmaster.pid" 2>/dev/null || true)
    if [ -d "/proc/$process" ] &&
        [ "$(as_postgres readlink "/proc/$process/cwd" 2>/dev/null || true)" != "$(readlink -f "$data")" ]; then
        rm -f "$data/postmaster.pid"
    fi
    # Readable for PostgreSQL, whatever root's umask is.
    install -m 644 "$root/Config/postgresql.conf" "$sockets/postgresql.conf"
    (cd / && start postgres $(command -v setpriv >/dev/null && [ "$(id -u)" -eq 0 ] &&
        echo setpriv --reuid postgres --regid postgres --clear-groups) \
        "$pg_bin/postgres" -D "$data" -k "$sockets" -c listen_addresses= -c unix_socket_permissions=0700 \
        -c "config_file=$sockets/postgresql.conf" -c "hba_file=$data/pg_hba.conf" -c "ident_file=$data/pg_ident.conf")
}

database() { # fresh: an empty one; kept: the one that is there
    local psql=("$pg_bin/psql" -X -q -h "$sockets" -U capture -d postgres -v ON_ERROR_STOP=1)
    if [ "$1" = fresh ]; then "${psql[@]}" -c 'DROP DATABASE IF EXISTS capture' 2>/dev/null; fi
    [ -n "$("${psql[@]}" -A -t -c "SELECT 1 FROM pg_database WHERE datname = 'capture'")" ] ||
        "${psql[@]}" -c 'CREATE DATABASE capture'
}

# Asks the package manager only when a source is newer than the last build: its own look takes longer than the servers'
# start. Swift's own libraries go into the programs: servers need none, and calls within a program cost less.
build_release() {
    local log=$root/.local/build.log stamp=$root/.build-release/built began
    local build=(swift build --configuration release --scratch-path .build-release --static-swift-stdlib)
    if [ -f "$stamp" ] && [ -x "$bin/capturectl" ] && [ -z "$(cd "$root" && find Package.swift Sources Workers Config/Migrations Config/local/stack.sh -newer "$stamp" -print -quit)" ]; then
        return 0
    fi
    say "building (the first time takes minutes) …"
    mkdir -p "$root/.local"
    # What is saved during the build may not be in it; by whole seconds, as the time of a file may be a little behind.
    began=$(date +%s)
    if [ -t 1 ]; then
        (cd "$root" && "${build[@]}") || fail "the build failed"
    else
        (cd "$root" && "${build[@]}") >"$log" 2>&1 || { tail -n 40 "$log"; fail "the build failed; see $log"; }
    fi
    touch --date="@$began" "$stamp"
}

# Tokens for dashboards, for what shows evidence, and for the operator: made once for each stack, kept where only the
# owner reads them.
tokens() {
    local kind
    for kind in read evidence operator; do
        [ -s "$home/$kind.token" ] || (umask 077 && head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$home/$kind.token")
    done
    export CAPTURE_GATEWAY_READ_TOKENS=$(sha256sum <"$home/read.token" | cut -d ' ' -f 1)
    export CAPTURE_GATEWAY_EVIDENCE_TOKENS=$(sha256sum <"$home/evidence.token" | cut -d ' ' -f 1)
    export CAPTURE_GATEWAY_OPERATOR_TOKENS=$(sha256sum <"$home/operator.token" | cut -d ' ' -f 1)
}

# The key that seals the secrets of enrolments, made once for each stack.
enrolment_key() {
    [ -s "$home/enrolment.key" ] || (umask 077 && head -c 32 /dev/urandom | base64 >"$home/enrolment.key")
    export CAPTURE_ENROLMENT_KEY_FILE=$home/enrolment.key
}

# Leads into the dashboard. The token stands behind the #: no server, and so no log, gets to see it.
login_link() { printf '%s/dashboard/login#token=%s&name=%s' "$address" "$(cat "$home/operator.token")" "$(id -un)"; }

# What stands in for Apple's servers: a stack on this machine sends nothing to the real ones.
apple_up() {
    : >"$home/log/apple.log"
    start apple "$bin/capturectl" simulate apple --ca "$home/ca" --key "$home/apple.p8"
    wait_for apple "the stand-in for Apple's servers" 20 grep -q 'listening on' "$home/log/apple.log"
    local base
    base=$(sed -n 's/^listening on \(http:[^ ]*\)\/production .*/\1/p' "$home/log/apple.log" | head -n 1)
    export CAPTURE_APPLE_KEY_FILE=$home/apple.p8 CAPTURE_APPLE_KEY_ID=ABC123DEFG CAPTURE_APPLE_TEAM_ID=TEAM123456
    export CAPTURE_APPLE_RECEIPTS_URL=$base/production CAPTURE_APPLE_RECEIPTS_DEVELOPMENT_URL=$base/development
    export CAPTURE_APPLE_DEVICE_CHECK_URL=$base/production CAPTURE_APPLE_DEVICE_CHECK_DEVELOPMENT_URL=$base/development
}

# The local stack trusts a certificate authority of its own for its simulated devices, and says so in every result.
programs_up() { # port
    # The path of the authority's root stands in a list.
    case $home in *,*) fail "$home has a comma, at which lists of settings are divided: move the checkout" ;; esac
    export CAPTURE_CONFIG=$root/Config/capture-processor.yaml
    export CAPTURE_APP_IDS=${CAPTURE_APP_IDS:-TEAM123456.com.example.capture}
    export CAPTURE_APP_ENVIRONMENTS=production,development
    tokens
    enrolment_key
    "$bin/capturectl" simulate authority "$home/ca" >>"$home/log/setup.log" 2>&1 || fail "no test authority; see $home/log/setup.log"
    export CAPTURE_APP_ROOTS=$home/ca/root.pem
    apple_up
    "$bin/capturectl" migrate >>"$home/log/setup.log" 2>&1 || { tail -n 5 "$home/log/setup.log"; fail "migration failed"; }
    gateway_log_bytes=$(stat -c %s "$home/log/gateway.log" 2>/dev/null || echo 0)
    start gateway "$bin/capture-gateway" --gateway-port "$1" --log-format text
    start worker-1 "$bin/capture-worker" --log-format text
    start worker-2 "$bin/capture-worker" --log-format text
    wait_for gateway "the gateway" 20 is_listening
    wait_for gateway "the gateway" 20 is_ready
    note_environment
}

# The port of the stack that runs, or has ended without being stopped; nothing where there is none.
noted_port() { sed -n "s/^export GATEWAY='http:.*:\([0-9]*\)'$/\1/p" "$home/environment" 2>/dev/null || true; }

# The settings that capturectl needs as the running programs have them: without what is the programs' or the user's own.
settings_in_force() {
    local name
    for name in "${!CAPTURE_@}"; do
        case $name in
        CAPTURE_TOKEN | *_TOKENS | CAPTURE_APPLE_* | CAPTURE_ENROLMENT_* | CAPTURE_FAULT_* | CAPTURE_TEST_* | \
            CAPTURE_ACTOR | CAPTURE_VECTORS_DIR) ;;
        *) printf 'export %s=%q\n' "$name" "${!name}" ;;
        esac
    done
}

# What another terminal needs for capturectl, the operator's token among it: nobody else reads it, not for a moment.
note_environment() {
    # It may be there, with rights of its own.
    rm -f "$home/environment"
    (umask 077 && {
        settings_in_force
        echo "export CAPTURE_TOKEN='$(cat "$home/operator.token")'"
        echo "export GATEWAY='$address'"
        echo "export PATH='$bin':\$PATH"
    } >"$home/environment")
}
