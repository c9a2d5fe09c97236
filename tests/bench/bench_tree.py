"""bench_tree.py - builds of complete folders: 10,000 small levels, a large mesh.

Outputs are written to a file system in memory if there is one: creating a file on a disk takes longer, and
varies more, than everything that entc does for it.
"""
import math
import os
import random
import shutil
import struct

FILES = 10000


def write_levels(folder):
    """Small levels that flatc also reads with bench_level.fbs, a hundred per folder."""
    if os.path.exists(folder):
        return
    rng = random.Random(7)
    for i in range(FILES):
        if i % 100 == 0:
            os.makedirs(f"{folder}/part_{i // 100:03}")
        entities = []
        for k in range(5):
            numbers = ",".join(f"{rng.uniform(-50, 50):.3f}" for _ in range(3))
            light = ',"light":{"kind":"point","color":[1.0,0.8,0.5],"intensity":%.2f,"range_m":10.0}' % rng.random()
            mass = ',"point_mass":{"mass":%.2f,"velocity":[0.0,0.0,0.0]}' % (1 + rng.random())
            parent = f'"parent":"e{k - 1}",' if k % 2 else ""
            entities.append(f'{{"name":"e{k}",{parent}"components":{{"transform":{{"position":[{numbers}],'
                            f'"rotation":[0.0,0.0,0.0,1.0],"scale":[1.0,1.0,1.0]}}{light}{mass}}}}}')
        with open(f"{folder}/part_{i // 100:03}/l{i:05}.level.json", "w") as out:
            out.write('{"entities":[\n' + ",\n".join(entities) + "\n]}\n")


def write_mesh(folder, side=400):
    """A hilly grid with normals: most of the time is spent on its triangles."""
    if os.path.exists(folder):
        return
    os.makedirs(folder)
    rng = random.Random(3)
    positions, indices = bytearray(), []
    for y in range(side):
        for x in range(side):
            height = math.sin(x * 0.1) * math.cos(y * 0.07) * 4 + rng.random() * 0.1
            positions += struct.pack("<3f", x, height, y)
    for y in range(side - 1):
        for x in range(side - 1):
            a = y * side + x
            indices += [a, a + 1, a + side, a + 1, a + side + 1, a + side]
    index_bytes = struct.pack(f"<{len(indices)}I", *indices)
    with open(f"{folder}/hills.bin", "wb") as out:
        out.write(positions + index_bytes)
    count = side * side
    low = [min(struct.unpack_from("<f", positions, i * 12 + axis * 4)[0] for i in range(count)) for axis in range(3)]
    high = [max(struct.unpack_from("<f", positions, i * 12 + axis * 4)[0] for i in range(count)) for axis in range(3)]
    with open(f"{folder}/hills.gltf", "w") as out:
        out.write('{"asset":{"version":"2.0"},"buffers":[{"uri":"hills.bin","byteLength":%d}],'
                  % (len(positions) + len(index_bytes)))
        out.write('"bufferViews":[{"buffer":0,"byteLength":%d},{"buffer":0,"byteOffset":%d,"byteLength":%d}],'
                  % (len(positions), len(positions), len(index_bytes)))
        out.write('"accessors":[{"bufferView":0,"componentType":5126,"count":%d,"type":"VEC3","min":%s,"max":%s},'
                  % (count, low, high))
        out.write('{"bufferView":1,"componentType":5125,"count":%d,"type":"SCALAR"}],' % len(indices))
        out.write('"meshes":[{"name":"hills","primitives":[{"attributes":{"POSITION":0},"indices":1}]}],'
                  '"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0}\n')


def removed(*folders):
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        head, tail = os.path.split(folder)
        shutil.rmtree(f"{head}/.{tail}.entc", ignore_errors=True)


def bench_move(entc, levels, memory, add, in_turn):
    """Renames an entity that a hundred of the levels refer to, of a copy of them: they are rewritten. The copy is in
    memory, too, because replacing files on a disk takes longer than everything else."""
    source, out = f"{memory}/entc-bench-moved", f"{memory}/entc-bench-moved-out"
    names = ["part_000/hub.entity", "part_001/axle.entity"]
    removed(source, out)
    shutil.copytree(levels, source)
    with open(f"{source}/part_000/hub.entity.json", "w") as file:
        file.write('{"components":{"light":{}}}\n')
    for i in range(100):
        path = f"{source}/part_{i:03}/l{i * 100 + 7:05}.level.json"
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text.replace('[\n', '[\n{"name":"hub","prefab":"part_000/hub"},\n', 1))

    def command(*words):
        return [entc, *words, "-o", out, "-q"]

    def before():
        """Undoes the move, and brings the build database up to date."""
        if not os.path.exists(f"{source}/{names[0]}.json"):
            in_turn([command("mv", source, names[1], names[0])], 1)
        in_turn([command("build", source, "-j", "2"), [entc, "refs", source, names[0], "-o", out]], 1)

    again, moved = in_turn([command("build", source, "-j", "2"), command("mv", source, *names)], 15, before=before)
    add("mv of an entity with 100 references; saved / nothing to do", FILES, moved[0] * 1e3, "ms", moved[0] / again[0], 2)
    removed(source, out)


