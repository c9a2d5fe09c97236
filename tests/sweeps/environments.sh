#!/bin/bash
# Runs the tests in the environments in which users and services run them: with SIGHUP ignored,
# without stdin, as a user other than root, without HOME, and with private files.
#
#   tests/sweeps/environments.sh [FILTER]     from the root of the repository; FILTER: of suites, as for make test
# ONLY=NAME                          only this environment
#
# A table, and the tally of all of them. The output of each run is in build/environments/NAME.log.
set -euo pipefail

filter=${1:-}
only=${ONLY:-}
logs=$PWD/build/environments
passed=0
failed=0
skipped=0
table=""
mkdir -p "$logs"
unset MAKEFLAGS MAKELEVEL # a make that runs this script must not pass its job server to the tests

# environment NAME COMMAND...: runs it, and adds a row to the table; no tally is a failure
environment() {
    local name=$1 code=0 tally start=$SECONDS log=$logs/$1.log
    shift
    [ -z "$only" ] || [ "$only" = "$name" ] || return 0
    echo "=== $name: $*"
    "$@" >"$log" 2>&1 || code=$?
    tally=$(grep -vE '^make(\[[0-9]+\])?: ' "$log" | tail -n 1 || true)
    if [[ $tally =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
        if [ "$code" -ne 0 ] && [ "${BASH_REMATCH[2]}" -eq 0 ]; then failed=$((failed + 1)); fi
    else
        tally="no tally"
        failed=$((failed + 1))
        tail -n 5 "$log"
    fi
    grep -E '^(skipped|FAILED)  ' "$log" || true
    table+=$(printf '%-12s %-42s exit code %d, %5d s' "$name" "$tally" "$code" $((SECONDS - start)))$'\n'
}

make_test() { make --no-print-directory test filter="$filter"; }
stdin_closed() { make_test <&-; }
without_home() (unset HOME && make_test)
others_locked_out() (umask 077 && make_test)

# A copy of the tree, with what is built, that belongs to the user nobody, who has no home.
as_user() {
    local copy code=0
    copy=$(mktemp -d)
    mkdir -p "$copy/tree/build"
    git ls-files -z | xargs -0 cp --parents --preserve=mode,timestamps -t "$copy/tree"
    cp -R --preserve=mode,timestamps build/release "$copy/tree/build"
    rm -rf "$copy/tree/build/release/scratch"
    chown -R nobody "$copy"
    chmod -R a+rX "$copy"
    (cd "$copy/tree" && HOME=$copy setpriv --reuid=nobody --regid=nogroup --clear-groups \
        make --no-print-directory test filter="$filter") || code=$?
    rm -rf "$copy"
    return "$code"
}

environment nohup nohup make --no-print-directory test filter="$filter"
environment no-stdin stdin_closed
environment no-home without_home
environment umask-077 others_locked_out
if [ "$(id -u)" -ne 0 ]; then
    echo "skipped: only root can become another user; this run is one of another user already"
    skipped=$((skipped + 1))
else
    environment nobody as_user
fi

echo
printf '%s' "$table"
skips=""
if [ "$skipped" -gt 0 ]; then skips=", $skipped skipped"; fi
echo "$passed passed, $failed failed$skips"
[ "$failed" -eq 0 ]
