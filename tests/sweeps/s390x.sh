#!/bin/sh
# Tests that a big-endian host uses a big-endian blob in place: the output of libent on s390x for
# blobs of --target big must equal, word by word, the output here for those of --target little.
#
#   tests/sweeps/s390x.sh BUILD        from the root of the repository
#   ASSETS=FOLDER               other assets than assets/
set -eu
if [ $# -ne 1 ]; then
    echo "usage: tests/sweeps/s390x.sh BUILD" >&2
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

# zstd is a library: Debian's for s390x, unpacked beside the build and not installed, from lists of
# that architecture that are separate from those of apt on this machine.
mkdir -p "$work/debian"
debian=$(cd "$work/debian" && pwd)
if [ ! -f "$debian/usr/lib/s390x-linux-gnu/libzstd.a" ]; then
    echo "fetching libzstd-dev for s390x"
    mkdir -p "$debian/lists/partial" "$debian/cache/archives/partial"
    set -- -qq -o APT::Architecture=s390x -o APT::Architectures::=s390x -o "Dir::State::Lists=$debian/lists" \
        -o "Dir::Cache=$debian/cache" -o APT::Sandbox::User=
    apt-get "$@" update
    (cd "$debian" && apt-get "$@" download libzstd-dev:s390x)
    dpkg-deb -x "$debian"/libzstd-dev_*_s390x.deb "$debian"
fi

# xxhash.h is a single header: the only one of this machine that is visible to the s390x compiler.
echo "building libent for s390x"
rm -rf "$work/little" "$work/big"
mkdir -p "$work/include" "$work/little" "$work/big"
xxhash=$(echo '#include <xxhash.h>' | ${CC:-cc} -M -x c - | tr ' ' '\n' | grep '/xxhash\.h$' | head -n 1)
cmp -s "$xxhash" "$work/include/xxhash.h" || cp "$xxhash" "$work/include/xxhash.h"
${MAKE:-make} --no-print-directory -s $jobs config=release BUILD="$work" CC=s390x-linux-gnu-gcc \
    LD=s390x-linux-gnu-ld AR=s390x-linux-gnu-ar OBJCOPY=s390x-linux-gnu-objcopy \
    CFLAGS="-I$work/include -I$debian/usr/include" "$work/libent.a" "$work/tests/support/tool_spawn.o"
s390x-linux-gnu-gcc -static "$work/tests/support/tool_spawn.o" "$work/libent.a" -o "$work/tool_spawn" \
    "$debian/usr/lib/s390x-linux-gnu/libzstd.a" -lm -pthread

here=$(cd "$build" && pwd)/tool_spawn
spawner=$(cd "$work" && pwd)/tool_spawn
log=$(cd "$work" && pwd)/log

# bounded COMMAND...: no program, emulated or not, may run longer than ten minutes
bounded() { timeout 600 "$@"; }

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

# same BLOB: the output of big there equals the output of little here
same() {
    (cd "$work/little" && bounded "$here" "$1") >"$work/here.txt" || return 1
    (cd "$work/big" && bounded qemu-s390x "$spawner" "$1") >"$work/there.txt" || return 1
    diff "$work/here.txt" "$work/there.txt"
}

# refused FOLDER BLOB COMMAND...: exit code 1, nothing on stdout, and the reason
refused() {
    folder=$1
    blob=$2
    shift 2
    code=0
    (cd "$folder" && bounded "$@" "$blob") >"$work/out.txt" 2>"$work/err.txt" || code=$?
    cat "$work/out.txt" "$work/err.txt"
    [ "$code" -eq 1 ] && [ ! -s "$work/out.txt" ] && [ "$(cat "$work/err.txt")" = "$blob: $refusal" ]
}

count "the program is big-endian" sh -c \
    "od -An -tx1 -j4 -N2 '$spawner' | grep -q '02 02'"
for target in little big; do
    count "build --target $target" bounded "$build/entc" build "$assets" -o "$work/$target" --target "$target"
done
count "both targets have the same files" sh -c \
    "cd '$work/little' && find . -type f | sort >../little.txt && cd ../big && find . -type f | sort | diff ../little.txt -"

(cd "$work/little" && find . -type f \( -name '*.level' -o -name '*.entity' \) | sed 's,^\./,,' | LC_ALL=C sort) >"$work/spawned.txt"
(cd "$work/little" && find . -type f \( -name '*.mesh' -o -name '*.skeleton' -o -name '*.clip' -o -name '*.material' -o -name '*.component' -o -name '*.package' \) | sed 's,^\./,,' | LC_ALL=C sort) >"$work/others.txt"
count "there is a level or an entity to spawn" test -s "$work/spawned.txt"

while read -r blob; do
    count "$blob spawns the same on s390x" same "$blob"
    count "$blob of the other byte order is refused on s390x" refused "$work/little" "$blob" qemu-s390x "$spawner"
    count "$blob of the other byte order is refused here" refused "$work/big" "$blob" "$here"
done <"$work/spawned.txt"
while read -r blob; do
    count "$blob holds the same on s390x" same "$blob"
done <"$work/others.txt"

# Bundles: frames of zstd, and a dictionary for similar materials.
mkdir -p "$work/paints"
for i in $(seq 40); do
    echo "{ \"roughness\": 0.$i, \"metallic\": 0.$i }" >"$work/paints/p$i.material.json"
done
for target in little big; do
    rm -rf "$work/painted"
    count "pack what is for $target" bounded "$build/entc" pack "$work/$target" -o "$work/$target/all.pak"
    count "build paints for $target" bounded "$build/entc" build "$work/paints" -o "$work/painted" --target "$target"
    count "pack paints for $target" bounded "$build/entc" pack "$work/painted" -o "$work/$target/paints.pak"
done
for bundle in all.pak paints.pak; do
    count "$bundle holds the same on s390x" same "$bundle"
    count "$bundle of the other byte order is refused on s390x" refused "$work/little" "$bundle" qemu-s390x "$spawner"
    count "$bundle of the other byte order is refused here" refused "$work/big" "$bundle" "$here"
done
count "paints.pak has a dictionary" sh -c "'$build/entc' list '$work/big/paints.pak' | grep -q '^dictionary of material'"

echo "$(wc -l <"$work/spawned.txt") spawned, $(wc -l <"$work/others.txt") other blobs read on s390x"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
