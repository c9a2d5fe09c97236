#!/bin/sh
# Scenes with animated objects that Blender exports: where libent puts each object at each frame is compared with Blender's
# matrices (pose_oracle.py), and diagnostics, counts and brightness of their pictures with a list (picture_oracle.py).
#   tests/sweeps/blender_scenes.sh BUILD GOLDEN
# GOLDEN: two lines for each scene, NAME@FRAMES after so many frames of entrun, below the version of Blender that the list is
# of (GOLDEN=1 writes it: look at the pictures in build/*/blender_scenes before). `make deps-blender` installs Blender.
set -u
build=$1
golden=$2
script=$PWD/tests/sweeps/blender_scenes.py
scenes="five door mirrored cameras drivers shapes lods sockets"

. tests/sweeps/blender_common.sh
blender_open scenes

# scene_compile NAME: writes code, log and info
scene_compile() {
    mkdir "$work/$1/src" && cp "$work/$1/$1.glb" "$work/$1/src" || return 1
    timeout 60 "$build/entc" build "$work/$1/src" -o "$work/$1/out" --clip-error 0 >"$work/$1/log" 2>&1 </dev/null
    echo $? >"$work/$1/code"
    timeout 60 "$build/entc" info --json "$work/$1/out" >"$work/$1/info"
}

# poses_check NAME
poses_check() {
    scene_compile "$1" || { cat "$work/$1/log" && return 1; }
    # shellcheck disable=SC2046 # one argument for each time
    LSAN_OPTIONS=detect_leaks=0 timeout 60 "$build/tool_pose" "$work/$1/out" "$1" \
        $(python3 tests/oracles/pose_oracle.py times "$work/$1/poses.json") >"$work/$1/found" &&
        python3 tests/oracles/pose_oracle.py compare "$work/$1/poses.json" "$work/$1/found"
}

# picture_check NAME FRAMES: 0 frames are the level as it was spawned
picture_check() {
    place=$work/$1
    frames=
    [ "$2" -eq 0 ] || frames="--frames $2"
    # shellcheck disable=SC2086 # no argument, or two
    timeout 120 "$build/entrun" "$place/out" --level "$1" --size 160x90 $frames --png "$place/$2.png" >"$place/$2.txt" 2>&1 ||
        { cat "$place/$2.txt" && return 1; }
    python3 tests/oracles/picture_oracle.py line "$1@$2" "$(cat "$place/code")" "$place/log" "$place/info" "$place/$2.png" \
        >"$place/reported" || return 1
    cat "$place/reported" >>"$work/golden"
    [ -z "${GOLDEN-}" ] || return 0
    awk -v name="$1@$2" '$1 == name' "$golden" >"$place/expected"
    python3 tests/oracles/picture_oracle.py compare "$place/expected" "$place/reported"
}

# pictures_check NAME: the pictures of two times, which differ
pictures_check() {
    picture_check "$1" 0 && picture_check "$1" 45 || return 1
    ! cmp -s "$work/$1/0.png" "$work/$1/45.png" || { echo "nothing has moved" && return 1; }
    echo "of 0 and 45 frames"
}

count "the comparison of poses finds differences" python3 tests/oracles/pose_oracle.py self
count "Blender exports the scenes" blender_run -P "$script" -- "$work"
for scene in $scenes; do
    count "scene $scene, poses" poses_check "$scene"
    count "scene $scene, pictures" pictures_check "$scene"
done

blender_close
