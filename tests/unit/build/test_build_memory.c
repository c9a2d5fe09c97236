/* test_build_memory.c - the memory of a build does not grow with the number of its models and outputs, and neither
 * --memory nor giving up sources changes a byte; what a build with errors, or a killed one, leaves. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

/* models.py FOLDER COUNT SIDE [KEY=VALUE]: models with a PNG file of noise inside, which no compressor makes smaller,
 * and files of the type data. */
#define MODELS_PY                                                                                  \
    "cat >models.py <<'END'\n"                                                                     \
    "import json, os, random, struct, sys, zlib\n"                                                 \
    "out, count, side = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])\n"                         \
    "settings = dict(word.split('=') for word in sys.argv[4:])\n"                                  \
    "os.makedirs(out + '/models', exist_ok=True)\n"                                                \
    "os.makedirs(out + '/raw', exist_ok=True)\n"                                                   \
    "def chunk(kind, data):\n"                                                                     \
    "    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', "                   \
    "zlib.crc32(kind + data))\n"                                                                   \
    "def picture(seed):\n"                                                                         \
    "    rng, rows = random.Random(seed), bytearray()\n"                                           \
    "    for y in range(side): rows += b'\\0' + rng.randbytes(side * 3)\n"                         \
    "    return (b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', side, side, "  \
    "8, 2, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(bytes(rows), 0)) + chunk(b'IEND', b''))\n"     \
    "def view(at, bytes): return {'buffer': 0, 'byteOffset': at, 'byteLength': bytes}\n"           \
    "def accessor(view, kind, count, type, **more):\n"                                             \
    "    return {'bufferView': view, 'componentType': kind, 'count': count, 'type': type, "        \
    "**more}\n"                                                                                    \
    "for n in range(count):\n"                                                                     \
    "    image = picture(n)\n"                                                                     \
    "    data = struct.pack('<9f', 0, 0, 0, 1, 0, 0, 0, 1, n + 1)\n"                               \
    "    data += struct.pack('<6f', 0, 0, 1, 0, 0, 1) + struct.pack('<4H', 0, 1, 2, 0) + image\n"  \
    "    data += bytes(-len(data) %% 4)\n"                                                         \
    "    tree = {'asset': {'version': '2.0'}, 'scene': 0, 'scenes': [{'nodes': [0]}],\n"           \
    "        'nodes': [{'name': 'body', 'mesh': 0}], 'buffers': [{'byteLength': len(data)}],\n"    \
    "        'meshes': [{'name': 'body', 'primitives': [{'attributes': {'POSITION': 0, "           \
    "'TEXCOORD_0': 1}, 'indices': 2, 'material': 0}]}],\n"                                         \
    "        'materials': [{'name': 'skin', 'pbrMetallicRoughness': {'baseColorTexture': "         \
    "{'index': 0}}}],\n"                                                                           \
    "        'textures': [{'source': 0}], 'images': [{'name': 'noise', 'bufferView': 3, "          \
    "'mimeType': 'image/png'}],\n"                                                                 \
    "        'accessors': [accessor(0, 5126, 3, 'VEC3', min=[0, 0, 0], max=[1, 1, n + 1]),\n"      \
    "            accessor(1, 5126, 3, 'VEC2'), accessor(2, 5123, 3, 'SCALAR')],\n"                 \
    "        'bufferViews': [view(0, 36), view(36, 24), view(60, 6), view(68, len(image))]}\n"     \
    "    text = json.dumps(tree).encode()\n"                                                       \
    "    text += b' ' * (-len(text) %% 4)\n"                                                       \
    "    path = '%%s/models/m%%03d' %% (out, n)\n"                                                 \
    "    open(path + '.glb', 'wb').write(struct.pack('<4sII', b'glTF', 2, 28 + len(text) + "       \
    "len(data)) + struct.pack('<I4s', len(text), b'JSON') + text + struct.pack('<I4s', "           \
    "len(data), b'BIN\\0') + data)\n"                                                              \
    "    json.dump({'textures': {'*': {k: int(v) for k, v in settings.items()}}}, open(path + "    \
    "'.model.json', 'w'))\n"                                                                       \
    "    open('%%s/raw/r%%03d.bin' %% (out, n), 'wb').write(image)\n"                              \
    "json.dump({'entities': [{'name': 'm%%d' %% n, 'prefab': 'models/m%%03d' %% n} for n in "      \
    "range(count)]}, open(out + '/all.level.json', 'w'))\n"                                        \
    "json.dump({'data': {'files': ['*.bin']}}, open(out + '/entc.json', 'w'))\n"                   \
    "END\n"

