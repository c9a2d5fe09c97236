#!/bin/bash
# Checks what tests do not: modules, headers, names, format, warnings, symbols, length, scripts.
#
#   tests/check.sh [FILTER]     from the root of the repository; FILTER: part of a check's name
#   CHECK_GCC=build/release     a folder in which gcc has built the tree with -Werror, instead of a new one
#
# One line per check, its errors indented below it, and the tally.
set -euo pipefail

filter=${1:-}
work=build/check
folders=()
for folder in formats compiler runtime shaders; do
    if [ -d "$folder" ]; then folders+=("$folder"); fi
done
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Werror)
passed=0
failed=0
skipped=0
declare -A build=([gcc]=${CHECK_GCC:-$work-gcc} [clang]=$work-clang)
# clang has the same warnings at each level of optimization, gcc has not.
declare -A flags=([gcc]=-Werror [clang]="-Werror -O0")
mkdir -p "$work"

jobs=(-j2)
case ${MAKEFLAGS:-} in *jobserver*) jobs=() ;; esac

# check NAME COMMAND...: passes with exit code 0, is skipped with 77
check() {
    local name=$1 code=0
    shift
    case $name in *"$filter"*) ;; *) return 0 ;; esac
    "$@" >"$work/log" 2>&1 || code=$?
    case $code in
    0) passed=$((passed + 1)) && echo "ok       $name" ;;
    77) skipped=$((skipped + 1)) && echo "skipped  $name: $(cat "$work/log")" ;;
    *) failed=$((failed + 1)) && echo "FAILED   $name" && sed -n '1,60s/^/    /p' "$work/log" ;;
    esac
}

# grep that succeeds without a match; and a command that succeeds only without input, and prints any input.
lines() { grep "$@" || [ $? -eq 1 ]; }
nothing() { ! grep .; }

needs() {
    command -v "$1" >/dev/null && return 0
    echo "$1 is not installed"
    return 77
}

# built COMPILER TARGET...
built() {
    local compiler=$1
    shift
    ${MAKE:-make} --no-print-directory -s -k "${jobs[@]}" config=release CC="$compiler" BUILD="${build[$compiler]}" CFLAGS="${flags[$compiler]}" "$@"
}

variable() { ${MAKE:-make} --no-print-directory -s "print-$1"; }
public_headers() { variable HEADERS | sort; }
# Of the GPU systems: those that declare exported functions.
gpu_headers() { variable HEADERS_gpu | sort; }

sources() { find "${folders[@]}" tests -type f \( -name '*.c' -o -name '*.h' \) | sort; }

# Include lines of the files named on stdin: PATH:include "NAME"
includes() {
    xargs grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<][^">]*[">]' |
        sed 's/:[[:space:]]*#[[:space:]]*include[[:space:]]*/:include /'
}

# included FILES FORBIDDEN: files whose path does not match FILES include nothing that matches
included() { sources | lines -vE "$1" | includes | lines -iE ":include $2" | nothing; }

# --- layering ---

