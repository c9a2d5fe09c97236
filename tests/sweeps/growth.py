"""How the cost of every command grows with its input: instructions, counted by valgrind.

    growth.py BUILD [--short] [--only SHAPE]... [--keep FOLDER]

Each shape has n, 2n and 4n of its elements (8n, too, without --short). The shapes of this module and of
shapes_models.py are built with `entc build -j1`, less the cost of an empty folder; shapes_commands.py has a command for
each shape, less the cost with one element. A doubling may cost at most 2.2 times as much, and 2 % of the cost with one
element: the memory allocator treats the first blocks of a size in another way. The last line is the tally.
--only takes the complete name of a shape, or the name before its colon.
"""
import argparse
import json
import math
import os
import re
import shutil
import subprocess
import struct
import sys
import tempfile

import shapes_commands
import shapes_models

LIMIT, FIRST = 2.2, 0.02
parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("--short", action="store_true")
parser.add_argument("--only", action="append", default=[])
parser.add_argument("--keep")
options = parser.parse_args()
ENTC = os.path.join(os.path.abspath(options.build), "entc")


BUILD = "build src -o out -j1 -q"


def written(files, folder):
    """The files in a folder that contained others before."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "src"))
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(content if isinstance(content, bytes) else json.dumps(content).encode())


def one_processor():
    """Threads that wait for work count instructions: a program with one processor has none."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def run(command, folder, expected):
    ended = subprocess.run(command, cwd=folder, preexec_fn=one_processor, capture_output=True, text=True, errors="replace")
    if ended.returncode != expected:
        raise SystemExit(f"growth.py: {' '.join(command)}: {ended.returncode}: {(ended.stderr or ended.stdout)[:2000]}")


def instructions(command, folder, expected=0):
    run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={folder}/log", ENTC,
         *command.split()], folder, expected)
    with open(os.path.join(folder, "log")) as log:
        return int(re.search(r"Collected : (\d+)", log.read()).group(1))


def built(files, folder):
    """The cost of one build of these sources."""
    written({f"src/{name}": content for name, content in files.items()}, folder)
    return instructions(BUILD, folder)


def commanded(shape, n, folder):
    """The cost of the command of a shape of shapes_commands.py."""
    written(shape.make(n), folder)
    for command in shape.before:
        run([ENTC, *command.split()], folder, 0)
    return instructions(shape.command, folder, shape.code)


# --- shapes that are written as JSON ---

def light(i):
    return {"transform": {"position": [i, 0.5, -i]}, "light": {"kind": "point", "range_m": 1 + i % 7}}


def row(n):
    return {"a.level.json": {"entities": [{"name": f"e{i}", "components": light(i)} for i in range(n)]}}