/* peak.py MEGABYTES COMMAND..: fails when the process had more in memory, as the kernel counts it. */
#define PEAK_PY                                                                                    \
    "cat >peak.py <<'END'\n"                                                                       \
    "import resource, subprocess, sys\n"                                                           \
    "subprocess.run(sys.argv[2:], check=True)\n"                                                   \
    "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024\n"                      \
    "print('%%d MiB: %%s' %% (peak, ' '.join(sys.argv[2:])))\n"                                    \
    "sys.exit(peak > int(sys.argv[1]))\n"                                                          \
    "END\n"

/* 300 MB of models, as much raw data, and 300 MB of outputs. */
static void memory_of_build_is_bounded_whatever_the_number_of_models(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("sanitizers need memory of their own");
    char* folder = strdup(test_folder("build_memory_bound"));
    TEST_DONE(folder, MODELS_PY PEAK_PY
              "python3 models.py src 100 1024 largest=32 &&\n"
              "python3 peak.py 120 entc build src -o out -j2 -q --cache cache &&\n"
              "python3 peak.py 120 entc build src -o again -j2 -q --cache cache &&\n"
              "python3 peak.py 120 entc check src -j2 -q && diff -r out again &&\n"
              "touch src/all.level.json && sed -i 's/m99/last/' src/all.level.json &&\n"
              "python3 peak.py 120 entc build src -o out -j2 -q --report report.json &&\n"
              "grep -q '\"memory_bytes\": [1-9]' report.json && rm -r src out again cache");
    free(folder);
}

/* small.py FOLDER COUNT: entities of one component, a hundred in each folder. levels.py FOLDER COUNT ENTITIES */
#define SMALL_PY                                                                                   \
    "cat >small.py <<'END'\n"                                                                      \
    "import os, sys\n"                                                                             \
    "for n in range(int(sys.argv[2])):\n"                                                          \
    "    folder = '%%s/d%%03d' %% (sys.argv[1], n // 100)\n"                                       \
    "    os.makedirs(folder, exist_ok=True)\n"                                                     \
    "    with open('%%s/e%%05d.entity.json' %% (folder, n), 'w') as file:\n"                       \
    "        file.write('{\"components\":{\"light\":{\"range_m\":%%d}}}\\n' %% (n %% 90 + 1))\n"   \
    "END\n"                                                                                        \
    "cat >levels.py <<'END'\n"                                                                     \
    "import json, os, sys\n"                                                                       \
    "os.makedirs(sys.argv[1], exist_ok=True)\n"                                                    \
    "for n in range(int(sys.argv[2])):\n"                                                          \
    "    entities = [{'name': 'e%%d' %% k, 'components': {'transform': {'position': [n, k, "       \
    "0]}}} for k in range(int(sys.argv[3]))]\n"                                                    \
    "    json.dump({'entities': entities}, open('%%s/l%%02d.level.json' %% (sys.argv[1], n), "     \
    "'w'))\n"                                                                                      \
    "END\n"

/* growth.py KIBIBYTES FEW MANY COUNT: fails when a build of MANY has more memory than one of FEW, for each of COUNT
 * more sources. */
#define GROWTH_PY                                                                                  \
    "cat >growth.py <<'END'\n"                                                                     \
    "import re, subprocess, sys\n"                                                                 \
    "def peak(source):\n"                                                                          \
    "    done = subprocess.run(['entc', 'build', source, '-o', source + '_out', '-j1', '-v', "     \
    "'--memory', '4'], capture_output=True, text=True, check=True)\n"                              \
    "    return float(re.search(r'(\\d+) MB of memory', done.stderr)[1]) * 1e6\n"                  \
    "each = (peak(sys.argv[3]) - peak(sys.argv[2])) / int(sys.argv[4]) / 1024\n"                   \
    "print('%%.2f KiB for each source' %% each)\n"                                                 \
    "sys.exit(each > float(sys.argv[1]))\n"                                                        \
    "END\n"

static void memory_of_build_grows_by_less_than_two_kibibytes_for_each_small_source(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("sanitizers need memory of their own");
    char* folder = strdup(test_folder("build_memory_small"));
    TEST_DONE(folder, SMALL_PY GROWTH_PY
              "python3 small.py few 200 && python3 small.py many 20200 && mkdir none &&\n"
              "python3 growth.py 2 few many 20000 && ! python3 growth.py -1 none few 200 && "
              "rm -r few* many*");
    free(folder);
}