no_paths() { included '^$' '"[^"]*/'; }
cjson_in_compiler() { included '^(compiler|tests)/' '["<].*cjson'; }
vulkan_in_gpu() { included '^runtime/(gpu|app/examples)/' '["<].*(vulkan|volk)'; }
system='<(unistd|fcntl|dirent|pthread|sched|dlfcn|link|poll|signal|spawn|termios|time|windows|sys/[a-z_]*|linux/[a-z_]*)\.h>'
posix_in_platform() { included '^(formats/platform|tests|runtime/app/examples)/' "$system"; }
# Names that ISO C does not have; a line of a comment may contain them.
foreign='\b(_GNU_SOURCE|fopencookie|memmem|open_memstream|strnlen|dlopen|dlsym|dlclose|E(NOENT|EXIST|NOTDIR|ACCES|PERM|ROFS|LOOP|NAMETOOLONG|ISDIR|INVAL|INTR|AGAIN|NOSPC|DQUOT|NOMEM|IO|BADF|XDEV|NOTEMPTY|BUSY|PIPE))\b'
iso_outside_platform() {
    find "${folders[@]}" -name '*.[ch]' -not -path 'formats/platform/*' -not -path 'runtime/app/examples/*' -exec grep -nE "$foreign" {} + |
        lines -vE ':[0-9]+: \*' | nothing
}
system_in_headers() {
    installed_headers | includes |
        lines -E "$system" | nothing
}
# Public headers include only public headers and standard ones.
public_sees_public() {
    local header name fault=0
    installed_headers | sed 's,.*/,,' >"$work/public"
    while read -r header; do
        while read -r name; do
            grep -qxF "$name" "$work/public" || { echo "$header includes \"$name\"" && fault=1; }
        done < <(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$header")
    done < <(installed_headers)
    return $fault
}

# --- each public header alone, as a host includes it ---

# What a host gets: made from the headers of this tree and from the field tables.
installed_headers() { find "${build[gcc]}/include/ent" -name '*.h' | sort; }
copy_headers() {
    rm -rf "${build[gcc]}/include" # nothing of an earlier layout
    built gcc headers
    rm -rf "$work/include"
    mkdir -p "$work/include/ent"
    installed_headers | xargs cp -t "$work/include/ent"
}

# headers_alone SUFFIX COMPILER...: every header, twice, as the only line of a file
headers_alone() {
    local suffix=$1 header name fault=0
    shift
    needs "$1" || return
    while read -r header; do
        name=$(basename "$header")
        printf '#include <ent/%s>\n#include <ent/%s>\n' "$name" "$name" >"$work/alone.$suffix"
        "$@" "${warnings[@]}" "-I$work/include" -fsyntax-only "$work/alone.$suffix" || fault=1
    done < <(installed_headers)
    return $fault
}

# --- names ---

unique_names() {
    find "${folders[@]}" tests -type f \( -name '*.[ch]' -o -name '*.glsl' -o -name '*.comp' -o -name '*.vert' -o -name '*.frag' \) |
        awk -F/ '{ if ($NF in seen) print $0 " and " seen[$NF]; seen[$NF] = $0 }' | nothing
}

# The tests of all suites, each with its file: the functions that TEST_SUITE lists, and the cases. Suites that
# fail on purpose (test_tally.c) have no TEST_SUITE. A test function that is not listed does not compile.
test_names() {
    awk '/^TEST_SUITE\(/ { suite = 1 }
        suite { text = text $0 }
        /^}/ {
            gsub(/[[:space:]]/, "", text)
            while (match(text, /cmocka_unit_test[a-z_]*\([A-Za-z0-9_]+/)) {
                name = substr(text, RSTART, RLENGTH)
                sub(/.*\(/, "", name)
                print name "\t" FILENAME
                text = substr(text, RSTART + RLENGTH)
            }
            suite = 0
            text = ""
        }' tests/unit/*/*.c
    awk '/^=== / { print substr($0, 5) "\t" FILENAME }' tests/cases/*.txt
}
# Each name is used once, and states subject, condition and result in at most 70 characters.
unique_test_names() {
    test_names >"$work/tests"
    if ! grep -q 'tests/unit' "$work/tests" || ! grep -q 'tests/cases' "$work/tests"; then
        echo "no test was found"
        return 1
    fi
    awk -F '\t' '$1 in seen { print $2 ": " $1 " is also in " seen[$1] }
        { seen[$1] = $2 }
        length($1) > 70 { print $2 ": " $1 " has " length($1) " characters" }
        $2 ~ /^tests.unit/ && split($1, words, "_") < 3 { print $2 ": " $1 " has fewer than three words" }' \
        "$work/tests" | nothing
}

# --- form ---

formatted() {
    needs clang-format || return
    local file
    git ls-files -- '*.c' '*.h' >"$work/tracked" 2>/dev/null || sources >"$work/tracked"
    # Deleted files that are not yet committed cannot be read.
    while read -r file; do [ ! -f "$file" ] || echo "$file"; done <"$work/tracked" |
        xargs clang-format --dry-run -Werror
}

formatted_examples() {
    needs clang-format || return
    python3 tests/oracles/headers.py format "$work/include/ent" "$work/examples" | nothing
}

# Functions of more than 70 lines, except these.
long_allowed="^()$"
short_functions() {
    needs ctags || return
    if ! ctags --version | grep -q 'Universal Ctags'; then
        echo "ctags is not Universal Ctags, which knows where functions end"
        return 77
    fi
    sources | xargs ctags --languages=C --langmap=C:.c.h --kinds-C=f --fields=+ne -f - |
        sed -n 's/^\([^\t]*\)\t\([^\t]*\)\t.*\tline:\([0-9]*\).*\tend:\([0-9]*\).*/\1 \2 \3 \4/p' >"$work/functions"
    if [ ! -s "$work/functions" ]; then
        echo "no function was found"
        return 1
    fi
    awk -v allowed="$long_allowed" '$4 - $3 + 1 > 70 && $1 !~ allowed {
        printf "%s:%d: %s() has %d lines\n", $2, $3, $1, $4 - $3 + 1 }' "$work/functions" | nothing
}

# Structs of runtime/gpu with more than 25 members.
small_structs() {
    needs ctags || return
    sources | grep '^runtime/gpu/' | xargs ctags --languages=C --langmap=C:.c.h --kinds-C=m --fields=+s -f - |
        sed -n 's/.*\tstruct:\([A-Za-z]*\).*/\1/p' | sort | uniq -c >"$work/structs"
    if [ ! -s "$work/structs" ]; then
        echo "no struct was found"
        return 1
    fi
    awk '$1 > 25 {
        printf "the struct %s has %d members\n", $2, $1 }' "$work/structs" | nothing
}

scripts() {
    needs shellcheck || return
    find .ci tests -type f \( -name '*.sh' -o -path '.ci/*' \) | sort | xargs shellcheck
}

# --- the whole tree, by both compilers ---

full_tree() {
    needs "$1" || return
    local objects
    objects=$(find tests -name '*.c' -not -path 'tests/editors/*' | sed "s,\(.*\)\.c$,${build[$1]}/\1.o,")
    # shellcheck disable=SC2086 # one word per object
    built "$1" all $objects
}

