"""Random histories of a project: after each step, the result must be that of a build from nothing.

    histories.py BUILD FOLDER [--seed N] [--steps N] [--length N] [--jobs N] [--seconds N] [--ignore-case]

A history is a list of steps. Each step changes sources, outputs, the build database or the cache, and has the
options of a build. After a step, this is compared with a build of the same sources into a new folder, without a
cache, with one thread:

    build     the bytes of all outputs and source maps, the diagnostics, and the exit code; while there are errors,
              the outputs stay as they were; with -k those without errors are written
    --check   exit code 0 exactly when no output differs; its diagnostics
    why       states "everything is up to date" exactly then
    cache     a build with a warm cache, half of the time into a new folder: bytes, diagnostics, exit code
    ninja     the emitted graph, of single resources or of batches, which ninja updates: the bytes; it fails exactly
              when a build fails
    compile   of one resource, and of several: the bytes and source maps; it succeeds exactly when the resources have no
              errors, and reports nothing else than a build
    --inputs  one resource in a folder that contains only its inputs: its bytes, and no other message than of a build
    unused    its output, messages and exit code with stored references, before every third build: it finds out about
              files what the build must still notice

With --ignore-case, all but the build from nothing take place on a file system that ignores case, on which no two names
of a folder differ in case only.

A history that fails is shortened and printed: it can be repeated with --replay FILE. --seed and --steps state
which histories are run, --length how many steps each has, --jobs how many run at the same time; after
--seconds no further one begins.
"""
import argparse
import ast
import json
import multiprocessing
import os
import pprint
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

from build_world import (Tally, World, difference, entity, files_below, level, model, model_inline, model_complete,
                         sources_before, text, triangle, write)

arguments = argparse.ArgumentParser()
arguments.add_argument("build")
arguments.add_argument("folder")
arguments.add_argument("--seed", type=int, default=1)
arguments.add_argument("--steps", type=int, default=40)
arguments.add_argument("--length", type=int, default=40)
arguments.add_argument("--jobs", type=int, default=1)
arguments.add_argument("--seconds", type=float, default=1e9)
arguments.add_argument("--replay")
arguments.add_argument("--ignore-case", action="store_true")
arguments.add_argument("--no-shortening", dest="shorten", action="store_false")
# Another script that imports this has BUILD and FOLDER first, and other options.
options = arguments.parse_args(sys.argv[1:] if __name__ == "__main__" else sys.argv[1:3])
PLUGIN = os.path.abspath(os.path.join(options.build, "tests/plugins/plugin_wind.so"))
NINJA = shutil.which("ninja")

PARTS = ("box", "crate", "lid")
FOLDERS = ("", "props", "levels", "models", "art")
NAMES = ("a", "b", "lamp")
FOREIGN = ("notes.txt", "props/readme.md", "a.level.bak")
RESOURCE_TYPES = ("entity", "level", "mesh", "skeleton", "clip", "material", "texture", "data", "component", "package")


# --- sources ---

def png(size, shade):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + bytes((shade, 2 * shade % 256, 90)) * size) * size
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def textured(buffer, uri, size=1):
    """A model whose material refers to an image by its URI, or to one in the buffer; None: without an image."""
    value = json.loads(model(None, size))
    picture = png(2, 40 * size)
    data = triangle(size) + struct.pack("<6f", 0, 0, 1, 0, 0, 1)
    value["bufferViews"].append({"buffer": 0, "byteOffset": 44, "byteLength": 24})
    value["accessors"].append({"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC2"})
    value["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = 2
    value["materials"][0]["pbrMetallicRoughness"] = {"baseColorTexture": {"index": 0}}
    value["textures"] = [{"source": 0}]
    value["images"] = [{"uri": uri}]
    if not uri:
        value["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": len(picture)})
        value["images"] = [{"bufferView": 3, "mimeType": "image/png", "name": "skin"}]
        data += picture + b"\0" * (-len(picture) % 4)
    value["buffers"] = [{"byteLength": len(data)}]
    if buffer:
        value["buffers"][0]["uri"] = buffer
        return text(value), data
    words = text(value)
    words += b" " * (-len(words) % 4)
    chunks = struct.pack("<II", len(words), 0x4E4F534A) + words + struct.pack("<II", len(data), 0x004E4942) + data
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks, None


def canonical(path):
    """The spelling of a name that Maker.spelled() has changed."""
    return path.lower().replace("\u00e4", "a").replace("\u03bb", "l").replace(" ", "_")


