#!/usr/bin/env python3
"""figures.py - the tables of figures in pages, generated from tests/bench.csv.

    tests/bench/figures.py            writes the tables into the pages
    tests/bench/figures.py --check    exits with 1, and prints what differs, when a table is not up to date, or
                                      when PERFORMANCE.md has more words than WORDS_MAX

A page has a table between `<!-- figures: NAME -->` and `<!-- /figures -->`; TABLES says what is in it. No
figure is typed: a cell is a row of the file and how it is written.
"""
import csv
import difflib
import re
import sys

CSV = "tests/bench.csv"
PAGES = ["README.md", "tests/PERFORMANCE.md"]
WORDS_MAX = 2500  # of PERFORMANCE.md: tables, their limits, and one sentence of cause for each
GPU = "gpu NVIDIA H200: "
CUDA = "gpu NVIDIA H200 with CUDA: "
ARTICLE = "gpu GeForce GTX 1050 of the article: "
SIZES = (10000, 100000, 1000000)
GPU_SIZES = (30000, 100000, 1000000, 10000000)


def rows_read():
    with open(CSV, newline="", encoding="utf-8") as file:
        return {(row["what"], int(row["n"])): row for row in csv.DictReader(file)}


ROWS = rows_read()


def row(what, n):
    if (what, n) not in ROWS:
        sys.exit(f'figures.py: {CSV} has no row "{what}" with n = {n}')
    return ROWS[what, n]


def rounded(number):
    """Three digits, with commas: 7.24, 37.2, 223, 4,277."""
    digits = 2 if number < 10 else 1 if number < 100 else 0
    return f"{number:,.{digits}f}"


def value(what, n, scale=1.0):
    return rounded(float(row(what, n)["value"]) * scale)


def ratio(what, n):
    return f'{float(row(what, n)["ratio"]):.2f}'


def count(n):
    return f"{n // 1000000} M" if n >= 1000000 else f"{n // 1000} k"


def table(head, lines):
    align = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, align] + lines)


def over_sizes(rows, more):
    """A line for each row: value and ratio at each size; then other lines."""
    lines = [[label] + [f"{value(what, n)} ({ratio(what, n)})" for n in SIZES] for label, what in rows]
    return table([""] + [count(n) + " entities" for n in SIZES], lines + more)


def flatc():
    """Each file with one thread and with two; flatc has one."""
    lines = []
    for threads in ("one thread", "two threads"):
        what = f"compile with {threads}; speed against flatc"
        lines.append([f"one file of 500,000 entities, {threads}", value(what, 500000) + " MB/s",
                      value("flatc -b", 500000) + " MB/s", ratio(what, 500000)])
    for threads, option in (("one thread", "-j1"), ("two threads", "-j2")):
        each, share = (float(row(f"clean build {option}; a file / flatc -b", 10000)[k]) for k in ("value", "ratio"))
        lines.append([f"10,000 small files, {threads}", rounded(each) + " µs each",
                      value("flatc -b of small files", 10000) + " µs each", f"{1 / share:.2f}"])
    return table(["", "entc", "flatc -b, one thread", "times as fast"], lines)


