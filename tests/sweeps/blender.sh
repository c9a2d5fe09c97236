#!/bin/sh
# Models that Blender exports from the scripts of a folder: each is compiled and drawn, and diagnostics, counts and brightness of
# its picture are compared with a list (picture_oracle.py); its lit surfaces are neither dark nor white.
#   tests/sweeps/blender.sh BUILD CASES GOLDEN
# GOLDEN: a line per model, below the version of Blender that the list is of (GOLDEN=1 writes it: look at the pictures in
# build/*/blender before). Needs Debian's blender, python3-numpy and python3-pil: `make deps-blender`. The sizes have the aspects
# of the cameras; a size of 0 is not drawn.
set -u
build=$1
scripts=$2/artist/scripts
golden=$3
oracle=tests/oracles/picture_oracle.py
skipped=0

# script NAME ARGUMENTS, then its models: FOLDER FILE SIZE, and `bright` when a part of it has to be white
models=$(
    cat <<'END'
script s_axes axes/m.glb -
axes m.glb 160x100
axes m_tan.glb 160x100
script s_mirrorbump
mb/src m.glb 160x59
script s_startup
startup/src startup.glb 160x90
script s_lights
lights/src point.glb 120x120
lights/src point_range.glb 120x120
lights/src spot.glb 120x120
lights/src spot_hard.glb 120x120
lights/src spot_soft.glb 120x120
lights/src spot_180.glb 120x120
lights/src sun.glb 120x120
lights/src sun_and_point.glb 120x120
lights/src colour_over_one.glb 120x120
lights/src area.glb 120x120
lights/src mirrored.glb 120x120
script s_images
images/src models/glb.glb 160x96
images/src2 models/sep.gltf 160x96
images/src3 models/keep.gltf 160x96
images/src4 models/jpeg.glb 160x96
script s_level
lvl level.glb 0
lvl level.gltf 0
script s_mats
mats/grid m.glb 160x71
mats/feat m.glb 160x96 bright
mats/feat_gltf m.gltf 160x96 bright
script s_misc
misc2/no_uv_curve m.glb 160x100
misc2/no_uv_mesh m.glb 160x100
misc2/base_over_one m.glb 160x100
misc2/emission_huge m.glb 160x100 bright
misc2/negative_light m.glb 160x100
misc2/zero_narrow m.glb 160x100
misc2/cams m.glb 160x100
misc2/cam_anim m.glb 160x100
misc2/two_scenes m.glb 160x100
misc2/weights_four m.glb 0
misc2/weights_all m.glb 0
misc2/shapes70 m.glb 160x100
script s_names
names/all m.glb 160x100
names/noapply m.glb 160x100
names/loose m.glb 160x100
names/zup m.glb 160x100
names/active m.glb 160x100
script s_pal
pal/src models/p.gltf 160x80
script s_shadow
shadow/src m.glb 160x100
shadow/mm m.glb 160x100
script s_prop prop/src/m.glb cam
prop/src m.glb 160x100
script s_prop2 prop2/src/m.glb cam
prop2/src m.glb 160x100
script s_anim skin
anim/skin m.glb 160x100
script s_anim skinscale
anim/skinscale m.glb 160x100
script s_anim obj
anim/obj m.glb 160x100
script s_anim morph
anim/morph m.glb 160x100
anim/morph19 m.glb 160x100
script s_anim long
anim/long m.glb 160x100
script s_anim two
anim/two m.glb 160x100
script s_anim cubic
anim/step m.glb 160x100
anim/step_sampled m.glb 160x100
script s_big 5000
big/s5000/assets levels/town.glb 160x100
script s_big 5000u
big/u5000/assets models/rocks.glb 160x100
END
)
# Of the scripts: what is not compared, and why.
left_out=$(
    cat <<'END'
s_shadow, src2: the shadows of lamps are expected to change
s_big 200: Blender needs two minutes
END
)

. tests/sweeps/blender_common.sh

[ -d "$scripts" ] || skip_all "there is no folder $scripts"
command -v blender >/dev/null || skip_all "blender is not installed"
mkdir -p "$build"
work=$(cd "$build" && pwd)/blender
rm -rf "$work"
mkdir -p "$work/home" "$work/bin" "$work/exported/axes" "$work/exported/startup/src"

# Blender without the settings of the user, and with the programs of Debian; ImageMagick is left out, because only one
# script makes more pictures with it.
printf '#!/bin/sh\nexit 1\n' >"$work/bin/convert"
chmod +x "$work/bin/convert"
blender_run() {
    (cd "$work/exported" && HOME=$work/home XDG_CONFIG_HOME=$work/home PATH=$work/bin:/usr/bin:/bin WORK=$work/exported \
        timeout 120 "$(command -v blender)" -b --factory-startup --python-exit-code 9 "$@") </dev/null
}

version=$(blender_run --version 2>/dev/null | sed -nE '1s/^(Blender [0-9]+\.[0-9]+).*/\1/p')
[ -n "${GOLDEN-}" ] || [ "$version" = "$(head -n 1 "$golden")" ] ||
    skip_all "this is $version, and $golden is of $(head -n 1 "$golden")"
