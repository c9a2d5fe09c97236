"""bench_builds.py - large builds: one edit under --watch and a warm cache among 100,000 small files, ninja, one large
image, and the memory that models with textures take. On a file system in memory, if there is one."""
import os
import random
import re
import shutil
import statistics
import struct
import subprocess
import time

from bench_texture import images
from bench_tree import removed

SMALL = 100000
NINJA = 2000
MODELS = 60
EDITS = 15
EDIT_EVERY_S = 0.3
STATED_MS, COMPLETE_MS = 50, 65
PEAK_MIB = 250


def entity(number):
    return '{"components":{"transform":{"position":[%d,0,0]},"light":{"intensity":%d}}}\n' % (number % 1000, number % 97 + 1)


def write_small(folder, count):
    """Small entities, a hundred per folder."""
    for i in range(count):
        if i % 100 == 0:
            os.makedirs(f"{folder}/part_{i // 100:04}")
        with open(f"{folder}/part_{i // 100:04}/e{i:06}.entity.json", "w", encoding="utf-8") as file:
            file.write(entity(i))


def line_of(process, word):
    """The next line of the watcher that begins with this word, and when it arrived."""
    for line in process.stdout:
        if line.startswith(word):
            return line, time.perf_counter()
    raise SystemExit(f'bench: entc build --watch has ended without a line "{word}"')


def bench_watch(entc, source, out, add):
    process = subprocess.Popen([entc, "build", source, "-o", out, "-j", "2", "--watch"], stdout=subprocess.PIPE, text=True)
    line_of(process, "built:")
    stated, complete = [], []
    for i in range(EDITS + 1):
        time.sleep(EDIT_EVERY_S)
        with open(f"{source}/part_0050/e005000.entity.json", "w", encoding="utf-8") as file:
            file.write(entity(i))
        start = time.perf_counter()
        line, arrived = line_of(process, "rebuilt:")
        stated.append(float(re.search(r"(\d+) ms", line)[1]))
        complete.append((arrived - start) * 1e3)
    process.terminate()
    process.wait()
    # The first edit is not counted.
    for what, times, limit in ((f"watch: one edit among small files, -j2, as stated / {STATED_MS} ms", stated, STATED_MS),
                               (f"watch: from closing the file to the line, -j2 / {COMPLETE_MS} ms", complete, COMPLETE_MS)):
        median = statistics.median(times[1:])
        add(what, SMALL, median, "ms", median / limit, 1)


def bench_small_cache(entc, source, out, add, in_turn):
    cache = f"{out}-cache"
    removed(cache)
    plain = [entc, "build", source, "-o", out, "-q", "-j", "2"]
    cached = [*plain, "--cache", cache, "--cache-min", "4K"]
    in_turn([cached], 1, before=lambda: removed(out))
    none, warm = in_turn([plain, cached], 7, before=lambda: removed(out))
    add("small entities, -j2: --cache-min 4K, warm cache / without a cache", SMALL, warm[0] * 1e6 / SMALL, "us/file",
        warm[0] / none[0], 1.05)
    limit = 2 * 64 + SMALL / 1024
    add("small entities, -j2: peak / 64 MiB for each thread and 1 KiB for each file", SMALL, none[2], "MiB", none[2] / limit, 1)
    removed(cache)


def ninja_of_copies(folder, outputs):
    """A ninja file that starts `cp` for each resource."""
    with open(f"{folder}/copies.ninja", "w", encoding="utf-8") as file:
        file.write("rule cp\n  command = cp $in $out\n\n")
        for name in outputs:
            file.write(f"build copies/{name}: cp src/{name}.json\n")


def bench_ninja(entc, folder, add, in_turn):
    if not shutil.which("ninja"):
        print("bench: ninja is not installed; its rows are left out")
        return
    removed(folder)
    write_small(f"{folder}/src", NINJA)
    ninja_of_copies(folder, [f"part_{i // 100:04}/e{i:06}.entity" for i in range(NINJA)])
    entc = os.path.abspath(entc)

    def run_here(*command):
        return ["sh", "-c", 'cd "$0" && exec "$@"', folder, *command]

    def generate(file, *more):
        return run_here(entc, "build", "src", "-o", f"{file}_out", "--emit-ninja", f"{file}.ninja", *more)

    def ninja(file):
        return run_here("ninja", "-j", "2", "-f", f"{file}.ninja")

    def fresh():
        removed(*(f"{folder}/{name}" for name in ("out", "batch_out", "single_out", "copies")))
        for name in (".ninja_log", ".ninja_deps"):
            if os.path.exists(f"{folder}/{name}"):
                os.remove(f"{folder}/{name}")

    in_turn([generate("batch", "--batch", "64"), generate("single")], 1)
    build = run_here(entc, "build", "src", "-o", "out", "-q", "-j", "2")
    alone, batch = in_turn([build, ninja("batch")], 9, before=fresh)
    add("small files by ninja -j2, 64 a command / entc build -j2", NINJA, batch[0] * 1e3, "ms", batch[0] / alone[0], 3)
    single, copies = in_turn([ninja("single"), ninja("copies")], 3, before=fresh)
    add("small files by ninja -j2, one a command / cp for each", NINJA, single[0] * 1e3, "ms", single[0] / copies[0], 1.1)
    removed(folder)