class Maker:
    """Chooses the steps of a history; what it chooses is stored as plain values, so that it can be repeated."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.sources = {}
        self.flags = {}

    def any_name(self):
        return "/".join(filter(None, (self.dice.choice(FOLDERS), self.dice.choice(NAMES))))

    def names(self, *suffixes):
        return sorted({canonical(name.split(".")[0]) for name in self.sources if name.lower().endswith(suffixes)})

    def likely(self, *suffixes):
        """Usually a name that exists."""
        known = self.names(*suffixes)
        return self.dice.choice(known) if known and self.dice.random() < 0.95 else self.any_name()

    def chance(self, share):
        return self.dice.random() < share

    def components(self):
        dice, some = self.dice, {"transform": {"position": [self.dice.randrange(9), 0, 0]}}
        if self.chance(0.3):
            some["light"] = [{"kind": "spot", "range_m": 1 + dice.randrange(9)}]
        if self.chance(0.2):
            some["mesh"] = {"resource": self.likely(".gltf", ".glb") + "/box"}
            if self.chance(0.3):
                some["mesh"]["materials"] = {"paint": self.likely(".gltf", ".glb") + "/paint"}
        if self.chance(0.15):
            some["decal"] = {"color_texture": self.likely(".png", ".texture.json")}
        if self.chance(0.2) and self.names("health.component.json"):
            some["health"] = {"points": dice.randrange(9)}
        if self.chance(0.15) and self.names("music.component.json"):
            some["music"] = {"track": self.likely(".ogg", ".ogg.data.json", ".lua")}
        if self.chance(0.2) and "plugin" in self.flags:
            some["wind"] = {"speed_m_s": dice.randrange(9)}
        if self.chance(0.1):
            some["name"] = {"id": dice.choice(NAMES)}
        return some

    def instances(self):
        return [{"name": f"e{i}", "prefab": self.prefab()} if self.chance(0.5)
                else {"name": f"e{i}", "components": self.components()} for i in range(self.dice.randrange(4))]

    def prefab(self):
        """Also a part of a model, which it has only with settings that split it."""
        if self.chance(0.2):
            return self.likely(".gltf", ".glb") + "/" + self.dice.choice(PARTS)
        return self.likely(".entity.json", ".gltf", ".glb")

    def make_kit(self):
        """A model of several objects, which instance other entities, or are in collections."""
        value = json.loads(model_inline(1 + self.dice.randrange(3)))
        value["nodes"] = [{"name": self.dice.choice(PARTS), "mesh": 0, "translation": [i, 0, 0]}
                          for i in range(1 + self.dice.randrange(3))]
        value["scenes"] = [{"nodes": list(range(len(value["nodes"])))}]
        if self.chance(0.3):
            value["asset"]["generator"] = "Khronos glTF Blender I/O v3.4.50"
        for node in value["nodes"]:
            extras = {}
            if self.chance(0.4):
                extras["prefab"] = self.prefab()
            if self.chance(0.3):
                extras["collection"] = self.dice.choice(PARTS)
            if self.chance(0.2):
                extras["group"] = "night"
            if self.chance(0.3):
                extras["point_mass.velocity"] = [1, self.dice.randrange(5), 3]
            if extras:
                node["extras"] = extras
        return text(value)

    def make_entity(self):
        if self.chance(0.3):
            return entity(self.components(), prefab=self.likely(".entity.json"))
        return entity(self.components(), self.instances())

    def make_level(self):
        return level(*self.instances())

    def make_material(self):
        value = {"roughness": self.dice.randrange(9) / 10}
        if self.chance(0.4):
            value["textures"] = {"base_color": {"texture": self.likely(".png", ".texture.json")}}
        return text(value)

    def make_settings_of_texture(self):
        value = {} if self.chance(0.4) else {"format": self.dice.choice(("rgba8", "bc1")), "largest": 2}
        if self.chance(0.2):
            value["image"] = self.dice.choice(NAMES) + ".png"
        return text(value)

    def make_settings_of_model(self):
        return text(self.dice.choice(({}, {"lods": []}, {"levels": 2}, {"lods": 1}, {"split": "roots"}, {"split": "roots"},
                                      {"split": "collections"}, {"as": "level"}, {"properties": "z_up"})))

    def make_health(self):
        fields = {"points": {"type": "f32", "default": self.dice.randrange(9)}}
        if self.chance(0.5):
            fields["team"] = {"type": "enum", "enum": ["red", "blue"], "default": "red"}
        return text({"fields": fields})

    def make_package(self):
        pattern = self.dice.choice(("levels/*.level", "**/a.*", "art/*.texture", "*.entity", "props/**"))
        roots = [pattern] if self.chance(0.7) else [self.likely(".entity.json") + ".entity"]
        return text({"roots": roots})

    def make_project(self):
        value = {}
        if self.chance(0.5):
            value["languages"] = ["fr"]
            value["platforms"] = ["mobile"]
        if self.chance(0.4):
            value["data"] = {"files": [self.dice.choice(("*.ogg", "art/*.png", "**/*.lua", "props/*"))]}
        if self.chance(0.3):
            value["models"] = {"accept": ["extras"]}
        if self.chance(0.3):
            value["diagnostics"] = {self.dice.choice(("W0316", "W0318")): self.dice.choice(("error", "off"))}
        return text(value)

    def raw(self):
        return bytes(self.dice.randrange(256) for _ in range(self.dice.randrange(6)))

    def add(self):
        """New sources, {path: content}."""
        name, dice = self.any_name(), self.dice
        size = 1 + dice.randrange(3)
        kind = dice.choice(("entity", "entity", "level", "level", "material", "glb", "gltf", "kit", "kit", "inside", "beside", "image",
                            "texture", "model", "health", "music", "package", "raw", "pattern", "project", "notes"))
        if kind == "gltf":
            return {name + ".gltf": model(name.split("/")[-1] + ".bin", size), name + ".bin": triangle(size)}
        if kind == "kit":
            files = {name + ".gltf": self.make_kit()}
            if self.chance(0.7):
                files[name + ".model.json"] = self.make_settings_of_model()
            return files
        if kind == "glb":
            return {name + ".glb": model_complete(size, dice.choice(("box", "box", "cloth")))}
        if kind == "inside":
            return {name + ".glb": textured(None, None, size)[0]}
        if kind == "beside":
            buffer = name.split("/")[-1] + ".bin"
            image = dice.choice(("", "../art/")) + dice.choice(NAMES) + ".png"
            words, data = textured(buffer, image, size)
            written = {name + ".gltf": words, name + ".bin": data}
            path = os.path.normpath(os.path.join(os.path.dirname(name), image))
            if not path.startswith("..") and self.chance(0.8):
                written[path] = png(2, 30 * size)
            return written
        return {
            "entity": lambda: {name + ".entity.json": self.make_entity()},
            "level": lambda: {name + ".level.json": self.make_level()},
            "material": lambda: {name + ".material.json": self.make_material()},
            "image": lambda: {name + ".png": png(dice.choice((1, 2, 4)), 10 * size)},
            "texture": lambda: {name + ".texture.json": self.make_settings_of_texture()},
            "model": lambda: {self.likely(".gltf", ".glb") + ".model.json": self.make_settings_of_model()},
            "health": lambda: {dice.choice(("", "props/")) + "health.component.json": self.make_health()},
            "music": lambda: {"music.component.json": text({"fields": {"track": {"type": "resource", "resource": "data"}}})},
            "package": lambda: {name + ".package.json": self.make_package()},
            "raw": lambda: {name + ".ogg": self.raw(), name + ".ogg.data.json": text({})},
            "pattern": lambda: {name + dice.choice((".ogg", ".lua")): self.raw()},
            "project": lambda: {"entc.json": self.make_project()},
            "notes": lambda: {dice.choice(("notes.txt", "props/entc.json", name + ".fbx")): self.raw()},
        }[kind]()

    def changed(self, path):
        """Other content for a source of the same kind."""
        name = path.lower()
        for suffix, make in ((".entity.json", self.make_entity), (".level.json", self.make_level),
                             (".material.json", self.make_material), (".texture.json", self.make_settings_of_texture),
                             (".model.json", self.make_settings_of_model), ("health.component.json", self.make_health),
                             (".package.json", self.make_package), ("entc.json", self.make_project), (".ogg", self.raw),
                             (".lua", self.raw)):
            if name.endswith(suffix):
                return make()
        size = 1 + self.dice.randrange(3)
        if name.endswith(".png"):
            return png(self.dice.choice((1, 2, 4)), 20 * size)
        if name.endswith(".glb"):
            return self.dice.choice((model_complete(size), textured(None, None, size)[0]))
        if name.endswith(".gltf"):
            return self.dice.choice((model_inline(size), model(name.split("/")[-1][:-5] + ".bin", size), self.make_kit()))
        if name.endswith(".bin"):
            return triangle(size, self.dice.random()) if len(self.sources[path]) == 44 else self.sources[path]
        return self.raw()

    def spelled(self, path):
        """Another name of a file: another program has other rules for names than entc."""
        folder, base = os.path.split(path)
        stem, suffix = base.split(".", 1)
        how = self.dice.choice(("upper", "suffix", "accent", "alphabet", "digits", "folder", "space", "lower"))
        if how == "folder" and folder:
            return os.path.join(self.dice.choice((folder.upper(), folder.title())), base)
        base = {"upper": stem.title() + "." + suffix, "suffix": stem + "." + suffix.upper(),
                "accent": stem.replace("a", "\u00e4") + "." + suffix, "alphabet": stem.replace("l", "\u03bb") + "." + suffix,
                "digits": stem + ".001." + suffix, "space": stem + " ." + suffix}.get(how)
        return os.path.join(folder, base) if base else canonical(path)

    def edit(self):
        """[operation] of one edit."""
        dice, sources = self.dice, self.sources
        kind = dice.choice(("add", "add", "add", "change", "change", "change", "change", "space", "remove", "remove",
                            "rename", "move", "break", "variant", "swap", "retype", "folder", "spell", "spell", "object"))
        if len(sources) < 8 or kind == "add":
            return [("put", path, content) for path, content in self.add().items()]
        if kind == "spell" and self.chance(0.4):
            return [("canonical",)]
        if kind == "object":
            return self.renamed_object()
        name = dice.choice(sorted(sources))
        stem, suffix = name.split(".", 1) if "." in os.path.basename(name) else (name, "")
        if kind == "change":
            return [("put", name, self.changed(name))]
        if kind == "space" and name.endswith((".json", ".gltf")):
            return [("put", name, sources[name] + dice.choice((b" ", b"\n")))]
        if kind == "remove":
            return [("remove", name)]
        if kind == "spell":
            known = [s for s in sources if s.lower().endswith((".png", ".gltf", ".glb", ".bin", ".ogg", ".lua"))]
            name = dice.choice(sorted(known)) if known else name
            new = self.spelled(name) if known else name
            return [("put", new, sources[name]) if self.chance(0.3) else ("move", name, new)]
        if kind == "rename":
            new = "/".join(filter(None, (os.path.dirname(stem), dice.choice(NAMES)))) + "." + suffix
            return [("move", name, new)]
        if kind == "move":
            return [("move", name, "/".join(filter(None, (dice.choice(FOLDERS), os.path.basename(name)))))]
        if kind == "folder":
            old, new = dice.choice(FOLDERS[1:]), dice.choice(FOLDERS[1:])
            return [("move", name, new + name[len(old):]) for name in sorted(sources) if name.startswith(old + "/")]
        if kind == "break":
            return [("put", name, sources[name][:dice.randrange(len(sources[name]) + 1)])]
        if kind == "variant":
            tag = dice.choice(("fr", "mobile", "fr.mobile", "de"))
            return [("put", f"{stem}.{tag}.{suffix}", self.changed(name) if self.chance(0.5) else sources[name])]
        if kind == "swap":
            other = dice.choice(sorted(sources))
            return [("put", name, sources[other]), ("put", other, sources[name])]
        if kind == "retype":
            known = [s for s in sources if "." in os.path.basename(s)]
            other = dice.choice(sorted(known)).split(".", 1)[1] if known else "png"
            return [("put", stem + "." + other, self.changed(stem + "." + other) if stem + "." + other in sources
                     else dice.choice([sources[s] for s in sorted(known) if s.endswith(other)]))]
        return []

    def renamed_object(self):
        """Another program renames an object of a model; afterwards its references are repaired, mostly."""
        known = sorted(s for s in self.sources if s.endswith(".gltf") and b'"name": "' in self.sources[s])
        if not known:
            return []
        name, old, new = self.dice.choice(known), *self.dice.sample(PARTS, 2)
        changed = self.sources[name].replace(f'"name": "{old}"'.encode(), f'"name": "{new}"'.encode())
        repair = ("repair", name, f"{canonical(name[:-5])}/{old}.entity", f"{canonical(name[:-5])}/{new}.entity")
        return [("put", name, changed)] + ([repair] if self.chance(0.8) else [])

    def disturb(self):
        """[operation] on what builds have written."""
        dice = self.dice
        kind = dice.choice(("tamper", "tamper", "tamper", "lose", "stamp", "checkout", "foreign"))
        if kind == "tamper":
            return [("tamper", dice.choice(("out", "out", "nin")), round(dice.random(), 3),
                     dice.choice(("flip", "cut", "empty", "delete", "longer")), round(dice.random(), 3))]
        if kind == "lose":
            return [("lose", dice.choice(("database", "database", "cache", "out", "nin")))]
        if kind == "stamp":
            return [("stamp", round(dice.random(), 3), dice.randrange(1, 10))]
        if kind == "foreign":
            return [("foreign", dice.choice(FOREIGN))]
        return [("checkout",)]

    def toggle(self):
        dice, flags = self.dice, self.flags
        what = dice.choice(("strip", "source-map", "source-map", "lang", "platform", "k", "k", "target", "plugin", "none"))
        if what in ("lang", "platform"):
            flags[what] = dice.choice((("fr", "de") if what == "lang" else ("mobile",)))
        elif what != "none":
            flags[what] = True
        if self.chance(0.6) and flags:
            flags.pop(dice.choice(sorted(flags)))

    def step(self):
        """(operations, options of a build)"""
        operations = []
        for _ in range(self.dice.choice((1, 1, 1, 2, 3))):
            operations += self.edit() if self.chance(0.8) else self.disturb()
        if self.chance(0.2):
            self.toggle()
        return operations, arguments_of(self.flags)


def arguments_of(flags):
    words = []
    for name in sorted(flags):
        words += {"strip": ["--strip"], "source-map": ["--source-map"], "k": ["-k"], "target": ["--target", "big"],
                  "plugin": ["--plugin", "PLUGIN"]}.get(name) or ["--" + name, flags[name]]
    return words


# --- the world ---

def prefixes(path):
    """The path, and those of its folders."""
    parts = path.split("/")
    return ["/".join(parts[:i + 1]) for i in range(len(parts))]


def named(path):
    """Canonical for a host's file system: no file where a folder is needed."""
    return os.path.normpath(path)