def bench_tree(entc, walk, work, add, in_turn):
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else work
    out = f"{memory}/entc-bench"
    levels, hills = f"{work}/tree", f"{work}/hills"
    write_levels(levels)
    write_mesh(hills)
    sources = [os.path.join(root, name) for root, _, names in os.walk(levels) for name in names]

    def build(jobs, *more, source=levels):
        return [entc, "build", source, "-o", out, "-j", str(jobs), *more]

    def one_of(which):
        return f"{entc} build {levels} -o {out}-{which} -j 1"

    def fresh():
        removed(out, f"{out}-flatc", f"{out}-0", f"{out}-1")
        os.makedirs(f"{out}-flatc")

    flatc = ["flatc", "-b", "-o", f"{out}-flatc", "tests/bench/bench_level.fbs", *sources]
    one, two, other = in_turn([build(1), build(2), flatc], 15, before=fresh)
    add("clean build of small files, -j2 against -j1", FILES, two[0] * 1e6 / FILES, "us/file", one[0] / two[0], 1.7, "more")
    apart, both = in_turn([["sh", "-c", f"{one_of(0)} && {one_of(1)}"], ["sh", "-c", f"{one_of(0)} & {one_of(1)} && wait"]],
                          7, before=fresh)
    add("two such builds apart: at once against in turn", FILES, both[0] * 5e5 / FILES, "us/file", apart[0] / both[0], 0)
    add("clean build -j1, a file / flatc -b", FILES, one[0] * 1e6 / FILES, "us/file", one[0] / other[0], 1)
    add("clean build -j2, a file / flatc -b", FILES, two[0] * 1e6 / FILES, "us/file", two[0] / other[0], 1)
    add("flatc -b of small files", FILES, other[0] * 1e6 / FILES, "us/file", 1, 0)

    fresh()
    in_turn([build(2)], 2)
    idle, idle1, bare = in_turn([build(2), build(1), [walk, levels]], 15)
    add("build with nothing to do / a bare walk", FILES, idle[0] * 1e3, "ms", idle[0] / bare[0], 2)
    add("the same, -j1", FILES, idle1[0] * 1e3, "ms", idle1[0] / bare[0], 0)
    name = "part_000/l00000.level"
    refs = [entc, "refs", levels, name, "-o", out]
    unused = ["sh", "-c", f"{entc} unused {levels} --root {name} -o {out} || test $? = 1"]
    in_turn([refs], 1)
    again, found, rest = in_turn([build(2), refs, unused], 15)
    add("refs of one resource; saved / nothing to do", FILES, found[0] * 1e3, "ms", found[0] / again[0], 2)
    add("unused; saved / nothing to do", FILES, rest[0] * 1e3, "ms", rest[0] / again[0], 2)
    bench_move(entc, levels, memory, add, in_turn)
    number = [0]

    def edit():
        number[0] += 1
        with open(f"{levels}/part_050/l05000.level.json", "w") as file:
            file.write('{"entities":[{"name":"e%d"}]}\n' % number[0])

    changed = in_turn([build(2)], 9, before=edit)[0]
    alone = in_turn([[entc, "compile", levels, "part_050/l05000.level", "-o", f"{out}.level"]], 5)[0]
    add("one file changed / nothing to do and compiling it", FILES, changed[0] * 1e3, "ms",
        changed[0] / (idle[0] + alone[0]), 1)
    removed(levels)

    cache = f"{out}-cache"
    removed(cache, out)
    clean = in_turn([build(2, source=hills)], 5, before=lambda: removed(out))[0]
    in_turn([build(2, "--cache", cache, source=hills)], 1, before=lambda: removed(out))
    hit = in_turn([build(2, "--cache", cache, source=hills)], 9, before=lambda: removed(out))[0]
    add("large mesh, clean build / all from the cache", 1, hit[0] * 1e3, "ms", clean[0] / hit[0], 5, "more")
    removed(cache)
    fresh()
    removed(f"{out}-flatc")
    if os.path.exists(f"{out}.level"):
        os.remove(f"{out}.level")