def bench_image(entc, program, work, out, add, in_turn, run):
    folder = images(program, f"{work}/image_2048", 1, 2048, run)
    one, two = in_turn([[entc, "build", folder, "-o", out, "-q", "-j", str(n)] for n in (1, 2)], 9,
                       before=lambda: removed(out))
    add("one texture of 2048 x 2048, -j2 against -j1", 2048, two[0] * 1e3, "ms", one[0] / two[0], 0, "more")


def write_model(folder, name, image, dice, side=40):
    """A hilly grid with an image."""
    points = b"".join(struct.pack("<3f", i % side, dice.random(), i // side) for i in range(side * side))
    places = b"".join(struct.pack("<2f", i % side / (side - 1), i // side / (side - 1)) for i in range(side * side))
    corners = [(y * side + x, y * side + side + x, y * side + x + 1, y * side + x + 1, y * side + side + x,
                y * side + side + x + 1) for y in range(side - 1) for x in range(side - 1)]
    faces = b"".join(struct.pack("<6I", *six) for six in corners)
    with open(f"{folder}/{name}.bin", "wb") as file:
        file.write(points + places + faces)
    sizes = [len(points), len(places), len(faces)]
    views = ",".join('{"buffer":0,"byteOffset":%d,"byteLength":%d}' % (sum(sizes[:i]), sizes[i]) for i in range(3))
    with open(f"{folder}/{name}.gltf", "w", encoding="utf-8") as file:
        file.write('{"asset":{"version":"2.0"},"buffers":[{"uri":"%s.bin","byteLength":%d}],"bufferViews":[%s],'
                   % (name, sum(sizes), views))
        file.write('"accessors":[{"bufferView":0,"componentType":5126,"count":%d,"type":"VEC3","min":[0,0,0],"max":[%d,1,%d]},'
                   % (side * side, side - 1, side - 1))
        file.write('{"bufferView":1,"componentType":5126,"count":%d,"type":"VEC2"},' % (side * side))
        file.write('{"bufferView":2,"componentType":5125,"count":%d,"type":"SCALAR"}],' % (len(faces) // 4))
        file.write('"images":[{"uri":"%s"}],"textures":[{"source":0}],' % image)
        file.write('"materials":[{"name":"paint","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],')
        file.write('"meshes":[{"name":"hills","primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1},"indices":2,'
                   '"material":0}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0}\n')


def bench_memory(entc, program, work, out, add, in_turn, run):
    folder, cache, dice = images(program, f"{work}/painted", MODELS, 1024, run), f"{out}-cache", random.Random(11)
    for i in range(MODELS):
        write_model(folder, f"m{i:02}", f"image_{i}.png", dice)
    build = [entc, "build", folder, "-o", out, "-q", "-j", "2"]
    removed(cache)
    sources = in_turn([build], 3, before=lambda: removed(out))[0]
    in_turn([[*build, "--cache", cache]], 1, before=lambda: removed(out))
    warm = in_turn([[*build, "--cache", cache]], 3, before=lambda: removed(out))[0]
    for what, mib in (("", sources[2]), (", from a warm cache", warm[2])):
        add(f"models with 1024 x 1024 each, -j2{what}: peak / {PEAK_MIB} MiB", MODELS, mib, "MiB", mib / PEAK_MIB, 1)
    removed(cache)


def bench_builds(entc, program, work, add, in_turn, run):
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else work
    source, out = f"{memory}/entc-bench-small", f"{memory}/entc-bench-builds"
    removed(source, out)
    write_small(source, SMALL)
    bench_watch(entc, source, out, add)
    bench_small_cache(entc, source, out, add, in_turn)
    removed(source, out)
    bench_ninja(entc, f"{memory}/entc-bench-ninja", add, in_turn)
    bench_image(entc, program, work, out, add, in_turn, run)
    bench_memory(entc, program, work, out, add, in_turn, run)
    removed(out)
