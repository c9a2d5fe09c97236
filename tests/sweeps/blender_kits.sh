#!/bin/sh
# Kits of props and levels of empties that Blender exports: where each mesh of each prefab and level is, is compared with
# Blender's matrices (kit_oracle.py), and diagnostics, counts and brightness of pictures with a list (picture_oracle.py).
#   tests/sweeps/blender_kits.sh BUILD GOLDEN
# GOLDEN: a line for each level below the version of Blender that the list is of (GOLDEN=1 writes it: look at the pictures in
# build/*/blender_kits before). `make deps-blender` installs Blender.
set -u
build=$1
golden=$2
script=$PWD/tests/sweeps/blender_kits.py
. tests/sweeps/blender_common.sh
blender_open kits

# A turn of a prop in a level is found.
kits_differ() {
    cp -r "$work" "$work.moved" || return 1
    python3 - "$work/wanted.json" "$work.moved/wanted.json" <<'END' || return 1
import json, sys
wanted = json.load(open(sys.argv[1], encoding="utf-8"))
wanted["levels/town.level"][3][1][0][3] += 0.01
json.dump(wanted, open(sys.argv[2], "w", encoding="utf-8"))
END
    ! python3 tests/oracles/kit_oracle.py check "$work.moved" || return 1
    rm -r "$work.moved"
    echo "a mesh that is 1 cm away is found"
}

vectors_check() {
    "$build/entc" dump "$work/out/levels/wind.level" | grep -E '^    (velocity|half_extent_m|gravity_m_s2|color|velocity_m_s): ' >"$work/found"
    printf '    %s\n' 'half_extent_m: 1 1 1' 'gravity_m_s2: 0 -3.5 0' 'color: 0.25 0.5 0.75' 'velocity: 1 3 -2' \
        'half_extent_m: 1 3 2' 'velocity_m_s: 0 5 0' | sort >"$work/expected"
    sort "$work/found" | diff - "$work/expected" && echo "6 vectors"
}

count "Blender exports the kits" blender_run -P "$script" -- "$work"
count "kits, places" places_check
count "kits, the comparison finds differences" kits_differ
count "kits, vectors in properties" vectors_check
count "kits, picture of a level" picture_check town
count "kits, picture of a mirrored level" picture_check mirror
count "kits, picture of glass" picture_check glass
blender_close