# --- exported symbols ---

# declared HEADERS: the exported names, by the headers that a function lists
declared() {
    "$1" | xargs cat | tr '\n' ' ' | grep -oE 'ENT_API [^;(]*\(' |
        sed -n 's/.*[ *]\(ent_[a-z0-9_]*\)($/\1/p' | sort -u
}

# symbols HEADERS LIBRARY NM...: the defined symbols are exactly those that the headers declare
symbols() {
    local headers=$1 library=$2
    shift 2
    built gcc "$library" || return
    declared "$headers" >"$work/declared"
    "$@" "$library" | awk 'NF == 3 { print $3 }' | sort -u >"$work/defined"
    if [ ! -s "$work/declared" ] || [ ! -s "$work/defined" ]; then
        echo "no symbols were found"
        return 1
    fi
    {
        lines -v '^ent_' "$work/defined" | sed 's/$/ is exported and has no ent_/'
        comm -13 "$work/declared" "$work/defined" | lines '^ent_' | sed 's/$/ is exported, but no public header declares it/'
        comm -23 "$work/declared" "$work/defined" | sed 's/$/ is declared ENT_API, but not exported/'
    } | nothing
}

# --- records are also valid GLSL ---

records_are_glsl() {
    needs glslc || return
    local header record fault=0
    # No kernel reads the records of the container itself.
    grep -lE '^RECORD\(' formats/components/*.h | grep -v /container.h >"$work/records"
    while read -r header; do
        {
            printf '#version 460\n#extension GL_GOOGLE_include_directive : require\n'
            printf '#extension GL_EXT_scalar_block_layout : require\n'
            printf 'layout(local_size_x = 1) in;\n#include "%s"\n' "${header##*/}"
            sed -n 's/^RECORD(\([A-Za-z0-9]*\),.*/\1/p' "$header" | while read -r record; do
                printf 'layout(scalar, set = 0, binding = 0) buffer B%s { %s b_%s[]; };\n' "$record" "$record" "$record"
            done
            printf 'void main() {}\n'
        } >"$work/record.comp"
        glslc --target-env=vulkan1.2 -Werror -Iformats/components -Iformats/base "$work/record.comp" -o "$work/record.spv" ||
            { echo "$header is not legal GLSL" && fault=1; }
    done <"$work/records"
    return $fault
}

check "includes in quotes have no path" no_paths
check "cJSON is seen by the compiler alone" cjson_in_compiler
check "Vulkan is seen by runtime/gpu alone" vulkan_in_gpu
check "the operating system is seen by formats/platform alone" posix_in_platform
check "formats/platform alone uses what ISO C does not have" iso_outside_platform
copy_headers
check "public headers include no system headers" system_in_headers
check "public headers include public headers only" public_sees_public
check "public headers alone, gcc, C11" headers_alone c gcc -std=c11
check "public headers alone, clang, C11" headers_alone c clang -std=c11
check "public headers alone, g++, C++17" headers_alone cc g++ -std=c++17
check "public headers alone, clang++, C++17" headers_alone cc clang++ -std=c++17
check "no two files have one name" unique_names
check "test names are unique" unique_test_names
check "clang-format has nothing to change" formatted
check "examples in public headers are formatted" formatted_examples
check "no function has more than 70 lines" short_functions
check "no struct of runtime/gpu has more than 25 members" small_structs
check "shellcheck has nothing to say" scripts
check "records are legal GLSL" records_are_glsl
check "all files without warnings, gcc" full_tree gcc
check "all files without warnings, clang" full_tree clang
interface_is_recorded() {
    needs ctags || return
    built gcc all || return
    python3 tests/abi.py "${build[gcc]}"
}
check "the binary interface is as recorded" interface_is_recorded
check "arrays of a fixed size are written below a bound" python3 tests/arrays.py
check "names contain no word of tests/words.py" python3 tests/words.py
check "modules use what the Makefile allows" python3 tests/modules.py "${build[gcc]}"
check "libent.so exports what the headers declare" symbols public_headers "${build[gcc]}/libent.so" nm -D --defined-only
check "libent.a exports what the headers declare" symbols public_headers "${build[gcc]}/libent.a" nm -g --defined-only
check "libent_gpu.a exports what the headers declare" symbols gpu_headers "${build[gcc]}/libent_gpu.a" nm -g --defined-only
compare_is_not_linked() {
    built gcc all || return
    names=$(sed -n 's/^extern const [A-Za-z]* \([a-z_]*\);.*/\1/p' runtime/gpu/compare/*.h)
    [ "$(echo "$names" | wc -w)" -gt 5 ] || return
    ! for file in libent_gpu.a libent.a entrun entc; do nm "${build[gcc]}/$file"; done | sed 's/.* //' | grep -Fx "$names"
}
check "algorithms that are only compared with are not linked" compare_is_not_linked

if [ "$skipped" -gt 0 ]; then echo "$skipped skipped"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