blender_run --python-expr 'import numpy, PIL' >"$work/log" 2>&1 || skip_all "Blender finds no python3-numpy and python3-pil"

# The scripts write beside themselves. Cycles takes long: without it.
cp -r "$scripts" "$work/scripts"
chmod -R u+w "$work/scripts"
sed -i -e 's/bpy\.ops\.render\.render([^)]*)/None/' "$work"/scripts/*.py

# model_draw FILE FOLDER SIZE: compiled alone, with the files beside it; writes code, log, info and lit.png
model_draw() {
    timeout 60 "$build/entc" build "$2/src" -o "$2/out" >"$2/log" 2>&1 </dev/null
    echo $? >"$2/code"
    [ "$(cat "$2/code")" -eq 0 ] || return 0
    timeout 60 "$build/entc" info --json "$2/out" >"$2/info" || return 1
    [ "$3" != 0 ] || return 0
    view_draw "$1" "$2" "$3" lit
}

# view_draw FILE FOLDER SIZE VIEW
view_draw() {
    timeout 120 "$build/entrun" "$2/out" --level "${1%.*}" --size "$3" --view "$4" --png "$2/$4.png" >"$2/$4.txt" 2>&1 ||
        { cat "$2/$4.txt" && return 1; }
}

# light_check FILE FOLDER SIZE: of a model with lights, the brightness of the surfaces that they reach
light_check() {
    if grep -q '"name": "light"' "$2/info"; then
        view_draw "$1" "$2" "$3" depth && python3 $oracle light "$2/lit.png" "$2/depth.png"
    else
        echo "no lights"
    fi
}

# model_line NAME FOLDER SIZE
model_line() {
    lit=$2/lit.png
    [ -e "$lit" ] || lit=
    # shellcheck disable=SC2086 # no argument without a picture
    python3 $oracle line "$1" "$(cat "$2/code")" "$2/log" "$2/info" $lit
}

# model_check ROOT FILE SIZE BRIGHT
model_check() {
    place=$work/$(echo "$1/$2" | tr '/.' '__')
    mkdir -p "$place"
    cp -r "$work/exported/$1" "$place/src" &&
        find "$place/src" \( -name '*.glb' -o -name '*.gltf' \) -exec rm {} + &&
        cp "$work/exported/$1/$2" "$place/src/$2" && model_draw "$2" "$place" "$3" &&
        model_line "$1/$2" "$place" "$3" >"$place/reported" || return 1
    cat "$place/reported" >>"$work/golden"
    code=0
    if [ -z "${GOLDEN-}" ]; then
        awk -v name="$1/$2" '$1 == name' "$golden" >"$place/expected"
        python3 $oracle compare "$place/expected" "$place/reported" || code=1
    fi
    [ "$3" = 0 ] || [ ! -e "$place/lit.png" ] || [ -n "$4" ] || light_check "$2" "$place" "$3" || code=1
    return $code
}

# flat_check: a model whose normal maps are removed does not have the line of the model itself
flat_check() {
    self=$work/flat
    mkdir -p "$self/src"
    python3 $oracle flat "$work/exported/mb/src/m.glb" "$self/src/m.glb" &&
        model_draw m.glb "$self" 160x59 && model_line mb/src/m.glb "$self" 160x59 >"$self/reported" || return 1
    ! python3 $oracle compare "$work/mb_src_m_glb/reported" "$self/reported" >"$self/differences" &&
        grep 'the mean of column' "$self/differences"
}

# palette_check: the colours of a texture are those of its picture, whatever the light
palette_check() {
    place=$work/pal_src_models_p_gltf
    view_draw models/p.gltf "$place" 800x400 albedo &&
        python3 $oracle palette "$place/albedo.png" "$place/src/models/textures/palette.png"
}

# skip REASON: one test
skip() {
    echo "skipped  $1"
    skipped=$((skipped + 1))
}

echo "$version" >"$work/golden"
printf '%s\n' "$models" >"$work/models"
printf '%s\n' "$left_out" >"$work/left_out"
count "the comparison finds differences" python3 $oracle self
ran=true
while read -r root file size bright; do
    if [ "$root" = script ]; then
        ran=true
        # shellcheck disable=SC2086 # the arguments of the script
        blender_run --python-expr 'import random; random.seed(1)' -P "$work/scripts/$file.py" -- $size $bright >"$work/script" 2>&1 || {
            ran=false
            skip "$file: $(grep -vE '^[[:space:]]*$|^Blender quit' "$work/script" | grep Error: | tail -n 1)"
        }
    elif $ran; then
        count "$root/$file" model_check "$root" "$file" "$size" "$bright"
        [ "$root" != pal/src ] || count "colours of a palette" palette_check
        [ "$root" != mb/src ] || count "a model without its normal maps differs" flat_check
    fi
done <"$work/models"
while read -r reason; do skip "$reason"; done <"$work/left_out"

[ -z "${GOLDEN-}" ] || cp "$work/golden" "$golden"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
