#!/bin/bash
# Every fuzz target in turn; the last line is the tally, one for each target.
#
#   tests/fuzz/fuzz.sh SECONDS [TARGET...]     from the root of the repository
set -euo pipefail

seconds=$1
shift
passed=0
failed=0
if [ $# -eq 0 ]; then
    mapfile -t targets < <(sed -n 's/^    X(\([a-z]*\)).*/\1/p' tests/fuzz/fuzz.h)
    set -- "${targets[@]}"
fi
for target in "$@"; do
    if ${MAKE:-make} --no-print-directory fuzz "target=$target" "seconds=$seconds"; then
        passed=$((passed + 1))
        echo "ok       $target, $seconds s"
    else
        failed=$((failed + 1))
        echo "FAILED   $target: the input is in build/fuzz/found"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