class Replay:
    """A scratch folder in which the steps of a history are carried out and compared."""

    def __init__(self, folder):
        self.world = World(options.build, folder)
        self.sources = {}
        self.graph = None  # the options of the emitted graph
        self.keeps_time = []
        self.code, self.valid = 0, 0  # of the last build; the number of builds without errors
        self.recorded, self.tampered = set(), set()  # the outputs that the build database contains; those that were damaged
        self.problems = []
        if options.ignore_case:
            self.world.ignore_case()

    # operations

    def apply(self, operation):
        name, *values = operation
        getattr(self, "do_" + name)(*values)

    def may_be_put(self, path):
        """No source is a folder of another one."""
        if options.ignore_case:
            spellings = {part.lower(): part for name in self.sources for part in prefixes(name)}
            if any(spellings.get(part.lower(), part) != part for part in prefixes(path)):
                return False
        return not any(s.startswith(path + "/") or path.startswith(s + "/") for s in self.sources)

    def do_put(self, path, content):
        if self.may_be_put(path):
            self.sources[path] = content

    def do_remove(self, path):
        self.sources.pop(path, None)

    def do_move(self, old, new):
        if old in self.sources:
            content = self.sources.pop(old)
            self.do_put(new, content)

    def do_canonical(self):
        """Does not change what a build from nothing writes."""
        self.world.put(self.sources)
        before = self.world.clean()
        code, _, err = self.world.run("mv", "src", "--canonical")
        self.sources = {name: content for name, content in files_below(self.world.path("src")).items()
                        if content is not None}
        self.world.sources = dict(self.sources)
        after = self.world.clean()
        if code == 0 and before[0] == 0:
            self.expect("exit code after mv --canonical", after[0], 0)
            self.expect("files after mv --canonical", difference(before[2], after[2]), "")
            self.expect("files with other names after mv --canonical", "W0318" in after[1], False)
        elif before[0] == 0:
            if re.search(r"^src/\S*\.(fr|mobile|de)\.\S*: error: ", err, re.M):
                return  # in a variant that these builds do not read
            known = re.search('"src/(.*)" already exists', err)
            self.expect(f"mv --canonical has a reason: {err}",
                        known is not None and known.group(1) in self.sources or "would both become" in err, True)

    def do_repair(self, path, old, new):
        """No text that can be read refers to the former name, where the new one exists."""
        self.world.put(self.sources)
        code, _, err = self.world.run("mv", "src", "--references", old, new)
        self.sources = {name: content for name, content in files_below(self.world.path("src")).items()
                        if content is not None}
        self.world.sources = dict(self.sources)
        if code == 0:
            missing = f'there is no entity "{old[:-7]}"'
            lines = [line for line in self.world.clean()[1].splitlines() if missing in line and ".gltf:" not in line]
            self.expect(f"references after mv --references {old} {new} ({err})", lines, [])

    def do_tamper(self, out, which, how, where):
        how = "delete" if out == "nin" else how  # ninja compares times, and no contents
        files = sorted(name for name in self.world.outputs(out) if name not in FOREIGN)
        if not files:
            return
        path = self.world.path(out, files[min(int(which * len(files)), len(files) - 1)])
        with open(path, "rb") as file:
            content = bytearray(file.read())
        if how == "delete":
            os.unlink(path)
            return
        if out == "out":
            self.tampered.add(os.path.relpath(path, self.world.path("out")))
        at = int(where * len(content))
        if how == "flip" and content:
            content[min(at, len(content) - 1)] ^= 0x5a
        content = content[:at] if how == "cut" else b"" if how == "empty" else content + b"x" if how == "longer" else content
        write(path, bytes(content))

    def do_lose(self, what):
        self.world.remove(*{"database": (".out.entc",), "cache": ("cache",), "out": ("out", ".out.entc"),
                            "nin": ("nin", ".nin.entc", "nin.ninja")}[what])
        if what == "nin":
            self.graph = None
        if what in ("database", "out"):
            self.recorded = set()

    def do_stamp(self, which, digit):
        """Writes a change that keeps size and time."""
        self.world.put(self.sources)
        names = sorted(n for n in self.sources if n.endswith(".json") and re.search(rb"[0-9]", self.sources[n]))
        if not names:
            return
        name = names[min(int(which * len(names)), len(names) - 1)]
        path = self.world.path("src", name)
        info = os.stat(path)
        content = bytearray(self.sources[name])
        content[max(content.rfind(d) for d in b"0123456789")] = 48 + digit
        self.sources[name] = bytes(content)
        with open(path, "r+b") as file:
            file.write(self.sources[name])
        os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
        self.world.sources = dict(self.sources)
        self.keeps_time.append(path)

    def do_foreign(self, name):
        """A file in the output folder that entc did not write."""
        if os.path.isdir(self.world.path("out")) and not os.path.isdir(self.world.path("out", name)):
            write(self.world.path("out", name), b"not of entc")

    def do_checkout(self):
        self.world.remove("src")
        self.world.sources = {}

    # comparisons

    def wrong(self, what):
        self.problems.append(what)

    def expect(self, what, found, wanted):
        if found == wanted:
            return
        if isinstance(wanted, str):
            lines = [sorted(set(a.split("\n")) - set(b.split("\n"))) for a, b in ((found, wanted), (wanted, found))]
            self.wrong(f"{what}: more: {lines[0]}, less: {lines[1]}" if lines[0] or lines[1] else f"{what}: another order")
        else:
            self.wrong(f"{what}: {found!r} instead of {wanted!r}")

    def foreign_files(self):
        return {name: content for name, content in self.world.outputs().items() if name in FOREIGN}

    def check(self, words):
        """After the sources have been written."""
        world = self.world
        words = [PLUGIN if word == "PLUGIN" else word for word in words]
        code, err, fresh = world.clean(*words)
        self.code = code
        self.valid += code == 0
        writes = code == 0 or (code == 3 and "-k" in words)
        self.remove_unknown(fresh)
        if writes:
            self.check_refusal(words, code, fresh)
        before = world.outputs()
        foreign = self.foreign_files()
        wanted = {**fresh, **foreign} if code == 0 else before
        same = not difference(before, {**fresh, **foreign})
        self.check_unused(words)
        # An empty project for another target only has another index, which is that of no resource.
        blobs = not difference(without_index(before), without_index({**fresh, **foreign}))
        self.check_options(words, code, err, same and code == 0, blobs and code == 0, "before the build")
        self.check_build(words, code, err, before, fresh, foreign, wanted)
        if code == 0:
            self.check_options(words, code, err, True, True, "after the build")
        self.check_cache(words, code, err, fresh)
        self.check_ninja(words, code, fresh)
        self.check_compile(words, code, err, fresh)
        if world.left():
            self.wrong(f"{world.left()} was left")
        if code == 0:
            self.recorded = set(fresh)
        elif writes:
            self.recorded |= set(fresh)
        return self.problems

    def check_unused(self, words):
        if zlib.crc32(repr((sorted(self.sources.items()), words)).encode()) % 3:
            return
        plain = [word for i, word in enumerate(words)
                 if {word, words[i - 1] if i else ""} & {"--lang", "--platform", "--plugin"}]
        stored = self.world.run("unused", "src", "--why", "-o", "out", *plain)
        fresh = self.world.run("unused", "src", "--why", *plain)
        for what, found, wanted in zip(("exit code", "output", "messages"), stored, fresh):
            self.expect(f"unused: {what}", found, wanted)

    def remove_unknown(self, fresh):
        """Damaged files that are neither recorded nor outputs of this build: if they name no resource any more, they are
        foreign and stay, otherwise they are removed."""
        for name in self.world.outputs():
            if name in self.tampered and name not in fresh and name not in self.recorded:
                os.unlink(self.world.path("out", name))

    def check_refusal(self, words, code, fresh):
        """Unrecorded files at the paths of outputs that do not name their resource are not overwritten; then they
        are removed. The index is that of entc without a record too: it is replaced, whatever it contains."""
        before = self.world.outputs()
        lost = [name for name in without_index(before)
                if name in fresh and name not in self.recorded and before[name] != fresh[name]]
        sure = [name for name in lost if not name.endswith(".map") and not is_blob_of(before[name], fresh[name])]
        unsure = [name for name in lost if name.endswith(".map")]
        if not sure and not unsure:
            return
        for command in (["--check"], []):
            result = self.world.build(*words, *command)
            is_refused = "was not written by entc" in result[2]
            if not sure and not is_refused and result[0] in (code, 3 if command else code):
                return  # the maps still name their resources
            self.expect(f"{command} with foreign files {sure}: exit code", result[0], max(code, 2))
            for name in sure:
                if f'"out/{name}" was not written by entc' not in result[2]:
                    self.wrong(f"the foreign file {name} is not reported: {result[2]}")
            wrong = difference(self.world.outputs(), before)
            if wrong:
                self.wrong(f"{command} with foreign files: {wrong}")
        for name in sure + unsure:
            os.unlink(self.world.path("out", name))

    def check_options(self, words, code, err, same, same_blobs, when):
        result = self.world.build(*words, "--check")
        self.expect(f"--check {when}: exit code", result[0], code or (0 if same else 3))
        self.expect(f"--check {when}: diagnostics", result[2], err)
        words = [word for word in words if word != "-k"]
        result = self.world.run("why", "src", "-o", "out", *words)
        self.expect(f"why {when} states that everything is up to date", "everything is up to date" in result[1],
                    same_blobs)
        self.expect(f"why {when}: exit code", result[0], code)

    def check_build(self, words, code, err, before, fresh, foreign, wanted):
        # With a limit of a few bytes, no source stays in memory: each is read again where it is needed.
        limit = ["--memory", "4"] if len(self.sources) % 4 == 0 else []
        result = self.world.build(*words, *limit, f"-j{(1, 2, 16)[len(self.sources) % 3]}")
        self.expect("build: exit code", result[0], code)
        self.expect("build: diagnostics", result[2], err)
        after = self.world.outputs()
        if code != 0 and "-k" in words and code == 3:
            kept = {name: content for name, content in after.items() if name not in fresh and before.get(name) == content}
            wanted = {**fresh, **foreign, **kept}
            if kept:  # the index lists them too
                after, wanted = without_index(after), without_index(wanted)
        wrong = difference(after, wanted)
        if wrong:
            self.wrong(f"build, exit code {code}: {wrong}")

    def check_cache(self, words, code, err, fresh):
        before = self.world.outputs("warm")
        result = self.world.build(*words, "--cache", "cache", out="warm")
        self.expect("build with a cache: exit code", result[0], code)
        self.expect("build with a cache: diagnostics", result[2], err)
        after = self.world.outputs("warm")
        kept = {name: content for name, content in after.items() if name not in fresh and before.get(name) == content}
        writes = code == 0 or (code == 3 and "-k" in words)
        wanted = {**fresh, **(kept if code else {})} if writes else before
        if writes and code and kept:
            after, wanted = without_index(after), without_index(wanted)
        wrong = difference(after, wanted)
        if wrong:
            self.wrong(f"build with a cache: {wrong}")
        if len(self.sources) % 2:
            self.world.remove("warm", ".warm.entc")

    def later(self):
        """Waits until a new file is newer than all others, because ninja compares times."""
        probe, newest = self.world.path("probe"), 0
        for folder in ("nin", "src"):
            for at, _, names in os.walk(self.world.path(folder)):
                newest = max([newest] + [os.stat(os.path.join(at, n)).st_mtime_ns for n in names])
        while True:
            write(probe, b"")
            if os.stat(probe).st_mtime_ns > newest:
                break
            time.sleep(0.001)
        os.unlink(probe)

    def check_ninja(self, words, code, fresh):
        if not NINJA:
            return
        world = self.world
        words = [word for word in words if word != "-k"]
        batch = zlib.crc32(repr(words).encode()) % 2 * ["--batch", "3"]
        for path in self.keeps_time:
            if os.path.exists(path):
                os.utime(path)
        self.keeps_time = []
        if self.graph != words:
            result = world.build(*words, "--emit-ninja", "nin.ninja", *batch, out="nin")
            if code == 0:
                self.expect("--emit-ninja: exit code", result[0], 0)
            self.graph = words if result[0] == 0 else None
        if self.graph is None:
            return
        self.later()
        done = subprocess.run([NINJA, "-f", "nin.ninja", "-j1", "--quiet"], cwd=world.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=world.environment)
        self.expect("ninja fails", done.returncode != 0, code != 0)
        files = {name: content for name, content in world.outputs("nin").items() if not name.endswith((".d", ".rsp"))}
        wrong = difference(files, fresh) if code == 0 and done.returncode == 0 else ""
        if done.returncode and code == 0:
            self.wrong(done.stdout.decode())
        if wrong:
            self.wrong(f"ninja: {wrong}")
        self.later()

    def check_compile(self, words, code, err, fresh):
        """Of one resource, which depends on the sources only."""
        world, plain = self.world, [word for word in words if word != "-k"]
        if code == 0:
            names = sorted(name for name in without_index(fresh) if not name.endswith(".map"))
            valid = fresh
        else:
            listed = world.build(*plain, "--list-outputs", out="fresh")
            listed = [line[6:] for line in listed[1].split("\n") if line] if listed[0] == 0 else []
            names = sorted(name for name in listed if name != INDEX and not name.endswith(".map"))
            kept = world.clean(*plain, "-k")
            valid = kept[2]
            if kept[0] == 3 and not valid and "nothing is written" in kept[1]:
                names = []
        if not names:
            return
        unused = set(re.findall(r'the image of "([^"]+[.]texture)" .*\[W0412\]', err))
        names += sorted(unused - set(names))
        chosen = zlib.crc32(repr(sorted(self.sources.items())).encode())
        name = names[chosen % len(names)]
        self.check_several(names[chosen % 3::3][:4], plain, err, valid, unused)
        if code == 0 and name in valid:
            self.check_inputs(name, plain, err, valid)
        world.remove("one")
        result = world.run("compile", "src", name, "-o", "one/blob", *plain)
        files = files_below(world.path("one"))
        self.expect(f"compile {name}: exit code", result[0], 0 if name in valid or name in unused else 3)
        wanted = {"blob" + name_[len(name):]: content for name_, content in valid.items()
                  if name_ in (name, name + ".map")}
        wrong = difference(files, wanted) if name in valid else difference(files, {})
        if wrong:
            self.wrong(f"compile {name}: {wrong}")
        extra = set(heads(result[2])) - set(heads(err))
        if extra:
            self.wrong(f"compile {name} reports more than a build: {sorted(extra)}")

    def check_several(self, names, plain, err, valid, unused):
        if len(names) < 2:
            return
        self.world.remove("some")
        result = self.world.run("compile", "src", *names, "-o", "some", *plain, "-j2")
        right = all(name in valid or name in unused for name in names)
        self.expect(f"compile {names}: exit code", result[0], 0 if right else 3)
        wanted = {name + end: valid[name + end] for name in names if name in valid for end in ("", ".map")
                  if name + end in valid}
        wrong = difference(files_below(self.world.path("some")), wanted)
        if wrong:
            self.wrong(f"compile {names}: {wrong}")
        extra = set(heads(result[2])) - set(heads(err))
        if extra:
            self.wrong(f"compile {names} reports more than a build: {sorted(extra)}")

    def check_inputs(self, name, plain, err, valid):
        world = self.world
        world.remove("box")
        chosen = [word for i, word in enumerate(plain)
               if {word, plain[i - 1] if i else ""} & {"--lang", "--platform", "--plugin"}]
        os.makedirs(world.path("box"))
        listed = world.run("deps", "src", name, "--inputs", "box/list", *chosen)
        self.expect(f"deps {name} --inputs: exit code", listed[0], 0)
        if listed[0]:
            return
        with open(world.path("box", "list"), "rb") as lines:
            for line in lines.read().decode(errors="surrogateescape").splitlines():
                kind, path = line.split(" ", 1)
                if kind == "file":
                    os.makedirs(os.path.dirname(world.path("box", "src", path)), exist_ok=True)
                    shutil.copy(world.path("src", path), world.path("box", "src", path))
        result = world.run("compile", "box/src", name, "--inputs", "box/list", "-o", "box/blob", *plain)
        self.expect(f"compile {name} --inputs: exit code", result[0], 0)
        found = {path: content for path, content in files_below(world.path("box")).items() if path.startswith("blob")}
        wanted = {"blob" + end: valid[name + end] for end in ("", ".map") if name + end in valid}
        found.pop("blob.map", None), wanted.pop("blob.map", None)  # it names the folder of the sources
        wrong = difference(found, wanted)
        if wrong:
            self.wrong(f"compile {name} --inputs: {wrong}")
        extra = set(heads(result[2].replace("box/src/", "src/"))) - set(heads(err))
        if extra:
            self.wrong(f"compile {name} --inputs reports more than a build: {sorted(extra)}")

    def run(self, steps):
        """(number of the step that failed, the problems), or None"""
        for number, (operations, words) in enumerate(steps):
            self.problems = []
            for operation in operations:
                self.apply(operation)
            self.world.put(self.sources)
            problems = self.check(words)
            if problems:
                return number, problems
        return None


