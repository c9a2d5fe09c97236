#!/bin/sh
# Compiles and spawns every glTF file of a folder and compares the result with gltf_oracle.py, which
# reads the files independently.
#   tests/sweeps/corpus.sh BUILD FOLDER
set -u
build=$1
folder=$2
work=$build/corpus
passed=0
failed=0

# bounded COMMAND...: no program may run longer than ten minutes
bounded() { timeout 600 "$@"; }

if [ ! -d "$folder" ]; then
    echo "skipped: there is no folder $folder"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
rm -rf "$work"
mkdir -p "$work"
for file in "$folder"/*.glb "$folder"/*.gltf; do
    [ -f "$file" ] || continue
    base=$(basename "$file")
    suffix=${base##*.}
    name=$(echo "${base%.*}" | tr '[:upper:]' '[:lower:]' | tr -c 'a-z0-9_\n-' '_')
    # each in a separate folder: an error in one does not hide the result of another
    mkdir -p "$work/$name/src/models"
    cp "$file" "$work/$name/src/models/$name.$suffix"
    if bounded "$build/entc" build "$work/$name/src" -o "$work/$name/out" &&
        bounded "$build/tool_probe" "$work/$name/src" "$work/$name/out" "models/$name" >"$work/$name/probe.json" &&
        bounded python3 tests/oracles/gltf_oracle.py "$file" "$work/$name/probe.json" >"$work/$name/oracle.txt"; then
        echo "ok      $base: $(tail -n 1 "$work/$name/oracle.txt")"
        passed=$((passed + 1))
    else
        echo "FAILED  $base"
        [ -f "$work/$name/oracle.txt" ] && tail -n 20 "$work/$name/oracle.txt"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