def deep(n):
    """Hierarchies of 20 levels: JSON may be nested 128 deep."""
    def below(i, left):
        entity = {"name": f"e{i}", "components": light(i)}
        if left:
            entity["children"] = [below(i, left - 1)]
        return entity
    return {"a.level.json": {"entities": [below(i, 19) for i in range(n // 20)]}}


def parents(n):
    """A flat list in which children precede their parents, in chains of 500."""
    entities = [{"name": f"e{i}", **({"parent": f"e{i - 1}"} if i % 500 else {})} for i in range(n)]
    return {"a.level.json": {"entities": entities[::-1]}}


def prefabs(n):
    """Instances of a prefab of prefabs of prefabs."""
    return {"leaf.entity.json": {"components": light(1)},
            "twig.entity.json": {"children": [{"name": f"l{i}", "prefab": "leaf"} for i in range(4)]},
            "branch.entity.json": {"children": [{"name": f"t{i}", "prefab": "twig"} for i in range(3)]},
            "a.level.json": {"entities": [{"name": f"b{i}", "prefab": "branch", "components": light(i)}
                                          for i in range(n // 16)]}}


def chain(n):
    """Prefabs of prefabs, one file each, 50 deep."""
    files = {}
    for i in range(n):
        files[f"c{i}.entity.json"] = {"components": light(i), **({"prefab": f"c{i - 1}"} if i % 50 else {})}
    return files


def overrides(n):
    return {"house.entity.json": {"children": [{"name": f"r{i}", "children": [{"name": "door"}, {"name": "lamp"}]}
                                               for i in range(n // 3)]},
            "a.level.json": {"entities": [{"name": "h", "prefab": "house", "overrides": {
                f"r{i}/lamp": {"components": light(i)} for i in range(n // 3)}}]}}


def references(n):
    """Every entity refers to another one by its path, and to a resource."""
    files = {f"m{i}.material.json": {"roughness": 0.5} for i in range(n // 20)}
    files["g.gltf"] = TRIANGLE
    files["a.level.json"] = {"entities": [
        {"name": f"e{i}", "components": {"camera": {"target": f"e{(i * 7919) % n}"}, "mesh": {"resource": "g/tri"}}}
        for i in range(n)]}
    return files


def groups(n):
    return {"a.level.json": {"entities": [{"name": f"e{i}", "group": f"g{i % (n // 10)}", "components": light(i)}
                                          for i in range(n)]}}


def names(n):
    """Names of 255 bytes that differ at their ends."""
    return {"a.level.json": {"entities": [{"name": "n" * 240 + f"{i:015}", "components": {"name": {"id": f"i{i}"}}}
                                          for i in range(n)]}}


def files(n):
    return {f"f{i // 100}/e{i}.entity.json": {"components": light(i)} for i in range(n)}


def several(n):
    """Many components of one type on one entity."""
    return {"a.level.json": {"entities": [{"name": "e", "components": {"light": [{"range_m": 1 + i} for i in range(n)]}}]}}


def declared(n):
    component = {"fields": {"points": {"type": "f32", "default": 1}, "team": {"type": "enum", "enum": ["red", "blue"]},
                            "tint": {"type": "f32", "count": 3, "default": [1, 1, 1]}, "guard": {"type": "entity"}}}
    return {"health.component.json": component, "a.level.json": {"entities": [
        {"name": f"e{i}", "components": {"health": {"points": i, "team": ["red", "blue"][i % 2], "tint": [0, 1, i % 2],
                                                    "guard": f"e{n - 1 - i}"}}} for i in range(n)]}}


def types(n):
    """Declarations: many component types are not possible, but many enum texts and fields are."""
    files = {}
    for i in range(n // 200):
        files[f"l{i}.level.json"] = {"entities": [{"name": f"e{k}", "components": {"paint": {"kind": f"t{k}"}}}
                                                  for k in range(200)]}
    files["paint.component.json"] = {"fields": {"kind": {"type": "enum", "enum": [f"t{k}" for k in range(256)]}}}
    return files


def persistent(n):
    return {"a.level.json": {"entities": [{"name": f"e{i}", "components": {"persistent_id": {}}} for i in range(n)]}}


def materials(n):
    return {f"m{i}.material.json": {"base_color": [i % 7 / 7, 0.5, 0.25], "roughness": 0.5} for i in range(n)}


def package(n):
    sources = materials(n)
    sources["all.package.json"] = {"roots": [f"m{i}.material" for i in range(n)]}
    return sources


# --- shapes that are models ---

def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def accessor(view, count, kind, **more):
    return {"bufferView": view, "componentType": 5126, "count": count, "type": kind, **more}


def gltf(parts, nodes, **more):
    """A .glb with a view for each part of its buffer."""
    views, data = [], b""
    for part in parts:
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(part)})
        data += part
    return shapes_models.glb({"asset": {"version": "2.0"}, "buffers": [{"byteLength": len(data)}], "bufferViews": views,
                              "nodes": nodes, "scenes": [{"nodes": more.pop("roots", list(range(len(nodes))))}], "scene": 0,
                              **more}, data)


TRIANGLE = {"asset": {"version": "2.0"}, "buffers": [{"byteLength": 36, "uri": (
    "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA")}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
    "meshes": [{"name": "tri", "primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": [{"mesh": 0}],
    "scenes": [{"nodes": [0]}], "scene": 0}


def keys(n):
    """One clip of many keys."""
    times = floats([i / 30 for i in range(n)])
    values = floats([v for i in range(n) for v in (math.sin(i), i % 13, 0)])
    return {"m.glb": gltf([times, values], [{"name": "a"}], accessors=[
        accessor(0, n, "SCALAR", min=[0], max=[struct.unpack("<f", struct.pack("<f", (n - 1) / 30))[0]]),
        accessor(1, n, "VEC3")],
        animations=[{"name": "run", "samplers": [{"input": 0, "output": 1}],
                     "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}])}


def tracks(n):
    """One clip of many tracks, a node each."""
    return {"m.glb": gltf([floats([0, 1]), floats([0, 0, 0, 1, 2, 3])], [{"name": f"n{i}"} for i in range(n)], accessors=[
        accessor(0, 2, "SCALAR", min=[0], max=[1]), accessor(1, 2, "VEC3")],
        animations=[{"name": "run", "samplers": [{"input": 0, "output": 1}],
                     "channels": [{"sampler": 0, "target": {"node": i, "path": "translation"}} for i in range(n)]}])}


def clips(n):
    """Many clips of one track."""
    return {"m.glb": gltf([floats([0, 1]), floats([0, 0, 0, 1, 2, 3])], [{"name": "a"}], accessors=[
        accessor(0, 2, "SCALAR", min=[0], max=[1]), accessor(1, 2, "VEC3")],
        animations=[{"name": f"run {i}", "samplers": [{"input": 0, "output": 1}],
                     "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]} for i in range(n)])}


def skin(n):
    """One skin of many joints, in a hierarchy of at most 500 levels."""
    nodes = [{"name": f"j{i}"} for i in range(n)] + [{"name": "body", "mesh": 0, "skin": 0}]
    roots = [n]
    for i in range(n):
        if i % 500 and i:
            nodes[i - 1].setdefault("children", []).append(i)
        elif i:
            nodes[0].setdefault("children", []).append(i)
    roots.append(0)
    binds = floats([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] * n)
    points, weights = floats([0, 0, 0, 1, 0, 0, 0, 1, 0]), floats([1, 0, 0, 0] * 3)
    joints = struct.pack("<12H", *([0] * 12))
    return {"m.glb": gltf([points, joints, weights, binds], nodes, roots=roots, accessors=[
        accessor(0, 3, "VEC3", min=[0, 0, 0], max=[1, 1, 0]), {**accessor(1, 3, "VEC4"), "componentType": 5123},
        accessor(2, 3, "VEC4"), accessor(3, n, "MAT4")],
        meshes=[{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}]}],
        skins=[{"joints": list(range(n)), "inverseBindMatrices": 3}])}


def meshes(n):
    """Many meshes and materials, all of one name."""
    return {"m.glb": gltf([floats([0, 0, 0, 1, 0, 0, 0, 1, 0])], [{"name": "a", "mesh": i} for i in range(n)], accessors=[
        accessor(0, 3, "VEC3", min=[0, 0, 0], max=[1, 1, 0])],
        materials=[{"name": "paint"} for _ in range(n)],
        meshes=[{"name": "part", "primitives": [{"attributes": {"POSITION": 0}, "material": i}]} for i in range(n)])}


# name, function, n of the short form or None, n of the long form
SHAPES = [
    ("row", row, 1000, 5000), ("deep", deep, None, 5000), ("parents", parents, 1000, 5000),
    ("prefabs", prefabs, 800, 4000), ("chain", chain, None, 1000), ("overrides", overrides, 900, 3000),
    ("references", references, None, 2500), ("groups", groups, None, 5000), ("names", names, None, 1000),
    ("files", files, None, 1000), ("several", several, 1000, 2500), ("declared", declared, None, 2500),
    ("types", types, None, 2500), ("persistent", persistent, None, 2500), ("materials", materials, None, 1000),
    ("package", package, None, 1000), ("keys", keys, None, 5000), ("tracks", tracks, 300, 1000),
    ("clips", clips, None, 400), ("skin", skin, None, 1000), ("meshes", meshes, None, 400),
]
MODELS = {"fan": (8000, 8000), "star": (8000, 8000), "hubs": (None, 8000), "spindle": (None, 8000),
          "fan_mode": (None, 8000), "crossed": (None, 8000), "degenerate": (None, 8000), "repeated": (None, 8000),
          "fan_mapped": (4000, 8000), "star_mapped": (None, 8000), "spindle_mapped": (None, 8000),
          "crossed_mapped": (None, 8000), "repeated_mapped": (None, 8000), "grid_mapped": (None, 8000),
          "strip": (None, 8000), "grid": (None, 8000), "soup": (None, 8000), "nodes": (None, 2000),
          "shared": (None, 400), "extensions": (None, 2000), "texture_sets": (None, 2000)}
SHAPES += [("model: " + name, shapes_models.SHAPES[name], *sizes) for name, sizes in MODELS.items()
           if name in shapes_models.SHAPES]


def measure(name, count, n, least):
    """Is no doubling too expensive? `count` returns the cost of so many elements, `least` is subtracted."""
    counts = [count(n << step) - least for step in range(3 if options.short else 4)]
    if counts[0] <= 0:
        raise SystemExit(f"growth.py: {name}: {n} elements cost as much as one: they are not measured")
    factors = [b / a for a, b in zip(counts, counts[1:])]
    holds = all(b <= LIMIT * a + FIRST * least for a, b in zip(counts, counts[1:]))
    print(f"{name:44} {n:7} {counts[0] / n:10.0f} instructions each, doublings "
          f"{' '.join(f'{factor:5.2f}' for factor in factors)}{'' if holds else '  FAILED'}", flush=True)
    return holds


def chosen(name, sizes):
    """n of the shape in this run, or None."""
    n = sizes[0] if options.short else sizes[1]
    return n if not options.only or name in options.only or name.split(":")[0] in options.only else None


def results(folder):
    """Whether each chosen shape holds."""
    empty = built({}, folder)
    for name, make, *sizes in SHAPES:
        n = chosen(name, sizes)
        if n is not None:
            yield measure(name, lambda size: built(make(size), folder), n, empty)
    for shape in shapes_commands.COMMANDS:
        n = chosen(shape.name, shape.sizes)
        if n is not None:
            yield measure(shape.name, lambda size: commanded(shape, size, folder), n, commanded(shape, 1, folder))


def main():
    folder = options.keep or tempfile.mkdtemp(prefix="growth.")
    try:
        all_hold = list(results(folder))
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{sum(all_hold)} passed, {len(all_hold) - sum(all_hold)} failed")
    sys.exit(not all_hold or not all(all_hold))


main()