INDEX = ".entc.index"


def without_index(files):
    return {name: content for name, content in files.items() if name != INDEX}


def is_blob_of(content, fresh):
    """Does the header of a blob name the same resource?"""
    stamp, same = content[16:24], fresh[16:24]
    return len(content) >= 64 and content[:4] == b"ENTB" and stamp in (same, same[::-1], same[3::-1] + same[:3:-1])


def heads(err):
    return [line for line in err.split("\n") if re.match(r"[^\n]*: (error|warning|remark): ", line)]


# --- histories ---

class History:
    """Chooses steps while they are carried out: from sources with errors it mostly goes back to valid ones. What was
    chosen is recorded, so that it can be repeated without this."""

    def __init__(self, seed, count, replay):
        self.maker, self.count, self.replay = Maker(seed), count, replay
        self.maker.sources = {**sources_before(), "art/a.png": png(4, 50), "art/a.texture.json": text({}),
                              "health.component.json": self.maker.make_health()}
        self.steps = []

    def back_to(self, again):
        sources = self.maker.sources
        return ([("remove", path) for path in sorted(sources.keys() - again.keys())] +
                [("put", path, content) for path, content in again.items() if sources.get(path) != content])

    def __iter__(self):
        maker, past = self.maker, []
        self.steps.append(([("put", path, content) for path, content in maker.sources.items()], []))
        yield self.steps[-1]
        while len(self.steps) < self.count:
            maker.sources = dict(self.replay.sources)
            valid = self.replay.code == 0
            if valid:
                past = (past + [dict(maker.sources)])[-6:]
            operations, words = maker.step()
            if past and maker.chance(0.1 if valid else 0.7):
                operations = self.back_to(past[-1] if not valid else maker.dice.choice(past))
            self.steps.append((operations, words))
            yield self.steps[-1]


