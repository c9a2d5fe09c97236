#!/bin/sh
# Compiles and spawns every glTF file of a folder and compares the result with gltf_oracle.py and
# model_oracle.py, which read the files independently. A folder in it is a model with files beside it.
#   tests/sweeps/corpus.sh BUILD FOLDER [GOLDEN [CASES]]
# GOLDEN: the diagnostics of each model (GOLDEN=1 writes it); without it there must be none.
# CASES: the folder of cases.sh, which runs first; its tally is added. Then tangents that are computed are also
# compared with those of npm's mikktspace (NODE_MODULES), corner by corner, and the rules of glTF with its gltf-validator.
set -u
build=$1
folder=$2
golden=${3-/dev/null}
cases=${4-}
work=$build/corpus
passed=0
failed=0
skipped=0

# bounded COMMAND...: no program may run longer than ten minutes
bounded() { timeout 600 "$@"; }

# The .gltf models of the folder again, without their tangents, and random ones.
plain_write() {
    python3 tests/support/make_random_models.py "$work/plain/src/random" 1000 60 &&
        python3 - "$folder" "$work/plain/src" <<'END'
import json, pathlib, shutil, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.gltf"):
    model = json.loads(path.read_text(encoding="utf-8"))
    for mesh in model.get("meshes", []):
        for primitive in mesh["primitives"]:
            primitive["attributes"].pop("TANGENT", None)
    to = pathlib.Path(sys.argv[2], path.stem.lower())
    shutil.copytree(path.parent, to, ignore=lambda at, names: [n for n in names if n.endswith((".gltf", ".glb"))
                                                              or pathlib.Path(at, n).is_dir()])
    (to / (path.stem.lower() + ".gltf")).write_text(json.dumps(model), encoding="utf-8")
END
}

# tangents_check: what the plain model of model_oracle.py leaves out is compared as well
tangents_check() {
    mkdir -p "$work/plain/src" && plain_write && bounded "$build/entc" build "$work/plain/src" -o "$work/plain/out" -q -k
    for file in "$work"/plain/src/*/*.gltf; do
        grep -q normalTexture "$file" || continue
        name=${file#"$work/plain/src/"}
        bounded "$build/tool_probe" "$work/plain/src" "$work/plain/out" "${name%.gltf}" >"$work/plain/probe.json" &&
            TANGENTS=$work/plain/tangents bounded python3 tests/oracles/model_oracle.py "$file" "$work/plain/out" \
                "$work/plain/probe.json" || return 1
    done
    bounded node tests/oracles/tangent_reference.js "$NODE_MODULES" "$build/tool_tangents" "$work/plain/tangents"
}

# tally_add LOG: prints it, and adds the tally of its last line; without one it has failed
tally_add() {
    sed '$d' "$1"
    tally=$(tail -n 1 "$1" | sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p')
    # shellcheck disable=SC2086 # three numbers
    set -- ${tally:-0 1 0}
    passed=$((passed + $1))
    failed=$((failed + $2))
    skipped=$((skipped + $3))
}

# rules_check: the models of gltf_rules.py are what Khronos' validator says, and what it finds free of errors compiles
rules_check() {
    python3 tests/oracles/gltf_rules.py write "$work/rules" &&
        bounded node tests/oracles/gltf_validator.js "$NODE_MODULES" rules "$work/rules" compiler/gltf/GLTF.md &&
        python3 tests/oracles/gltf_rules.py random "$work/random" "${RANDOM_SEED:-1}" "${RANDOM_MODELS:-1000}" &&
        bounded node tests/oracles/gltf_validator.js "$NODE_MODULES" random "$build/entc" "$work/random"
}

# with_package NAME COMMAND: one test, when npm's package is installed
with_package() {
    if [ ! -d "${NODE_MODULES-}/$1" ]; then
        echo "skipped  $2: npm's $1 is not installed"
        skipped=$((skipped + 1))
    elif "$2" >"$work/$2.txt" 2>&1; then
        echo "ok      $2: $(tail -n 1 "$work/$2.txt")"
        passed=$((passed + 1))
    else
        echo "FAILED  $2"
        tail -n 30 "$work/$2.txt"
        failed=$((failed + 1))
    fi
}

name_of() { basename "${1%.*}" | tr '[:upper:]' '[:lower:]' | tr -c 'a-z0-9_\n-' '_'; }

# model_copy FILE SOURCE: the files of the model; each model is in a separate folder, so that an error in one does
# not hide the result of another
model_copy() {
    mkdir -p "$2/models"
    case $1 in
    "$folder"/*/*) cp -r "$(dirname "$1")/." "$2/models" && rm "$2/models/$(basename "$1")" ;;
    esac
    cp "$1" "$2/models/$(name_of "$1").${1##*.}" &&
        { [ ! -f "${1%.*}.model.json" ] || cp "${1%.*}.model.json" "$2/models/$(name_of "$1").model.json"; }
}