def compiler():
    single = [
        ("compile a level of 500,000 entities, one thread", "compile with one thread; speed against flatc", 500000,
         "MB/s", "speed of flatc -b"),
        ("with two threads", "compile with two threads; speed against flatc", 500000, "MB/s",
         "speed of flatc -b"),
        ("memory for that, beyond the source", "compile with two threads; memory beyond the source / output", 500000,
         "MiB", "size of the output"),
        ("the same level in random order", "compile a shuffled source / in order", 500000, "ns per entity", "in order"),
        ("build 10,000 small files, one thread", "clean build -j1; a file / flatc -b", 10000, "µs per file",
         "time of flatc -b"),
        ("with two threads", "clean build -j2; a file / flatc -b", 10000, "µs per file", "time of flatc -b"),
        ("build 10,000 files with nothing to do", "build with nothing to do / a bare walk", 10000, "ms",
         "looking at each file"),
        ("build with one file changed", "one file changed / nothing to do and compiling it", 10000, "ms",
         "nothing to do, and compiling that file"),
        ("one edit among 100,000 watched files", "watch: one edit among small files; -j2; as stated / 50 ms", 100000,
         "ms", "50 ms"),
        ("peak memory for 100,000 small files",
         "small entities; -j2: peak / 64 MiB for each thread and 1 KiB for each file", 100000, "MiB",
         "64 MiB a thread, 1 KiB a file"),
        ("peak memory for 60 models with images", "models with 1024 x 1024 each; -j2: peak / 250 MiB", 60, "MiB",
         "250 MiB"),
        ("a model of 320,000 triangles, from the cache", "large mesh; clean build / all from the cache", 1, "ms",
         "speed of compiling it"),
        ("a PNG of 4096 x 4096 to BC1 with all levels", "texture of 4096 x 4096; png to bc1 with all levels / plain loops",
         4096, "ms", "plain loops over libspng, averages and stb_dxt"),
        ("16 such images with two threads", "16 such textures; -j2 against -j1", 16, "ms", "speed with one thread"),
        ("such an image, from the cache", "such a texture; clean build / from the cache", 1, "ms",
         "speed of compiling it"),
    ]
    return table(["", "figure", "ratio", "to"], [
        [label, f"{value(what, n)} {unit}", ratio(what, n), to] for label, what, n, unit, to in single])


def spawn():
    cleared = ["clear a world"] + [value("clear a world; ns an entity", n) for n in SIZES]
    return over_sizes([
        ("spawn into a new world", "spawn into a fresh world / ideal with world matrices"),
        ("the same, transforms deferred", "spawn into a fresh world; deferred / ideal"),
        ("spawn again into the cleared world", "spawn again / ideal with world matrices"),
        ("clear and spawn again, transforms deferred", "clear and spawn again; deferred / ideal"),
        ("find a row, generation checked", "look up with generation / ideal"),
        ("read a field of all rows, per row", "read a field of all rows / ideal"),
        ("destroy one by one, hierarchy kept correct", "destroy one by one / ideal with links"),
        ("the same, transforms deferred", "destroy one by one; deferred / ideal with links"),
        ("destroy 1,000 at once (to: one by one)", "destroy 1000 at once / one by one"),
    ], [cleared])


def memory():
    lines = [["memory of a new world, MiB"] + [
        f'{value("memory of a fresh world / ideal", n)} ({ratio("memory of a fresh world / ideal", n)})'
        for n in SIZES]]
    lines.append(["open and validate a blob, GB/s"] + [value("open and verify / copy", n) for n in SIZES])
    lines.append(["the same with the checksum, GB/s"] + [
        value("open and verify with hash / copy", n) for n in SIZES])
    lines.append(["a copy, GB/s"] + [value("copy", n) for n in SIZES])
    return table([""] + [count(n) + " entities" for n in SIZES], lines)


def transforms():
    lines = [
        ["all world matrices, ns per row"] + [
            value("all transforms dirty / loop by hand; AVX-512", n) for n in SIZES],
        ["a loop by hand over 4x4 matrices, AVX-512, ns per row"] + [
            value("loop by hand; AVX-512", n) for n in SIZES],
        ["deferred, the same row in a hundred moves, µs"] + [
            value("deferred; all dirty / one in 100 dirty; the same", n) for n in SIZES],
        ["... ratio of all rows to these"] + [
            ratio("deferred; all dirty / one in 100 dirty; the same", n) for n in SIZES],
        ["deferred, other rows, one in a hundred, move every time, µs"] + [
            value("deferred; one in 100 dirty; others every time / all dirty", n) for n in SIZES],
        ["... ratio of these to all rows"] + [
            ratio("deferred; one in 100 dirty; others every time / all dirty", n) for n in SIZES],
        ["all world matrices / a loop by hand over poses"] + [
            ratio("all transforms dirty / loop by hand over poses", n) for n in SIZES],
        ["the part of that loop that composes"] + [
            ratio("its part that composes local matrices", n) for n in SIZES],
        ["two threads / one, least of many runs"] + [
            ratio("all transforms dirty; two threads / one", n) for n in SIZES],
        ["... of a copy of as many bytes"] + [
            ratio("a copy of as many bytes; two threads / one", n) for n in SIZES],
    ]
    return table([""] + [count(n) + " rows" for n in SIZES], lines)


