#!/bin/sh
# Kits and levels that Blender writes with the add-on of entc: installed, opened, set, saved, built, and the blobs read. Where each mesh
# is, is compared with Blender's matrices (kit_oracle.py); a level, with the same in JSON by `entc diff`; and the steps of
# the tutorial are done in Blender.
#   tests/sweeps/blender_addon.sh BUILD GOLDEN
# GOLDEN: as of blender_kits.sh (GOLDEN=1 writes it: look at the pictures in build/*/blender_addon before).
set -u
build=$(cd "$1" && pwd)
golden=$2
. tests/sweeps/blender_common.sh
blender_open addon

phase() {
    blender_run -P tests/sweeps/blender_addon.py -- "$1" "$work" "$build/entc" >"$work/said" 2>&1 || { cat "$work/said" && return 1; }
    grep ' checks$' "$work/said"
}

# The source folder with yard.level.json in the place of what the add-on has written.
hand_write() {
    cp -r "$work/src" "$work/hand"
    rm "$work/hand/levels"/yard.*
    cat >"$work/hand/levels/yard.level.json" <<'HAND'
{ "entities": [
  { "name": "Crate 1", "prefab": "models/kit/old_crate",
    "components": { "transform": { "position": [1, 0, -2] }, "point_mass": { "mass": 7 } } },
  { "name": "Crate 2", "prefab": "models/kit/old_crate",
    "components": { "transform": { "position": [1, 1, -2], "rotation": [0, 1, 0, 0] }, "point_mass": { "velocity": [1, 3, -2] } } },
  { "name": "Lamp 1", "group": "night", "prefab": "models/kit/lamp",
    "components": { "transform": { "position": [4, 0, 1], "rotation": [0, 1, 0, 0], "scale": [2, 2, 2] } } },
  { "name": "Yard", "components": { "transform": { "position": [0, 0, -4] } }, "children": [
    { "name": "Way in", "prefab": "models/kit/gate", "components": { "transform": { "position": [0, 0, 2] } } } ] },
  { "name": "Torch", "components": {
    "transform": { "position": [0, 3, 0] },
    "light": { "kind": "spot", "color": [1, 0.5, 0.25], "range_m": 25, "casts_shadow": true },
    "camera": { "target": "Yard/Way in" },
    "health": { "points": 9, "sight": [0, 0, -1], "guard": "Crate 1/Body" } } } ] }
HAND
}

# The other level has a heavier crate, and looks elsewhere: both are found.
hand_compare() {
    hand_write
    "$build/entc" build "$work/hand" -o "$work/same" -q || return 1
    "$build/entc" diff "$work/out/levels/yard.level" "$work/same/levels/yard.level" || return 1
    sed -i 's/"mass": 7/"mass": 8/; s|Yard/Way in|Crate 1|' "$work/hand/levels/yard.level.json"
    "$build/entc" build "$work/hand" -o "$work/same" -q || return 1
    "$build/entc" diff "$work/out/levels/yard.level" "$work/same/levels/yard.level" >"$work/differences" && return 1
    cat "$work/differences"
    [ "$(grep -c '^~' "$work/differences")" = 2 ]
}

# An instance that is animated plays its own animation, and that of its prefab.
lift_check() {
    "$build/entc" dump "$work/out/levels/town.level" | sed -n '/ Lift/,/^$/s/^    clip: //p; / Watch/,/^$/s/^    target: //p' >"$work/lift"
    diff - "$work/lift" <<'END' && echo "two clips"
levels/town/liftaction.clip
models/kit/dooraction.clip
Lift/Lift (25)
END
}

# Frames 7, 13 and 25 of 24 a second.
events_check() {
    "$build/entc" dump "$work/out/models/kit/dooraction.clip" | sed -n 's/^clip_event //p' >"$work/events"
    cat "$work/events"
    [ "$(sed 's/,.*//' "$work/events")" = "0: time_s 0.29166666
1: time_s 0.5416667
2: time_s 1.0416666" ] && grep -qa 'creak' "$work/out/models/kit/dooraction.clip" && grep -qa 'open' "$work/out/models/kit/dooraction.clip"
}

references_check() {
    for name in chests/chest_0 chests/chest_1 chest pair; do
        "$build/entc" dump "$work/out/models/$name.entity" | sed -n "s|^    target: |$name |p"
    done >"$work/targets"
    diff - "$work/targets" <<'END' && echo "5 references"
chests/chest_0 #0/Lid\x200 (1)
chests/chest_1 #0/Lid\x201 (1)
chest #0/Chest\x200/Lid\x200 (2)
pair #0/Chest\x200/Lid\x200 (2)
pair #0/Chest\x201/Lid\x201 (5)
END
}

count "the add-on is installed, and removed" phase install
count "a kit of collections" phase kit
count "references in kits of objects and in prefabs" phase others
count "levels of instances of its collections" phase level
count "levels of the add-on, places" places_check
count "a level of the add-on is the same level in JSON" hand_compare
count "pose markers are events" events_check
count "animations of an instance and of its prefab" lift_check
count "references lead to the objects" references_check
count "levels of the add-on, picture" picture_check town
count "diagnostics select objects" phase mistakes
count "the ten steps of the tutorial" phase tutorial
count "files, scenes and modes" phase traps
count "what no level has" phase hostile
blender_close
