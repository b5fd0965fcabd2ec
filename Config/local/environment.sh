# To be sourced: settings of a stack that runs beside must not reach what is started here. Those of the tests stay.
for name in $(compgen -e | grep '^CAPTURE_' | grep -v -e '^CAPTURE_TEST_' -e '^CAPTURE_VECTORS_DIR$' || true); do
    unset "$name"
done
