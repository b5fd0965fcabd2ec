# To be sourced: a folder for whatever tests put into the temporary one, which goes when the script ends.
TMPDIR=$(mktemp -d)
export TMPDIR
# Servers that end with the tests may write for as long as it takes them.
clear_up() {
    for _ in {1..50}; do
        rm -rf "$TMPDIR" 2>/dev/null && break
        sleep 0.1
    done
    true
}
trap clear_up EXIT
# Others than who runs them look into it: PostgreSQL may.
chmod 755 "$TMPDIR"