def cpu_limits():
    """What the work on 1 M rows takes at the speed of a copy, which reads and writes each byte."""
    n = SIZES[-1]
    speed = 2 * float(row("copy", n)["value"])
    lines = []
    for label, what, size, scale in (
            ("all world matrices", "all transforms dirty / loop by hand; AVX-512", 156, 1),
            ("1 % of them, other rows every time", "deferred; one in 100 dirty; others every time / all dirty",
             700, 1000 / 18620),
            ("clear and spawn again, deferred", "clear and spawn again; deferred / ideal", 238, 1),
            ("find a row in random order", "look up with generation / ideal", 192, 1),
            ("destroy one by one", "destroy one by one / ideal with links", 330, 1),
            ("destroy 1,000 at once", "destroy 1000 at once / one by one", 330, 1)):
        each = float(row(what, n)["value"]) * scale
        lines.append([label, str(size), rounded(size / speed), rounded(each), f"{each * speed / size:.1f}"])
    return table(["1 M rows, each", "bytes", "ns at the speed of a copy", "ns", "factor"], lines)


def systems():
    empty = "jobs: two empty groups and wait / 150 ns"
    step = "point masses over floats; speed against no vectors"
    fast = "point masses over floats; AVX2; speed against no vectors"
    hashed = "find a row by hash / by array"
    created = "create an instance; by hash / by array"
    small = "a small level into a new world; ns an entity"
    first = "a small level into a new world; first of a process; ns"
    attach = "attach 1000 rows below the last of all; ms"
    work = "jobs: work in cache on two cores against one thread"
    return table(["", "figure", "ratio", "to"], [
        ["attach 1,000 rows in a hierarchy of 100 k", value(attach, 101000) + " µs", "", ""],
        ["two empty groups of jobs and wait", value(empty, 2) + " ns",
         ratio("jobs: two empty groups and wait / floor", 2), "two threads and a counter"],
        ["work in cache on two cores", value(work, 16384) + " ns per element", ratio(work, 16384),
         "speed of one thread"],
        ["a step of 10,000 point masses, over floats", value(step, 10000) + " ns per mass", ratio(step, 10000),
         "speed without vectors"],
        ["the same compiled for AVX2", value(fast, 10000) + " ns per mass", ratio(fast, 10000),
         "speed without vectors"],
        ["find a row through the hash map, 100 k rows", value(hashed, 100000) + " ns", ratio(hashed, 100000),
         "through the array"],
        ["create an instance in a hash map, 100 k rows", value(created, 100000) + " ns", ratio(created, 100000),
         "in an array"],
        ["collect a row of a destroyed entity, of 1 M", value("gc of dead rows; ns a row", 1000000) + " ns", "", ""],
        ["create a world and spawn 60 entities", value(small, 60) + " ns per entity", "", ""],
        ["the same as the first world of a process", value(first, 60) + " ns per entity", "", ""],
        ["two threads, spawn again, 1 M entities", value("two threads; spawn again / one thread", 1000000) + " ns",
         ratio("two threads; spawn again / one thread", 1000000), "speed of one thread"],
    ])


def gpu_cell(name, n, where=GPU):
    """The first row of that name, in ms; behind the name a row says what it is compared with."""
    for (what, size), found in ROWS.items():
        if size == n and (what == where + name or what.startswith(where + name + " / ")):
            return f'{float(found["value"]):.3g}'
    return ""


def gpu_number(name, where=GPU):
    """How many the row of that name is about."""
    for what, size in ROWS:
        if what == where + name:
            return f"{size / 1e6:.2f} M" if size >= 1e6 else f"{size / 1e3:.0f} k"
    return ""