/* 40 levels have 4 MB of entities each, in memory. */
static void memory_of_build_does_not_grow_with_the_number_of_levels(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("sanitizers need memory of their own");
    char* folder = strdup(test_folder("build_memory_levels"));
    TEST_DONE(folder, SMALL_PY GROWTH_PY
              "python3 levels.py few 2 20000 && python3 levels.py many 42 20000 &&\n"
              "python3 growth.py 100 few many 40 && rm -r few* many*");
    free(folder);
}

/* The project has prefabs of prefabs that many entities and levels instance, with messages about all of them. */
#define SHARED_PY                                                                                  \
    "cat >shared.py <<'END'\n"                                                                     \
    "import json, os, random, sys\n"                                                               \
    "rng = random.Random(int(sys.argv[1]))\n"                                                      \
    "os.makedirs('src/p', exist_ok=True)\n"                                                        \
    "def put(path, value): open('src/' + path, 'w').write(json.dumps(value, indent=1))\n"          \
    "put('red.material.json', {'base_color': [1, 0, 0]})\n"                                        \
    "for n in range(30):\n"                                                                        \
    "    root = {'components': {'light': {'range_m': n + 1}}}\n"                                   \
    "    if n > 2: root['children'] = [{'name': 'c%%d' %% k, 'prefab': 'p/e%%d' %% "               \
    "rng.randrange(max(0, n - 9), n)} for k in range(2)]\n"                                        \
    "    if n > 12 and int(root['children'][0]['prefab'][3:]) > 7: "                               \
    "root['children'][0]['overrides'] = {'c0': {'components': {'light': {'range_m': 7}}}}\n"       \
    "    if n == 5: root['components']['decal'] = {'material': 'redd'}\n"                          \
    "    if n == 6: root['children'] = [{'name': 'a', 'prefab': 'p/none'}]\n"                      \
    "    if n == 7: root['components']['light']['range_m'] = -1\n"                                 \
    "    if len(sys.argv) > 2 and 5 <= n <= 7: root = {}\n"                                        \
    "    put('p/e%%d.entity.json' %% n, root)\n"                                                   \
    "for n in range(6):\n"                                                                         \
    "    put('l%%d.level.json' %% n, {'entities': [{'name': 'i%%d' %% k, 'prefab': 'p/e%%d' %% "   \
    "rng.randrange(30)} for k in range(9)] + [{'name': 'x', 'prefab': 'p/e3'}]})\n"                \
    "END\n"

static void sources_read_again_give_the_same_bytes_messages_and_references(void** state) {
    char* folder = strdup(test_folder("build_memory_again"));
    UNUSED(state);
    TEST_DONE(folder, SHARED_PY
              "for seed in 1 2 3; do rm -rf src all; python3 shared.py $seed &&\n"
              "{ entc build src -o all -q 2>all.txt; [ $? = 3 ]; } && grep -q redd all.txt &&\n"
              "grep -q 'p/none' all.txt && grep -q range_m all.txt || exit 1\n"
              "for j in 1 2 5; do entc build src -o out -q --memory 4 -j$j 2>out.txt; "
              "[ $? = 3 ] && diff all.txt out.txt || exit 1; done\n"
              "python3 shared.py $seed valid && entc build src -o all -q --source-map && "
              "entc refs src -o all p/e3.entity >all.txt && [ -s all.txt ] || exit 1\n"
              "for j in 1 2 5; do rm -rf out .out.entc; entc build src -o out -q --source-map "
              "--memory 4 -j$j && diff -r all out && entc refs src -o out p/e3.entity >out.txt "
              "&& diff all.txt out.txt || exit 1; done; done");
    free(folder);
}

/* The text of a level is not in memory when its error is printed, and an error that was a warning is no less one when
 * the prefab is read again. */
static void errors_in_sources_read_again_have_their_places_and_severities(void** state) {
    char* folder = strdup(test_folder("build_memory_places"));
    UNUSED(state);
    TEST_DONE(
        folder,
        "mkdir -p src; printf '{\\n \"entities\": [ { \"nme\": \"a\" } ] }\\n' >src/l.level.json\n"
        "entc build src -o out 2>built; [ $? = 3 ] && grep -q 'l.level.json:2:18: error' built "
        "&& entc why src -o out 2>why >out.txt; diff built why || exit 1\n"
        "echo '{\"diagnostics\": {\"W0706\": \"error\"}}' >src/entc.json\n"
        "echo '{\"components\": {\"collider_plane\": {\"normal\": [0, 1, 0]}}}' "
        ">src/p.entity.json\n"
        "for l in l m n; do echo '{\"entities\": [{\"name\": \"a\", \"prefab\": \"p\"}]}' "
        ">src/$l.level.json; done\n"
        "entc build src -o out -k -q --memory 4 2>err; [ $? = 3 ] && grep -q 'W0706' err && "
        "[ -z \"$(find out -name '*.level' -o -name '*.entity')\" ]");
    free(folder);
}

