#!/bin/sh
# Runs inputs that failed once, from a folder beside the project: reports/NAME/run.sh, each of which ends with exit
# code 0 when all is right, and hostile/: damaged blobs, and generators of sources that compare what they get.
#   tests/sweeps/cases.sh BUILD CASES
set -u
build=$1
cases=$2
work=$build/cases
passed=0
failed=0
skipped=0
# Reports whose faults are known and still exist; one that passes is a failure, so that it is removed here.
open=""

if [ ! -d "$cases" ]; then
    echo "skipped: there is no folder $cases"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
cases=$(cd "$cases" && pwd)
rm -rf "$work"
mkdir -p "$work/hostile" "$work/cases"
ENTC=$(cd "$build" && pwd)/entc
ENTRUN=$(cd "$build" && pwd)/entrun
ENT_SOURCE=$PWD
WORK=$(cd "$work" && pwd)/hostile
export ENTC ENTRUN ENT_SOURCE WORK

# bounded COMMAND...: no program may run longer than ten minutes
bounded() { timeout 600 "$@"; }

# count NAME COMMAND...: one test
count() {
    name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "ok      $name"
        passed=$((passed + 1))
    else
        echo "FAILED  $name"
        tail -n 20 "$work/log" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
}

# read BLOB: by each command, which accepts it or reports what is wrong
read_by_each() {
    for command in verify info dump; do
        code=0
        bounded "$ENTC" "$command" "$1" >"$work/out" 2>"$work/err" || code=$?
        echo "$command: exit code $code"
        cat "$work/err"
        [ "$code" -le 4 ] || return 1
        [ "$code" -eq 0 ] || grep -q "error: " "$work/err" || return 1
    done
}

# spawned FOLDER: compiled, and spawned with the declarations of the project
spawned() {
    bounded "$ENTC" build "$1" -o "$work/spawned" -q && bounded "$ENTRUN" "$work/spawned" --level l --stats
}

# generated GENERATOR WANTED ARGUMENTS...: its last line ends with what is wanted, or it only succeeds
generated() {
    generator=$1
    wanted=$2
    shift 2
    (cd "$WORK" && bounded python3 "$cases/hostile/$generator" "$@") >"$work/generated" 2>&1 || {
        cat "$work/generated"
        return 1
    }
    cat "$work/generated"
    [ -z "$wanted" ] || tail -n 1 "$work/generated" | grep -q "$wanted\$"
}

for report in "$cases"/reports/*/run.sh; do
    name=$(basename "$(dirname "$report")")
    case " $open " in
    *" $name "*)
        if bounded bash "$report" >/dev/null 2>&1; then
            count "$name, which is no longer open" false
        else
            echo "skipped  $name: a known fault"
            skipped=$((skipped + 1))
        fi
        ;;
    *) count "$name" bounded bash "$report" ;;
    esac
done
for blob in "$cases"/hostile/*/*.level; do count "$(basename "$blob")" read_by_each "$blob"; done
count "many texts of declarations" spawned "$cases/hostile/enum_overflow/src"
for seed in 1 2 3; do count "random levels $seed" generated gen.py "" $seed; done
count "damaged large levels" generated err.py "diffs 0" 1 4
count "killed commands" generated rk.py "bad 0" 1 30

if [ $((passed + failed)) -eq 0 ]; then
    echo "FAILED  there are no cases in $cases"
    failed=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
