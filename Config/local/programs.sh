# To be sourced, by stack.sh: builds the programs, starts the gateway and workers, notes what others need to reach them.

# Asks the package manager only when a source is newer than the last build: its own look takes longer than the servers'
# start. Swift's own libraries go into the programs: servers need none, and calls within a program cost less.
build_release() {
    local log=$root/.local/build.log stamp=$root/.build-release/built began
    local options=(--configuration release --scratch-path .build-release --static-swift-stdlib)
    if [ -f "$stamp" ] && [ -x "$bin/capturectl" ] && [ -z "$(cd "$root" && find Package.swift Sources Workers Config/Migrations Config/local/programs.sh -newer "$stamp" -print -quit)" ]; then
        return 0
    fi
    "$root/Config/local/swift.sh" || exit 1
    say "building (the first time takes minutes) …"
    mkdir -p "$root/.local"
    # What is saved during the build may not be in it; by whole seconds, as the time of a file may be a little behind.
    began=$(date +%s)
    if [ -t 1 ]; then
        (cd "$root" && swift build "${options[@]}") || fail "the build failed"
    else
        (cd "$root" && build_quietly "$log" "${options[@]}") || fail "the build failed; see $log"
    fi
    touch --date="@$began" "$stamp"
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

# The key for the stand-in for Apple's servers, made once for each stack.
apple_key() {
    [ -s "$home/apple.p8" ] || (umask 077 && openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 >"$home/apple.p8")
    export CAPTURE_APPLE_KEY_FILE=$home/apple.p8 CAPTURE_APPLE_KEY_ID=ABC123DEFG CAPTURE_APPLE_TEAM_ID=TEAM123456
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
    export CAPTURE_APPLE_RECEIPTS_URL=$base/production CAPTURE_APPLE_RECEIPTS_DEVELOPMENT_URL=$base/development
    export CAPTURE_APPLE_DEVICE_CHECK_URL=$base/production CAPTURE_APPLE_DEVICE_CHECK_DEVELOPMENT_URL=$base/development
}

# Settings of this stack that its servers and their addresses do not decide.
own_settings() {
    mkdir -p "$home"
    tokens
    enrolment_key
    apple_key
    export CAPTURE_CONFIG=$root/Config/capture-processor.yaml
    export CAPTURE_APP_IDS=${CAPTURE_APP_IDS:-TEAM123456.com.example.capture}
    export CAPTURE_APP_ENVIRONMENTS=production,development
}

# Refuses a start with settings that the gateway does not take, or at a port that another program has. Nothing is
# started or stopped by it.
check_start() { # port
    local said host
    own_settings
    # Without what the stack sets itself later on: a shell may have it of a stack that is gone.
    said=$(unset CAPTURE_APP_ROOTS CAPTURE_REDIS_URL CAPTURE_POSTGRES_URL CAPTURE_APPLE_{RECEIPTS,DEVICE_CHECK}{,_DEVELOPMENT}_URL
        exec "$bin/capture-gateway" --print-settings --gateway-port "$1" 2>&1) ||
        fail "${said##*$'\n'}; nothing was started or stopped"
    if is_running gateway && [ "$1" = "$(noted_port)" ]; then return 0; fi
    host=$(sed -n 's/^gateway\.host  *//p' <<<"$said")
    if [ "$1" != 0 ] && is_answered "$host" "$1"; then
        fail "the port $1 is taken by another program, PORT=9090 make up takes another port; nothing was started or stopped"
    fi
}

# By bash itself: whether something listens there.
is_answered() { (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null; } # host port

# The local stack trusts a certificate authority of its own for its simulated devices, and says so in every result.
programs_up() { # port
    # The path of the authority's root stands in a list.
    case $home in *,*) fail "$home has a comma, at which lists of settings are divided: move the checkout" ;; esac
    own_settings
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
