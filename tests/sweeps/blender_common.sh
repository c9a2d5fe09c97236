# shellcheck shell=sh disable=SC2154
# Shared by the scripts that compare what Blender exports: blender.sh, blender_scenes.sh, blender_kits.sh, blender_addon.sh. To be sourced; sets
# passed and failed. blender_open and blender_close need $build and $golden.
passed=0
failed=0

# skip_all REASON: ends the run
skip_all() {
    echo "skipped  $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

# blender_open NAME: sets $work, an empty folder of this name, and $version, or ends the run
blender_open() {
    command -v blender >/dev/null || skip_all "$1 of Blender: blender is not installed"
    mkdir -p "$build"
    work=$(cd "$build" && pwd)/blender_$1
    rm -rf "$work"
    mkdir -p "$work/home"
    version=$(blender_run --version 2>/dev/null | sed -nE '1s/^(Blender [0-9]+\.[0-9]+).*/\1/p')
    [ -n "${GOLDEN-}" ] || [ "$version" = "$(head -n 1 "$golden")" ] ||
        skip_all "$1 of Blender: this is $version, and $golden is of $(head -n 1 "$golden")"
    blender_run --python-expr 'import numpy' >"$work/log" 2>&1 || skip_all "$1 of Blender: Blender finds no python3-numpy"
    echo "$version" >"$work/golden"
}

# Blender without the settings of the user, and with the programs of Debian
blender_run() {
    HOME=$work/home XDG_CONFIG_HOME=$work/home PATH=/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 timeout 120 \
        "$(command -v blender)" -b --factory-startup --python-exit-code 9 "$@" </dev/null
}

# count NAME COMMAND...: one test
count() {
    name_of_test=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "ok      $name_of_test: $(tail -n 1 "$work/log")"
        passed=$((passed + 1))
    else
        echo "FAILED  $name_of_test"
        tail -n 20 "$work/log" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
}

# Builds $work/src, and compares where meshes are with $work/wanted.json.
places_check() {
    timeout 60 "$build/entc" build "$work/src" -o "$work/out" >"$work/messages" 2>&1 </dev/null
    echo $? >"$work/code"
    "$build/entc" verify "$work/out" >"$work/verified" || { cat "$work/messages" && return 1; }
    python3 tests/oracles/kit_oracle.py check "$work"
}

# picture_check LEVEL: its picture and its numbers beside the line of $golden; $work/code and $work/messages are those of the build
picture_check() {
    timeout 120 "$build/entrun" "$work/out" --level "levels/$1" --size 160x90 --png "$work/$1.png" >"$work/$1.txt" 2>&1 ||
        { cat "$work/$1.txt" && return 1; }
    "$build/entc" info --json "$work/out/levels/$1.level" >"$work/info"
    python3 tests/oracles/picture_oracle.py line "$1" "$(cat "$work/code")" "$work/messages" "$work/info" "$work/$1.png" \
        >"$work/reported" || return 1
    cat "$work/reported" >>"$work/golden"
    [ -z "${GOLDEN-}" ] || return 0
    awk -v name="$1" '$1 == name' "$golden" >"$work/expected"
    python3 tests/oracles/picture_oracle.py compare "$work/expected" "$work/reported"
}

# blender_close: with GOLDEN=1 the list is written
blender_close() {
    [ -z "${GOLDEN-}" ] || [ "$failed" -ne 0 ] || cp "$work/golden" "$golden"
    echo "$passed passed, $failed failed, 0 skipped"
    [ "$failed" -eq 0 ]
}