def gpu():
    lines = [
        ("SPH, a block", "sph step; block"),
        ("SPH, a dam that has broken", "sph step; dam break after 600 steps"),
        ("SPH, colliders left out", "sph step of a frame; room for 1;000 colliders"),
        ("two fluids", "sph step; block; two fluids"),
        ("8 moving colliders", "sph step of a frame; 8 moving colliders"),
        ("1,000 moving colliders", "sph step of a frame; 1;000 moving colliders"),
        ("8 bodies", "sph step of a frame; 8 bodies"),
        ("1,000 bodies", "sph step of a frame; 1;000 bodies"),
        ("its grid alone, counted", "sph grid (b); counted"),
        ("SPH, hashed cells", "sph step; block; hashed cells"),
        ("SPH, sorted indices", "sph step; block; sorted indices"),
        ("particles in bins", "particles step; in bins"),
        ("with emission", "particles step; in bins; with emission"),
        ("in unordered lists", "particles step; lists of unordered"),
    ]
    return table(["ms for a step of"] + [count(n) + " particles" for n in GPU_SIZES],
                 [[label] + [gpu_cell(name, n) for n in GPU_SIZES] for label, name in lines])


def gpu_limits():
    """Each beside a copy of the bytes that it must move: no step can be faster than that."""
    lines = []
    for label, name, n in (("prefix sum of 2^26 words", "prefix sum", 1 << 26),
                           ("SPH, a block, 100 k", "sph step; block", 100000),
                           ("SPH, a block, 1 M", "sph step; block", 1000000),
                           ("SPH, a block, 10 M", "sph step; block", 10000000),
                           ("SPH, a dam, 10 M", "sph step; dam break after 600 steps", 10000000),
                           ("particles in bins, 10 M", "particles step; in bins", 10000000)):
        found = row(f"{GPU}{name} / a copy of its bytes", n)
        ms, times = float(found["value"]), float(found["ratio"])
        lines.append([label, f"{ms:.3g}", f"{ms / times:.3g}", f"{times:.2f}"])
    return table(["ms", "measured", "a copy of its bytes", "times as long"], lines)


def gpu_spheres():
    return table(["ms", "by kernels", "rasterised"], [
        [size + " pixels with 4 samples", gpu_cell(f"spheres; {size} with 4 samples", 1000000),
         gpu_cell(f"spheres; {size} with 4 samples; rasterised", 1000000)] for size in ("1280 x 720", "1920 x 1080")])


def gpu_sphere_pictures():
    lines = [("all passes", "spheres: a picture"), ("with a sun that casts", "spheres: a picture with a sun"),
             ("depth in three shadow maps of 2048 x 2048", "spheres: depth in three cascades of 2;048")]
    return table(["", "ms"], [[label, gpu_cell(name, 1000000)] for label, name in lines])


def gpu_water():
    lines = [("1920 x 1080 pixels", "water; 1920 x 1080"), ("3840 x 2160 pixels", "water; 3840 x 2160"),
             ("in three shadow maps", "water: shadows and caustics in three cascades of 2;048"),
             ("outside of the view", "water outside of the view; 1920 x 1080")]
    return table(["", "ms"], [[label, gpu_cell(name, 1000000)] for label, name in lines])


def gpu_parts():
    return table(["", "entc", "CUDA"], [
        ["copy, bytes read and written", value(GPU + "copy; bytes read and written", 1073741824) + " GB/s", ""],
        ["prefix sum of 2^20 words", f'{gpu_cell("prefix sum", 1 << 20)} ms', ""],
        ["prefix sum of 2^26 words (CUDA: CUB)", f'{gpu_cell("prefix sum", 1 << 26)} ms',
         f'{gpu_cell("prefix sum; CUB", 1 << 26, CUDA)} ms'],
        ["all pairs of 20,480 particles", f'{gpu_cell("sph step; block; all pairs", 20480)} ms',
         f'{gpu_cell("sph step; all pairs", 20480, CUDA)} ms'],
    ])


def meshes():
    lines = [("visible ones of 1,000,000 instances, both phases", "meshes: visible instances", 1000000),
             ("upload of 1 % of 1,000,000 instances", "meshes: upload of 1 % of the instances", 1000000),
             ("9.9 million triangles, rasterised", "meshes: triangles in view", 9897728),
             ("the same with levels of detail", "meshes: the same triangles with levels of detail", 6724),
             ("colours of 3840 x 2160 samples", "meshes: colours of 3840 x 2160 samples", 3840 * 2160),
             ("a frame of 40 passes, host, recorded anew", "frames: host; passes recorded anew", 40),
             ("the same, passes unchanged", "frames: host; the same passes", 40)]
    return table(["", "ms"], [[label, gpu_cell(name, n)] for label, name, n in lines])