# diagnostics_of FILE: the name of the model, and below it its diagnostics without the lines of the source
diagnostics_of() {
    basename "$1"
    sed -nE 's,^.*/models/[^:]*: ?(([0-9]+:[0-9]+: )?(warning|error): ),    \1,p' "$2/diagnostics"
}

# model_check FILE FOLDER
model_check() {
    probe=$2/probe.json
    model_copy "$1" "$2/src" &&
        bounded "$build/entc" build "$2/src" -o "$2/out" 2>"$2/diagnostics" &&
        bounded "$build/tool_probe" "$2/src" "$2/out" "models/$(name_of "$1")" >"$probe" &&
        bounded python3 tests/oracles/gltf_oracle.py "$1" "$probe" >"$2/oracle.txt" &&
        bounded python3 tests/oracles/model_oracle.py "$1" "$2/out" "$probe" >>"$2/oracle.txt" &&
        skins_check "$1" "$2"
}

# skins_check FILE FOLDER: every vertex that a skin or a morph target moves, at 20 times of each clip
skins_check() {
    model=models/$(name_of "$1")
    find "$2/out/$model" -name '*.clip' 2>/dev/null | grep -q . || return 0
    printf '{"entities":[{"prefab":"%s"}]}' "$model" >"$2/src/show.level.json"
    # shellcheck disable=SC2046
    bounded "$build/entc" build "$2/src" -o "$2/out" -q 2>>"$2/diagnostics_of_skins" &&
        LSAN_OPTIONS=detect_leaks=0 bounded "$build/tool_skin" "$2/out" show 20 $(cd "$2/out" && find "$model" -name '*.clip' | sed 's/\.clip$//' | sort) \
            >"$2/skins.json" &&
        bounded python3 tests/oracles/skin_oracle.py "$1" "$2/out" "$2/probe.json" "$2/skins.json" >>"$2/oracle.txt"
}

if [ ! -d "$folder" ]; then
    echo "skipped: there is no folder $folder"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
rm -rf "$work"
mkdir -p "$work"
if [ -n "$cases" ]; then
    tests/sweeps/cases.sh "$build" "$cases" >"$work/cases.txt" || true
    tally_add "$work/cases.txt"
fi
models=0
[ -z "${GOLDEN-}" ] || [ -e "$golden" ] || : >"$golden"
for file in "$folder"/*.glb "$folder"/*.gltf "$folder"/*/*.gltf; do
    [ -f "$file" ] || continue
    models=$((models + 1))
    base=$(basename "$file")
    place=$work/$(name_of "$file")
    mkdir -p "$place"
    code=0
    model_check "$file" "$place" || code=$?
    diagnostics_of "$file" "$place" >"$place/reported"
    # the name of the model and the lines below it, or only the name
    awk -v base="$base" 'BEGIN { print base } /^[^ ]/ { of = $0 == base; next } of' "$golden" >"$place/expected"
    cat "$place/reported" >>"$work/golden"
    if [ "$code" -eq 0 ] && { [ -n "${GOLDEN-}" ] || cmp -s "$place/reported" "$place/expected"; }; then
        echo "ok      $base: $(grep 'values compared' "$place/oracle.txt" | paste -sd ';' -)"
        passed=$((passed + 1))
    else
        echo "FAILED  $base"
        [ "$code" -eq 0 ] && diff "$place/expected" "$place/reported"
        [ "$code" -eq 0 ] || cat "$place/diagnostics"
        [ -f "$place/oracle.txt" ] && tail -n 20 "$place/oracle.txt"
        failed=$((failed + 1))
    fi
done
[ -z "${GOLDEN-}" ] || [ "$golden" = /dev/null ] || cp "$work/golden" "$golden"
if [ -n "$cases" ]; then
    with_package mikktspace tangents_check
    with_package gltf-validator rules_check
    tests/sweeps/packages.sh "$build" "${NODE_MODULES-}" >"$work/packages.txt" || true
    tally_add "$work/packages.txt"
    tests/sweeps/blender.sh "$build" "$cases" tests/golden/blender.txt >"$work/blender.txt" || true
    tally_add "$work/blender.txt"
    tests/sweeps/blender_scenes.sh "$build" tests/golden/blender_scenes.txt >"$work/blender_scenes.txt" || true
    tally_add "$work/blender_scenes.txt"
    tests/sweeps/blender_kits.sh "$build" tests/golden/blender_kits.txt >"$work/blender_kits.txt" || true
    tally_add "$work/blender_kits.txt"
    tests/sweeps/blender_addon.sh "$build" tests/golden/blender_addon.txt >"$work/blender_addon.txt" || true
    tally_add "$work/blender_addon.txt"
fi
if [ "$models" -eq 0 ]; then
    echo "FAILED  there is no model in $folder"
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