/* Both are compiled from small sources; what exceeds the limit is known only after both are estimated. */
static void refused_compile_of_several_resources_writes_none(void** state) {
    char* folder = strdup(test_folder("build_memory_refused"));
    UNUSED(state);
    EXPECT(folder, 4, "--max-output allows 100",
           "mkdir -p src; for n in a b c d; do echo '{\"components\": {\"light\": {}}}' "
           ">src/$n.entity.json; done\n"
           "entc compile src a.entity b.entity c.entity d.entity -o out --max-output 100");
    TEST_DONE(folder, "[ ! -e out/a.entity ] && [ ! -e out/d.entity ]");
    free(folder);
}

static void bytes_do_not_depend_on_memory(void** state) {
    char* folder = strdup(test_folder("build_memory_bytes"));
    UNUSED(state);
    TEST_DONE(".", "python3 tests/support/make_models.py '%s/src/more'", folder);
    TEST_DONE(".", "python3 tests/support/make_random_models.py '%s/src/random' 1 6", folder);
    TEST_DONE(folder, MODELS_PY
              "python3 models.py src 5 100 &&\n"
              "entc build src -o all -q --source-map --force &&\n"
              "for j in 1 4; do entc build src -o out -q --source-map --memory 1 -j$j "
              "--cache cache$j --report r.json &&\n"
              "diff -r all out && rm -r out && entc build src -o out -q --source-map "
              "--memory 1 -j3 --cache cache$j &&\n"
              "diff -r all out && rm -r out || exit 1; done &&\n"
              "entc build src -o all --check --source-map --memory 1 -j4 &&\n"
              "cp -r all some && rm some/models/m00*/*.mesh some/more/*/*.clip "
              "some/random/*.entity &&\n"
              "entc build src -o some -q --source-map --memory 1 -j8 && diff -r all some &&\n"
              "! find . -name '.entc.*.tmp' | grep .");
    free(folder);
}

/* A small error among large resources: neither a file nor a folder is left, and an older output stays. */
static void build_with_error_leaves_no_temporary_file(void** state) {
    char* folder = strdup(test_folder("build_memory_error"));
    UNUSED(state);
    TEST_DONE(
        folder, MODELS_PY
        "python3 models.py src 4 300 && mkdir empty && entc build src -o out -q &&\n"
        "cp -a out before && echo '{' >src/z.entity.json &&\n"
        "python3 models.py src 4 301 || exit 1\n"
        "for o in new/deep/out empty/a/out out; do entc build src -o $o -q --memory 1 2>err; "
        "[ $? = 3 ] && grep -q 'z.entity.json:2:1: error' err || exit 1; done\n"
        "[ ! -e new ] && [ -d empty ] && [ ! -e empty/a ] && diff -r before out &&\n"
        "entc build src -o kept -k -q 2>err; [ $? = 3 ] && [ -e kept/models/m003.entity ] &&\n"
        "! find . -name '.entc.*.tmp' | grep .");
    free(folder);
}

/* All old outputs stay when a new one does not fit, here because of a limit of the size of files. */
static void output_that_does_not_fit_leaves_all_others(void** state) {
    char* folder = strdup(test_folder("build_memory_full"));
    UNUSED(state);
    TEST_DONE(
        folder, MODELS_PY
        "python3 models.py src 3 300 && entc build src -o out -q && cp -a out before "
        "&&\n"
        "(trap '' XFSZ; ulimit -f 200; entc build src -o out -q --target big 2>err; "
        "[ $? = 2 ]) &&\n"
        "grep -q 'cannot write \"out/models/m000/noise.texture\"' err && [ $(wc -l <err) = 1 ] "
        "&&\n"
        "diff -r before out && ! find . -name '.entc.*.tmp' | grep .");
    free(folder);
}