def skinning():
    lines = [(f"{bones} bones, {where}", f"skinning: {bones} bones; {where}", 10240000)
             for bones, where in ((64, "near each other"), (64, "anywhere"), (128, "near each other"),
                                  (256, "near each other"), (256, "anywhere"))]
    lines.append(("10,000 instances with 24 joints", "skinning: a crowd with 24 joints", 17280000))
    return table(["ms", "vertices", "bones in shared memory", "bones in the buffer"],
                 [[label, count(n), gpu_cell(name + "; bones in shared memory", n),
                   gpu_cell(name + "; bones in the buffer", n)] for label, name, n in lines])


def short(size):
    """Of a picture: one word, as its rows have it many times."""
    return size.replace(" x ", "x")


LIGHTS = [(f"{short(size)}, {n:,} {kind}", f"lights {size}; {n} {kind}", n)
          for size, n in (("3840 x 2160", 1000), ("3840 x 2160", 4096), ("1920 x 1080", 1000))
          for kind in ("small", "large")]


def quotient(above, below):
    """Of two cells."""
    return f"{float(above) / float(below):.2f}" if above and below else ""


def lights():
    """Culling and shading with both techniques, beside CUDA's and the article's."""
    lines = []
    for label, name, n in LIGHTS:
        for work in ("culling", "shading"):
            tuned = "; tuned" if work == "culling" else ""
            article = name.replace(" small", "")
            lines.append([f"{label}: {work}", gpu_cell(f"{name}: {work}; bits", n),
                          gpu_cell(f"{name}: {work}; lists", n), gpu_cell(f"{name}: {work}; bits{tuned}", n, CUDA),
                          gpu_cell(f"{name}: {work}; lists", n, CUDA), gpu_cell(f"{article}: {work}; bits", n, ARTICLE),
                          gpu_cell(f"{article}: {work}; lists", n, ARTICLE)])
        lines.append([f"{label}: shading with GGX"] + [gpu_cell(f"{name}: shading with GGX; {technique}", n)
                                                       for technique in ("bits", "lists")] + [""] * 4)
    small = LIGHTS[0][1]
    for work in ("culling", "shading"):
        lines.append([f"{LIGHTS[0][0]}, tiles of 16 x 16: {work}", gpu_cell(f"{small}: {work}; bits; tiles of 16", 1000)] +
                     [""] * 5)
    return table(["ms", "bits", "lists", "CUDA, bits", "CUDA, lists", "article, bits", "article, lists"], lines)


def decals():
    """Both techniques; the article states what culling and sorting take."""
    works = (("culling and sorting", "culling"), ("shading", "shading"),
             ("shading without an early end", "shading without an early end"))
    lines = []
    for size in ("3840 x 2160", "1920 x 1080"):
        for kind in ("small", "full screen"):
            for label, work in works:
                name = f"lights {size}; 100 decals; {kind}: {work}"
                ours, theirs = ([gpu_cell(f"{name}; {technique}", 100, where) for technique in ("bits", "lists")]
                                for where in (GPU, ARTICLE))
                if not any(ours):
                    continue
                lines.append([f"{short(size)}, {kind}: {label}", *ours, quotient(ours[1], ours[0]), *theirs,
                              quotient(theirs[1], theirs[0])])
    return table(["100 decals, ms", "bits", "lists", "lists / bits", "article, bits", "article, lists", "lists / bits"],
                 lines)


def normals():
    lines = [("normals, a strip of eight rows a subgroup", "normals from depth; 3840x2160"),
             ("normals, twelve rows", "normals from depth; 3840x2160; strips of 12 rows"),
             ("normals, eight rows, two columns a lane", "normals from depth; 3840x2160; pairs of 8 rows"),
             ("normals, four samples a thread in four rows", "normals from depth; 3840x2160; direct"),
             ("normals, one row", "normals from depth; 3840x2160; direct; 1 row"),
             ("normals, depth in shared memory", "normals from depth; 3840x2160; shared"),
             ("normals without a choice of neighbours", "normals from depth; 3840x2160; plain"),
             ("occlusion, every sample", "occlusion; 3840x2160; full"),
             ("occlusion, one of four samples", "occlusion; 3840x2160; half")]
    body = []
    for label, name in lines:
        found = ROWS.get((f"{GPU}{name} / a copy of its bytes", 3840 * 2160))
        ms, times = (float(found[k]) if found else 0 for k in ("value", "ratio"))
        body.append([label, gpu_cell(name, 3840 * 2160)] + ([f"{ms / times:.4f}", f"{times:.2f}"] if found else ["", ""]))
    return table(["", "ms", "a copy of its bytes, ms", "ratio"], body)


