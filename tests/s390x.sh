#!/bin/sh
# Proves that a big-endian host uses a big-endian blob in place: what libent says on s390x about
# blobs of --target big must be, word by word, what it says here about those of --target little.
#
#   tests/s390x.sh BUILD        from the root of the repository
#   ASSETS=FOLDER               other assets than assets/
set -eu
if [ $# -ne 1 ]; then
    echo "usage: tests/s390x.sh BUILD" >&2
    exit 1
fi
build=$1
assets=${ASSETS:-assets}
work=$build/s390x
refusal="the blob was written for the other byte order"
passed=0
failed=0

jobs=-j2
case ${MAKEFLAGS:-} in *jobserver*) jobs="" ;; esac

echo "building for this machine"
${MAKE:-make} --no-print-directory -s $jobs BUILD="$build" "$build/entc" "$build/tool_spawn"

# xxhash.h is a header and nothing more: the only one of this machine's that s390x is shown.
echo "building libent for s390x"
rm -rf "$work/little" "$work/big"
mkdir -p "$work/include" "$work/little" "$work/big"
xxhash=$(echo '#include <xxhash.h>' | ${CC:-cc} -M -x c - | tr ' ' '\n' | grep '/xxhash\.h$' | head -n 1)
cmp -s "$xxhash" "$work/include/xxhash.h" || cp "$xxhash" "$work/include/xxhash.h"
${MAKE:-make} --no-print-directory -s $jobs config=release BUILD="$work" CC=s390x-linux-gnu-gcc \
    LD=s390x-linux-gnu-ld AR=s390x-linux-gnu-ar OBJCOPY=s390x-linux-gnu-objcopy \
    CFLAGS="-I$work/include" "$work/libent.a" "$work/tests/tool_spawn.o"
s390x-linux-gnu-gcc -static "$work/tests/tool_spawn.o" "$work/libent.a" -o "$work/tool_spawn" -lm -pthread

here=$(cd "$build" && pwd)/tool_spawn
there=$(cd "$work" && pwd)/tool_spawn
log=$(cd "$work" && pwd)/log

# count NAME COMMAND...: one test
count() {
    name=$1
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $name"
        sed 's/^/    /' "$log"
    fi
}

# same BLOB: big there prints what little prints here
same() {
    (cd "$work/little" && "$here" "$1") >"$work/here.txt" || return 1
    (cd "$work/big" && qemu-s390x "$there" "$1") >"$work/there.txt" || return 1
    diff "$work/here.txt" "$work/there.txt"
}

# refused FOLDER BLOB COMMAND...: exit code 1, nothing on stdout, and the reason
refused() {
    folder=$1
    blob=$2
    shift 2
    code=0
    (cd "$folder" && "$@" "$blob") >"$work/out.txt" 2>"$work/err.txt" || code=$?
    cat "$work/out.txt" "$work/err.txt"
    [ "$code" -eq 1 ] && [ ! -s "$work/out.txt" ] && [ "$(cat "$work/err.txt")" = "$blob: $refusal" ]
}

count "the program is big-endian" sh -c \
    "od -An -tx1 -j4 -N2 '$there' | grep -q '02 02'"
for target in little big; do
    count "build --target $target" "$build/entc" build "$assets" -o "$work/$target" --target "$target"
done
count "both targets have the same files" sh -c \
    "cd '$work/little' && find . -type f | sort >../little.txt && cd ../big && find . -type f | sort | diff ../little.txt -"

(cd "$work/little" && find . -type f \( -name '*.level' -o -name '*.entity' \) | sed 's,^\./,,' | LC_ALL=C sort) >"$work/spawned.txt"
(cd "$work/little" && find . -type f \( -name '*.mesh' -o -name '*.skeleton' -o -name '*.clip' -o -name '*.material' -o -name '*.component' \) | sed 's,^\./,,' | LC_ALL=C sort) >"$work/others.txt"
count "there is a level or an entity to spawn" test -s "$work/spawned.txt"

while read -r blob; do
    count "$blob spawns the same on s390x" same "$blob"
    count "$blob of the other byte order is refused on s390x" refused "$work/little" "$blob" qemu-s390x "$there"
    count "$blob of the other byte order is refused here" refused "$work/big" "$blob" "$here"
done <"$work/spawned.txt"
while read -r blob; do
    count "$blob holds the same on s390x" same "$blob"
done <"$work/others.txt"

echo "$(wc -l <"$work/spawned.txt") spawned, $(wc -l <"$work/others.txt") other blobs read on s390x"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
