# To be sourced: builds, and says nothing unless that fails.

build() { # file for what it says, options of `swift build`…
    "$(dirname "${BASH_SOURCE[0]}")/swift.sh" && build_quietly "$@"
}

# The same where Swift has been looked at.
build_quietly() {
    local log=$1
    shift
    swift build "$@" >"$log" 2>&1 && return 0
    grep -E 'error:|warning:' "$log" | sort -u | head -n 40 || true
    tail -n 20 "$log"
    return 1
}

# Everything that the tests take. A target imports only what the manifest gives it, and not what others happen to have
# brought along.
build_tests() { # file for what it says
    build "$1" --build-tests --explicit-target-dependency-import-check error
}