def shadows():
    lines = [("1.21 million opaque triangles in three cascades of 2,048 x 2,048",
              "shadows: three cascades of 2048; opaque", 1209984),
             ("100,096 transparent ones: filter and front", "shadows: three cascades of 2048; transparent", 100096),
             ("all passes of this picture", "shadows: a picture that draws three maps; all passes", 3),
             ("1.51 million triangles in 64 maps of spot lights", "shadows: 64 spot lights in one atlas", 1507328),
             ("in one map of 4,096 x 4,096", "shadows: the same triangles in one map of 4096",
              1507328)]
    cells = [[label, gpu_cell(name, n)] for label, name, n in lines]
    return table(["", "ms"], [cell for cell in cells if cell[1]])


def crowds():
    shown = "shadows and filters", "shadows and filters; mean", "whole frame"
    lines = [("100 k, 100 walkers, 4 spots", "100 walkers; sun; 4 spots; 2 x 2 samples", 100000),
             ("one sample", "100 walkers; sun; 4 spots", 100000), ("nothing moves", "nothing moves", 100000),
             ("camera turns", "the camera turns by 1 degree", 100000),
             ("1 M, 1,000 walkers, 16 spots", "1;000 walkers; sun; 16 spots; 2 x 2 samples", 1000000),
             ("30 k blended", "blended balls", 30000)]
    return table(["ms", "maps", "mean", "frame", "triangles", "in maps"],
                 [[label] + [gpu_cell(f"crowds: {what}: {part}", n) for part in shown] +
                  [gpu_number(f"crowds: {what}: {part}") for part in ("triangles in the view", "triangles in maps")]
                  for label, what, n in lines])


def cuda():
    lines = [
        ("SPH, straightforward", "sph step; straightforward"),
        ("SPH, tuned", "sph step; tuned"),
        ("grid of SPH", "sph grid; counted"),
        ("particles", "particles step"),
    ]
    return table(["ms for a step of"] + [count(n) + " particles" for n in GPU_SIZES],
                 [[label] + [gpu_cell(name, n, CUDA) for n in GPU_SIZES] for label, name in lines])


TABLES = {f.__name__: f for f in (flatc, compiler, spawn, memory, transforms, cpu_limits, systems, gpu, gpu_limits,
                                 gpu_spheres, gpu_sphere_pictures, gpu_water, gpu_parts, meshes, skinning, lights, decals, normals, shadows, crowds, cuda)}


def renewed(page, text):
    def one(match):
        name = match.group(1)
        if name not in TABLES:
            sys.exit(f'figures.py: {page} has a table "{name}", which is not in TABLES')
        return f"<!-- figures: {name} -->\n\n{TABLES[name]()}\n\n<!-- /figures -->"
    return re.sub(r"<!-- figures: (\w+) -->\n.*?<!-- /figures -->", one, text, flags=re.DOTALL)


def words_in(text):
    """Without the marks of tables, lists, headings and comments."""
    return sum(any(c.isalnum() for c in word) for word in re.sub(r"<!--.*?-->", "", text).split())


def main():
    differs = False
    for page in PAGES:
        with open(page, encoding="utf-8") as file:
            text = file.read()
        new = renewed(page, text)
        if page.endswith("PERFORMANCE.md") and words_in(new) > WORDS_MAX:
            print(f"{page} has {words_in(new)} words; at most {WORDS_MAX} are allowed")
            differs = True
        if new == text:
            continue
        differs = True
        if "--check" in sys.argv:
            sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), new.splitlines(True), page, CSV))
        else:
            with open(page, "w", encoding="utf-8") as file:
                file.write(new)
    return differs and "--check" in sys.argv


if __name__ == "__main__":
    sys.exit(main())
