"""bench_pack.py - packing and unpacking: two large levels, and 10,000 small files, on a file system in memory."""
import os
import random

from bench_tree import FILES, removed, write_levels

ENTITIES = 100000


def write_two_levels(folder):
    """Two levels of 100,000 entities: together 19 MB as blobs."""
    if os.path.exists(folder):
        return
    os.makedirs(folder)
    rng = random.Random(5)
    for n in range(2):
        entities = []
        for i in range(ENTITIES):
            numbers = ",".join(f"{rng.uniform(-500, 500):.3f}" for _ in range(3))
            light = ',"light":{"kind":"point","intensity":%.2f,"range_m":10.0}' % rng.random() if i % 3 == 0 else ""
            mass = ',"point_mass":{"mass":%.2f}' % (1 + rng.random()) if i % 2 else ""
            parent = f'"parent":"e{i - 1}",' if i % 4 else ""
            entities.append(f'{{"name":"e{i}",{parent}"components":{{"transform":{{"position":[{numbers}]}}{light}{mass}}}}}')
        with open(f"{folder}/l{n}.level.json", "w") as out:
            out.write('{"entities":[\n' + ",\n".join(entities) + "\n]}\n")


def bench_pack(entc, work, add, in_turn):
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else work
    out, pak, un = f"{memory}/entc-bench-packed", f"{memory}/entc-bench.pak", f"{memory}/entc-bench-un"

    def pack(jobs, *more):
        return [entc, "pack", out, "-o", pak, "-j", str(jobs), *more]

    def unpack(jobs):
        return [entc, "unpack", pak, "-o", un, "-j", str(jobs)]

    def fresh():
        if os.path.exists(pak):
            os.remove(pak)

    def size(*more):
        in_turn([pack(2, *more)], 1)
        return os.path.getsize(pak)

    levels = f"{work}/two_levels"
    write_two_levels(levels)
    removed(out)
    in_turn([[entc, "build", levels, "-o", out, "-q"]], 1)
    highest, chosen = in_turn([pack(1, "--level", "19"), pack(2)], 5, before=fresh)
    add("pack of two large levels, -j2 / level 19, -j1", ENTITIES * 2, chosen[0] * 1e3, "ms", chosen[0] / highest[0], 0.6)
    one, two = in_turn([pack(1, "--level", "3"), pack(2, "--level", "3")], 15, before=fresh)
    add("the same with --level 3, -j2 / -j1", ENTITIES * 2, two[0] * 1e3, "ms", two[0] / one[0], 0.6)
    sizes = [size("--level", level) for level in ("3", "9", "19")]
    add("its bytes / the smallest of levels 3, 9, 19", ENTITIES * 2, size() / 1e6, "MB", size() / min(sizes), 1.02)
    one, two = in_turn([unpack(1), unpack(2)], 9, before=lambda: removed(un))
    add("unpack of it, -j2 / -j1", ENTITIES * 2, two[0] * 1e3, "ms", two[0] / one[0], 0)

    levels = f"{work}/pack_tree"
    write_levels(levels)
    removed(out)
    in_turn([[entc, "build", levels, "-o", out, "-q"]], 1)
    low, chosen, low2 = in_turn([pack(1, "--level", "3"), pack(2), pack(2, "--level", "3")], 9, before=fresh)
    add("pack of small files, -j2 / level 3, -j1", FILES, chosen[0] * 1e6 / FILES, "us/file", chosen[0] / low[0], 0)
    add("the same with --level 3, -j2 / -j1", FILES, low2[0] * 1e6 / FILES, "us/file", low2[0] / low[0], 0.65)
    low_bytes = size("--level", "3")
    add("its bytes / level 3", FILES, size() / 1e6, "MB", size() / low_bytes, 1)
    one, two = in_turn([unpack(1), unpack(2)], 9, before=lambda: removed(un))
    add("unpack of it, -j2 / -j1", FILES, two[0] * 1e6 / FILES, "us/file", two[0] / one[0], 0)
    removed(out, un, levels)
    fresh()
