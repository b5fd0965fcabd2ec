#!/bin/sh
# Runs migrate.yaml's job in the current context and waits for its end. Safe to run again.
#
# A job cannot be changed: the last one is deleted first, but none whose container runs, as a step may take hours and would
# begin anew. One whose image cannot be pulled does not run: `ready` counts those that do, `active` that one as well.
# The exit status:
#   0   the migration is complete
#   1   it failed for good: the end of its log is shown; or kubectl failed before the wait, and says why: run this again
#   75  it goes on after WAIT seconds (default: 600), or that of another image does
set -eu
cd "$(dirname "$0")"

image=$(sed -n 's/^ *image: *//p' migrate.yaml)
job=$(kubectl get job capture-migrate --ignore-not-found \
    -o 'jsonpath={.status.ready} {.spec.template.spec.containers[0].image}')
case $job in
[1-9]*" $image") echo 'it runs already' ;;
[1-9]*)
    echo "the migration of another image runs (${job#* }): wait for its end, then begin again" >&2
    exit 75
    ;;
*)
    kubectl delete job capture-migrate --ignore-not-found
    kubectl apply -f migrate.yaml
    ;;
esac

seconds=${WAIT:-600}
while :; do
    # An API that does not answer now is asked again.
    ended=$(kubectl get job capture-migrate -o 'jsonpath={.status.conditions[?(@.status=="True")].type}' || true)
    case " $ended " in
    *' Complete '*) exit 0 ;;
    *' Failed '*)
        echo 'the migration failed; the end of its log:' >&2
        kubectl logs job/capture-migrate --tail=20 >&2 || true
        exit 1
        ;;
    esac
    [ "$seconds" -gt 0 ] || break
    sleep 5
    seconds=$((seconds - 5))
done
echo 'the migration goes on; is its image to be had? Run this again to wait longer:' >&2
kubectl get pods -l app.kubernetes.io/name=capture-migrate >&2 || true
exit 75
