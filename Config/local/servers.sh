# To be sourced, by stack.sh: the stack's Redis and PostgreSQL.

# The newest version's programs that has a server: one may have only those of a client.
newest_postgres() { # folder with one for each version
    ls -d "$1"/*/bin/postgres 2>/dev/null | sort -V | sed -n '$s,/postgres$,,p' || true
}
# Empty where PostgreSQL is not installed: whoever only stops or removes a stack needs none.
pg_bin=$(newest_postgres /usr/lib/postgresql)

# PostgreSQL refuses to run as root; then it runs as the user that its package made.
as_postgres() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid postgres --regid postgres --clear-groups "$@"
    else
        "$@"
    fi
}

# Makes a folder under a name that others can guess, which nobody else gets into: whoever reaches the sockets in it is
# PostgreSQL's superuser. One that is there already is this user's, or, where root runs this, PostgreSQL's.
own_folder() {
    (umask 077 && mkdir "$1" 2>/dev/null) || true
    [ -d "$1" ] && [ ! -L "$1" ] || fail "$1 is no folder and could not be made one; remove it"
    [ -O "$1" ] || { [ "$(id -u)" -eq 0 ] && [ "$(stat -c %U "$1")" = postgres ]; } || fail "$1 is another user's"
    chmod 700 "$1"
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
