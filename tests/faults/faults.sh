#!/bin/bash
# All of faults.py, faults_all.py, histories.py, watches.py and same.py; the last line is the tally of all.
#
#   tests/faults/faults.sh BUILD [PART...]     from the root of the repository; parts: builds, commands
set -euo pipefail

build=$1
shift
parts=${*:-builds commands}
work=$build/scratch/complete
passed=0
failed=0
skipped=0
mkdir -p "$work"

# python SCRIPT ARGUMENTS...: adds its tally
python() {
    local script=$1 tally
    shift
    echo "=== $script $*"
    python3 "tests/faults/$script" "$build" "$work/world" "$@" 2>&1 | tee "$work/log" || true
    tally=$(tail -n 1 "$work/log")
    if [[ $tally =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
    else
        failed=$((failed + 1))
    fi
}

for part in $parts; do
    case $part in
    builds)
        python faults.py --complete kills errors signals database cache storm
        python histories.py --steps 2000 --jobs 2
        python watches.py --steps 1000 --jobs 2
        python same.py --complete jobs orders places cached compilers
        ;;
    commands) python faults_all.py imports trace leaks calls kills memory ;;
    *)
        echo "there is no part \"$part\"" >&2
        exit 1
        ;;
    esac
done

if [ "$skipped" -gt 0 ]; then echo "$skipped skipped"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
