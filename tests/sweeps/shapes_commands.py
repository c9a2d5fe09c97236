"""Shapes that are measured with one command each, on a folder that other commands prepare.

COMMANDS lists them. `make` takes n and returns the files, {path: JSON value or bytes}; `before` are the commands
that prepare the folder and are not counted; `command` is counted and ends with the exit code `code`. `sizes` are
n of the short form (None: it is left out) and of the long form. The largest n, 8 times the one of the long form,
stays below the limits of the format.
"""
import collections
import os
import struct
import sys

ORACLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracles")
sys.path.insert(0, ORACLES)
import format_reader  # noqa: E402 (the folder is added above)

Shape = collections.namedtuple("Shape", "name make before command code sizes")
BUILD = "build src -o out -j1 -q"


def light(i):
    return {"transform": {"position": [i, 0.5, -i]}, "light": {"kind": "point", "range_m": 1 + i % 7}}


# --- blobs that entc does not write ---

NONE = 0xffffffff
PARENT, COMPONENT = 1, 2


def blob(table, body, entities):
    """A level, with its hash."""
    size = 64 + len(table) + len(body)
    head = b"ENTB" + struct.pack("<IIIQIII5I", 0x01020304, 1, 2, 1, size, len(table) // 32, entities, 0, 0, 0, 0, 0)
    hashed = format_reader.xxh3(table + body, format_reader.xxh3(head))
    return head + struct.pack("<Q", hashed) + table + body


def sections(n):
    """A level of one entity with a section for each of n component types that nothing declares."""
    page = format_reader.Page(os.path.join(ORACLES, "..", "..", "formats", "FORMAT.md"))
    end, table, body = 64 + 32 * n, b"", b""
    for i in range(n):
        kind, identifier, layout = (COMPONENT, 0x10000 + i, 7) if i else (PARENT, 0, page.records["parent"].layout)
        table += struct.pack("<8I", kind, identifier, layout, 1, 4, end + 16 * i, 4, 0 if i else 1)
        body += struct.pack("<4I", 0 if i else NONE, 0, 0, 0)
    return {"a.level": blob(table, body, 1)}


# --- levels ---

def level(n, first=0):
    """Entities with a parent, a name that is found by programs, and a group."""
    entities = [{"name": f"e{i}", **({"parent": f"e{i - 1}"} if i % 10 else {}),
                 "components": {**light(first + i), "name": {"id": f"i{i}"}}} for i in range(n)]
    return {"src/a.level.json": {"entities": entities}}


def grouped(n):
    return {"src/a.level.json": {"entities": [{"name": f"e{i}", "group": f"g{i}", "components": light(i)}
                                              for i in range(n)]}}


def two_levels(n):
    """Different in every entity; every tenth is in one of them only."""
    files = level(n)
    other = level(n, 1)["src/a.level.json"]["entities"]
    for i, entity in enumerate(other):
        if i % 10 == 9:
            entity["name"] = f"x{i}"
    files["src/b.level.json"] = {"entities": other}
    return files


def two_grouped(n):
    """Every entity is in another group."""
    files = grouped(n)
    files["src/b.level.json"] = {"entities": [{"name": f"e{i}", "group": f"g{n - i}", "components": light(i)}
                                             for i in range(n)]}
    return files


def materials(n, folder="src"):
    return {f"{folder}/m{i}.material.json": {"base_color": [i % 7 / 7, 0.5, 0.25], "roughness": 0.5} for i in range(n)}


def two_folders(n):
    files = materials(n)
    files.update(materials(n - n // 2, "other"))
    files.update({f"other/x{i}.material.json": {} for i in range(max(n // 2, 1))})
    return files


def package(n):
    return {**materials(n), "src/all.package.json": {"roots": [f"m{i}.material" for i in range(n)]}}


def package_patterns(n):
    """Patterns that each match one material."""
    return {**{f"src/f{i}/m.material.json": {"roughness": 0.5} for i in range(n)},
            "src/all.package.json": {"roots": [f"f{i}/*.material" for i in range(n)]}}


# --- blobs with many types, older names, enum texts, sections ---

def types(n):
    """Declared types with 40 older names and 20 enum texts each, all of them in one level."""
    files = {}
    for i in range(n):
        files[f"src/t{i}.component.json"] = {"was": [f"w{i}_{k}" for k in range(40)], "fields": {
            "kind": {"type": "enum", "enum": [f"k{k}" for k in range(20)]}, "points": {"type": "f32", "was": f"old{i}"}}}
    files["src/a.level.json"] = {"entities": [{"name": "e", "components": {f"t{i}": {"kind": "k1", "points": i} for i in range(n)}}]}
    return files


def formers(n):
    return {"src/t.component.json": {"was": [f"w{k}" for k in range(n - n // 2)],
                                     "fields": {"a": {"type": "f32", "was": [f"f{k}" for k in range(n // 2)]}}},
            "src/a.level.json": {"entities": [{"name": "e", "components": {"t": {"a": 1}}}]}}


def enum_texts(n):
    return {"src/t.component.json": {"fields": {"a": {"type": "enum", "enum": [f"k{k}" for k in range(n)]}}},
            "src/a.level.json": {"entities": [{"name": f"e{i}", "components": {"t": {"a": f"k{i}"}}} for i in range(n)]}}


def changed(make):
    """The declaration of `make`, and a later one in which all of its items have moved or are new."""
    def both(n):
        files = make(n)
        later = {**files["src/t.component.json"]}
        one = {**later["fields"]}
        for name, field in list(one.items()):
            if "enum" in field:
                one[name] = {**field, "enum": field["enum"][::-1]}
        later["fields"] = {**dict(reversed(list(one.items()))), "added": {"type": "u32", "default": 1}}
        files["later/t.component.json"] = later
        files["later/a.level.json"] = {"entities": []}
        return files
    both.__name__ = make.__name__
    return both


# --- models ---

def outside(n):
    """Nodes that no scene contains, half of them with a mesh."""
    file = {**TRIANGLE, "nodes": [{"mesh": 0, "name": "used"}] + [
        {"name": f"n{i}", **({"mesh": 0} if i % 2 else {})} for i in range(n)]}
    return {"src/g.gltf": file, "src/a.level.json": {"entities": [
        {"name": "e", "components": {"mesh": {"resource": "g/tri"}}}]}}


def outside_deep(n):
    """The same in chains of 100 nodes."""
    files = outside(n)
    nodes = files["src/g.gltf"]["nodes"]
    for i in range(1, n):
        if i % 100:
            nodes[i]["children"] = [i + 1]
    return files


def references(n):
    """Every entity refers to another one by its path, and to one of ten resources."""
    files = {f"src/g{i}.gltf": TRIANGLE for i in range(10)}
    files["src/a.level.json"] = {"entities": [
        {"name": f"e{i}", "components": {"camera": {"target": f"e{(i * 7919) % n}"},
                                         "mesh": {"resource": f"g{i % 10}/tri"}}} for i in range(max(n, 10))]}
    return files


def prefabs(n):
    """Files that each refer to the one before."""
    files = {f"src/c{i}.entity.json": {"components": light(i), **({"prefab": f"c{i - 1}"} if i % 50 else {})}
            for i in range(n)}
    files["src/a.level.json"] = {"entities": [{"name": f"e{i}", "prefab": f"c{i}"} for i in range(n)]}
    return files


def overrides(n):
    return {"src/house.entity.json": {"children": [{"name": f"r{i}", "components": light(i)} for i in range(n)]},
            "src/a.level.json": {"entities": [{"name": "h", "prefab": "house", "overrides": {
                f"r{i}": {"components": {"light": {"range_m": 3}}} for i in range(n)}}]}}


def morph(n):
    """Morph targets of one triangle, with names and weights."""
    file = {**TRIANGLE, "meshes": [{"name": "tri", "weights": [0] * n, "extras": {"targetNames": [f"t{i}" for i in range(n)]},
                                    "primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}] * n}]}]}
    return {"src/g.gltf": file}


def parts(n):
    """Parts of one mesh, with a material each."""
    file = {**TRIANGLE, "materials": [{"name": f"p{i}", "pbrMetallicRoughness": {"roughnessFactor": i / n}} for i in range(n)],
            "meshes": [{"name": "tri", "primitives": [{"attributes": {"POSITION": 0}, "material": i} for i in range(n)]}]}
    return {"src/g.gltf": file}


TRIANGLE = {"asset": {"version": "2.0"}, "buffers": [{"byteLength": 36, "uri": (
    "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA")}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
    "meshes": [{"name": "tri", "primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": [{"mesh": 0}],
    "scenes": [{"nodes": [0]}], "scene": 0}


# --- settings ---

def setting(*keys):
    """A list of entc.json; `keys` lead to it."""
    def make(n):
        value = [f"x{i}" for i in range(n)]
        for key in reversed(keys):
            value = {key: value}
        return {"src/entc.json": value, "src/a.level.json": {"entities": []}}
    make.__name__ = keys[0]
    return make


def severities(n):
    return {"src/entc.json": {"diagnostics": {f"W{9999 - i}": "off" for i in range(n)}}}


def patterns_and_files(n):
    return {"src/entc.json": {"data": {"files": [f"**/*.x{i}" for i in range(40)]}},
            **{f"src/d{i}.x{i % 40}": b"data" for i in range(n)}}


# --- errors: as many as there are items ---

def wrong_level(n):
    return {"src/a.level.json": {"entities": [{"name": f"e{i}", "wrong": 1, "components": {"lihgt": {}, "camera": {
        "target": f"none{i}"}}} for i in range(n)]}}


def wrong_declaration(n):
    return {"src/t.component.json": {**{f"key{i}": 1 for i in range(n)}, "fields": {"a": {"type": "f32", **{
        f"key{i}": 1 for i in range(n)}}}}}


def wrong_declarations(n):
    """Declarations with older names that other declarations have."""
    return {f"src/t{i}.component.json": {"was": [f"t{(i + 1) % n}", f"old{i // 2}"], "fields": {"a": {"type": "f32"}}}
            for i in range(n)}


def wrong_model(n):
    return {"src/g.gltf": {**TRIANGLE, "nodes": [{"mesh": 7, "scale": [1, 2]} for _ in range(n)]}}


def wrong_package(n):
    return {"src/all.package.json": {"roots": [f"none{i}.material" for i in range(n)]}}


def shapes():
    """(make, before, command, exit code, n of the short form, n of the long form)"""
    source_map = BUILD + " --source-map"
    two = (BUILD, "build other -o out2 -j1 -q")
    pack = (BUILD, "pack out -o a.pak --level 1")
    later = (BUILD, "build later -o out2 -j1 -q")
    return [
        *((level, (BUILD,), f"{command} out/a.level", 0, None, 500)
          for command in ("verify", "dump", "dump --json", "dump --annotate", "info")),
        (level, (source_map,), "dump --annotate out/a.level", 0, None, 500),
        (level, (source_map,), "dump out/a.level", 0, 100, 500),
        (level, (source_map,), "info out", 0, None, 500),
        (grouped, (BUILD,), "dump out/a.level", 0, None, 500),
        *((two_levels, (BUILD,), f"{command} out/a.level out/b.level", 1, None, 500)
          for command in ("diff", "diff --json", "diff --stat")),
        (two_grouped, (BUILD,), "diff out/a.level out/b.level", 1, None, 500),
        (two_folders, two, "diff out out2", 1, None, 100),
        (materials, (BUILD,), "info out", 0, None, 100),
        *((types, (BUILD,), f"{command} out/a.level", 0, None, 10) for command in ("verify", "dump", "info")),
        (types, (BUILD,), "diff out/a.level out/t0.component", 1, None, 10),
        (types, (), "schema src -o schema", 0, None, 10),
        (types, (), "codegen src -o types.h", 0, None, 10),
        *((formers, (BUILD,), f"{command} out/t.component", 0, None, 125) for command in ("verify", "dump", "info")),
        *((enum_texts, (BUILD,), f"{command} out/a.level", 0, None, 32) for command in ("verify", "dump", "info")),
        *((changed(make), (), "conform src/t.component.json later/t.component.json", 0, None, n)
          for make, n in ((formers, 125), (enum_texts, 31))),
        *((changed(make), later, "migrate out2 out/a.level --dry-run", 0, None, n)
          for make, n in ((formers, 125), (enum_texts, 31))),
        *((sections, (), f"{command} a.level", 0, None, 64) for command in ("verify", "dump", "info")),
        *((make, (), command, code, None, 1000) for make in (outside, outside_deep) for command, code in (
            ("refs src g/tri.mesh", 0), ("unused src --root a.level", 0), ("mv src g.entity h.entity --dry-run", 0))),
        *((references, (), command, code, short, 500) for command, code, short in (
            ("refs src g1/tri.mesh", 0, 250), ("unused src --root a.level", 0, None),
            ("mv src g1.entity q.entity --dry-run", 0, None),
            ("mv src a.level:e1 q --dry-run", 0, None), ("deps src a.level --all", 0, None))),
        *((prefabs, before, command, code, None, 100) for before, command, code in (
            ((), "refs src c0.entity", 0), ((), "unused src --root a.level", 0),
            ((), "mv src c0.entity q.entity --dry-run", 0), ((), "deps src a.level --all", 0),
            ((), "compile src a.level -o a.level", 0), ((BUILD,), "why src a.level -o out", 0),
            ((BUILD,), "why src -o out", 0), ((BUILD,), BUILD, 0), ((BUILD,), BUILD + " --check", 0))),
        (materials, (), "rm src m0.material --dry-run", 0, None, 100),
        (overrides, (), "fix-overrides src --dry-run", 0, None, 200),
        (package, (BUILD,), "pack out -o a.pak --level 1", 0, None, 100),
        (package, pack, "list a.pak", 0, None, 100),
        (package, pack, "unpack a.pak -o un", 0, None, 100),
        (package, pack, "verify a.pak", 0, None, 100),
        (package, pack, "info a.pak", 0, None, 100),
        *((make, (), BUILD, 0, None, n) for make, n in (
            (package_patterns, 100), (morph, 200), (parts, 200), (setting("languages"), 125), (setting("platforms"), 125),
            (setting("data", "files"), 125), (patterns_and_files, 100))),
        *((make, (), BUILD, 3, None, n) for make, n in (
            (setting("models", "accept"), 200), (severities, 200), (wrong_level, 200), (wrong_declaration, 200),
            (wrong_declarations, 100), (wrong_model, 200), (wrong_package, 200))),
        *((wrong_level, (), f"{BUILD} --diag-format {form}", 3, None, 200) for form in ("json", "sarif", "github", "msvc")),
    ]


COMMANDS = [Shape(f"{make.__name__}: {command}{' (with a source map)' if before and 'source-map' in before[0] else ''}",
                  make, before, command, code, sizes) for make, before, command, code, *sizes in shapes()]