def fails(steps, folder):
    return Replay(folder).run(steps)


def shortened(steps, folder, fails=fails):
    """Removes steps and operations while the history still fails."""
    end = time.monotonic() + 120
    found = fails(steps, folder)
    if not found:
        return steps, None
    steps = steps[:found[0] + 1]
    if not options.shorten:
        return steps, found
    size = max(1, len(steps) // 2)
    while size and time.monotonic() < end:
        at = 0
        while at < len(steps) - 1 and time.monotonic() < end:
            fewer = steps[:at] + steps[min(at + size, len(steps) - 1):]
            again = fails(fewer, folder)
            if again:
                steps, found = fewer[:again[0] + 1], again
            else:
                at += size
        size //= 2
    for number in range(len(steps)):
        at = 0
        while at < len(steps[number][0]) and time.monotonic() < end:
            fewer = list(steps)
            fewer[number] = (steps[number][0][:at] + steps[number][0][at + 1:], steps[number][1])
            again = fails(fewer, folder)
            if again and again[0] == len(steps) - 1:
                steps, found = fewer, again
            else:
                at += 1
    return steps, found


# Without a build database, an index that an earlier build wrote is replaced, and a damaged one too (the first file).
INDEXES = [([("put", "a.entity.json", entity({}))], []),
           ([("lose", "database"), ("put", "b.entity.json", entity({}))], []),
           ([("lose", "database"), ("tamper", "out", 0.0, "flip", 0.0)], [])]


class Broken(Replay):
    """Damages an output after each build, which has to be noticed."""

    def check_build(self, *values):
        super().check_build(*values)
        self.do_tamper("out", 0.5, "flip", 0.5)


def prove(tally):
    """The first sources can be built, an index without a record is expected to be replaced, and a wrong output is
    noticed: otherwise nothing else means anything."""
    replay = Replay(options.folder)
    first = History(0, 1, replay)
    found = replay.run(first)
    tally.check(not found and replay.code == 0, f"the first sources: {replay.code}, {found}")
    tally.check(len(replay.world.outputs()) > 8, "the first sources have no outputs")
    shutil.rmtree(options.folder)
    indexes = Replay(options.folder).run(INDEXES)
    tally.check(not indexes, f"an index without a build database: {indexes}")
    shutil.rmtree(options.folder)
    broken = Broken(options.folder).run(first.steps)
    tally.check(broken and any("--check after the build" in problem for problem in broken[1]) and
                any("why after the build" in problem for problem in broken[1]), f"a wrong output: {broken}")
    shutil.rmtree(options.folder)


def history(task):
    """(steps that were compared, those with valid sources, text of the failure or "")"""
    seed, count, end = task
    if time.monotonic() > end:
        return 0, 0, ""
    folder = f"{options.folder}_{os.getpid()}"
    replay = Replay(folder)
    chosen = History(seed, count, replay)
    try:
        found = replay.run(chosen)
        if not found:
            return count, replay.valid, ""
        steps = chosen.steps
        first = f"seed {seed}, step {found[0]}: " + "\n    ".join(found[1])
        steps, found = shortened(steps, folder)
        if not found:
            return count, replay.valid, first + "\n    (it did not fail again)"
        shown = pprint.pformat(steps, width=150)
        return count, replay.valid, first + "\nshortened to:\n" + shown + "\nwhich gives:\n    " + "\n    ".join(found[1])
    except subprocess.TimeoutExpired as error:
        return count, replay.valid, f"seed {seed}: {error}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    tally = Tally()
    if options.replay:
        with open(options.replay, encoding="utf-8") as file:
            steps = ast.literal_eval(file.read())
        found = fails(steps, options.folder)
        tally.check(not found, found and f"step {found[0]}: " + "\n    ".join(found[1]))
        tally.end()
    prove(tally)
    if tally.failed:
        tally.end()
    if not NINJA:
        tally.skip("ninja is not installed: graphs are not compared")
    count = -(-options.steps // options.length)
    begun = time.monotonic()
    end = begun + options.seconds
    tasks = [(options.seed * 1000000 + i, min(options.length, options.steps - i * options.length), end) for i in range(count)]
    done = valid = 0
    with multiprocessing.Pool(options.jobs) as pool:
        for steps, right, problem in pool.imap_unordered(history, tasks):
            tally.passed += steps - bool(problem)
            done += steps
            valid += right
            if problem:
                tally.check(False, problem)
    tally.check(done < 40 or valid * 3 > done, f"only {valid} of {done} builds had valid sources")
    print(f"counted: {done} steps")
    print(f"seed {options.seed}: {done} steps, {valid} with valid sources, {time.monotonic() - begun:.0f} s")
    tally.end()


if __name__ == "__main__":
    main()
