#!/bin/sh
# Compiles the glTF models of packages, each alone: all of npm's @webxr-input-profiles/assets, and the glTF 2.0 models of Debian's
# assimp-testmodels, of which only those in `refused` are refused: their data is missing (compressed, or in another file), wrong
# in type, out of range or cyclic.
#   tests/sweeps/packages.sh BUILD NODE_MODULES
set -u
build=$1
modules=$2
work=$build/packages
passed=0
failed=0
skipped=0
refused=$(
    cat <<'END'
BoxWithInfinites-glTF-Binary/BoxWithInfinites.glb
IndexOutOfRange/AllIndicesOutOfRange.gltf
IndexOutOfRange/IndexOutOfRange.gltf
MissingBin/BoxTextured.gltf
RecursiveNodes/RecursiveNodes.gltf
SchemaFailures/sceneWrongType.gltf
TestNoRootNode/NoScene.gltf
draco/2CylinderEngine.gltf
wrongTypes/badArray.gltf
wrongTypes/badExtension.gltf
wrongTypes/badNumber.gltf
wrongTypes/badObject.gltf
wrongTypes/badUint.gltf
END
)

# model_build FILE: its name in lower case; files to which it refers lie beside it
model_build() {
    rm -rf "$work"
    mkdir -p "$work/src/m"
    cp -rL "$(dirname "$1")/." "$work/src/m"
    find "$work/src/m" \( -name '*.gltf' -o -name '*.glb' \) -exec rm {} +
    cp -L "$1" "$work/src/m/model.${1##*.}"
    timeout 600 "$build/entc" build "$work/src" -o "$work/out" 2>"$work/err" </dev/null
}

# count NAME CODE WANTED
count() {
    if [ "$2" -eq "$3" ]; then
        passed=$((passed + 1))
    else
        echo "FAILED  $1: exit code $2 instead of $3"
        head -n 3 "$work/err" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
}

# package_skip NAME
package_skip() {
    echo "skipped  $1 is not installed"
    skipped=$((skipped + 1))
}

if [ -d "$modules/@webxr-input-profiles/assets" ]; then
    find -L "$modules/@webxr-input-profiles/assets" -name '*.glb' | sort >"$build/packages.txt"
    while read -r file; do
        code=0
        model_build "$file" || code=$?
        count "${file#"$modules/"}" "$code" 0
    done <"$build/packages.txt"
else
    package_skip "npm's @webxr-input-profiles/assets"
fi

assimp=/usr/share/assimp/models/glTF2
if [ -d "$assimp" ]; then
    find -L "$assimp" \( -name '*.gltf' -o -name '*.glb' \) | sort >"$build/packages.txt"
    while read -r file; do
        code=0
        wanted=0
        name=${file#"$assimp/"}
        printf '%s\n' "$refused" | grep -qxF "$name" && wanted=3
        model_build "$file" || code=$?
        count "$name" "$code" "$wanted"
    done <"$build/packages.txt"
else
    package_skip "Debian's assimp-testmodels"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