/* `why` compiles what would be compiled, and compares it although a source has an error. */
static void why_reports_resources_beside_one_with_errors(void** state) {
    char* folder = strdup(test_folder("build_memory_why"));
    UNUSED(state);
    TEST_DONE(
        folder, MODELS_PY
        "python3 models.py src 4 200 && entc build src -o out -q --source-map && rm -r .out.entc "
        "out/.entc* || rm -r out/.entc* ; echo '{' >src/a.entity.json;\n"
        "entc why src -o out --source-map >why.txt 2>err; [ $? = 3 ] &&\n"
        "grep -q 'models/m003.entity would be compiled' why.txt &&\n"
        "entc why src -o other >why.txt 2>err; [ $? = 3 ] &&\n"
        "grep -q 'models/m003.entity would be compiled' why.txt");
    free(folder);
}

/* The outputs are those of one of the two builds, and the next build leaves nothing of the killed one. */
static void killed_build_leaves_nothing_to_the_next_one(void** state) {
    char* folder = strdup(test_folder("build_memory_killed"));
    UNUSED(state);
    TEST_DONE(folder,
              MODELS_PY
              "python3 models.py one 12 256 && python3 models.py two 12 257 &&\n"
              "entc build one -o first -q && entc build two -o second -q && cat >kill.py <<'END'\n"
              "import filecmp, os, random, shutil, signal, subprocess, sys, time\n"
              "rng = random.Random(int(sys.argv[1]))\n"
              "begin = time.monotonic()\n"
              "subprocess.run(['entc', 'build', 'two', '-o', 'timed', '-q', '--memory', '1', "
              "'-j2'], check=True)\n"
              "lasts = time.monotonic() - begin\n"
              "def same(a, b): return filecmp.cmp(a, b, False)\n"
              "for n in range(int(sys.argv[2])):\n"
              "    shutil.rmtree('out', True)\n"
              "    shutil.copytree('first', 'out')\n"
              "    entc = subprocess.Popen(['entc', 'build', 'two', '-o', 'out', '-q', '--memory', "
              "'1', '-j2', '--take-over'])\n"
              "    time.sleep(lasts * rng.random())\n"
              "    entc.send_signal(rng.choice([signal.SIGKILL, signal.SIGTERM]))\n"
              "    entc.wait()\n"
              "    for folder, _, names in os.walk('first'):\n"
              "        for name in names:\n"
              "            old = os.path.join(folder, name)\n"
              "            now = old.replace('first', 'out', 1)\n"
              "            new = old.replace('first', 'second', 1)\n"
              "            if name.startswith('.entc'): continue\n"
              "            assert same(old, now) or same(new, now), now\n"
              "    subprocess.run(['entc', 'build', 'two', '-o', 'out', '-q', '--take-over'], "
              "check=True)\n"
              "    left = [n for n in os.listdir('out') if n.endswith('.tmp')]\n"
              "    assert not left, left\n"
              "END\n"
              "python3 kill.py 3 %d && rm -r out/.entc* second/.entc* && diff -r second out",
              getenv("TEST_FULL") ? 200 : 8);
    free(folder);
}

static void memory_that_is_no_number_is_refused(void** state) {
    char* folder = strdup(test_folder("build_memory_option"));
    UNUSED(state);
    EXPECT(folder, 1, "--memory needs a number of bytes greater than 0, such as 500M or 2G",
           "mkdir src; entc build src -o out --memory 0");
    EXPECT(folder, 1, "check: --memory needs a number of bytes", "entc check src --memory 1X");
    free(folder);
}

TEST_SUITE(build_memory) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_build_is_bounded_whatever_the_number_of_models),
        cmocka_unit_test(memory_of_build_grows_by_less_than_two_kibibytes_for_each_small_source),
        cmocka_unit_test(memory_of_build_does_not_grow_with_the_number_of_levels),
        cmocka_unit_test(sources_read_again_give_the_same_bytes_messages_and_references),
        cmocka_unit_test(errors_in_sources_read_again_have_their_places_and_severities),
        cmocka_unit_test(refused_compile_of_several_resources_writes_none),
        cmocka_unit_test(bytes_do_not_depend_on_memory),
        cmocka_unit_test(build_with_error_leaves_no_temporary_file),
        cmocka_unit_test(output_that_does_not_fit_leaves_all_others),
        cmocka_unit_test(why_reports_resources_beside_one_with_errors),
        cmocka_unit_test(killed_build_leaves_nothing_to_the_next_one),
        cmocka_unit_test(memory_that_is_no_number_is_refused),
    };
    return TEST_RUN("build_memory", tests);
}
