# To be sourced, by stack.sh: starts, finds and stops programs that outlive the script, by files with their process ids.

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
