"""A small asset folder with everything that a build can encounter, and functions that check what a build wrote:
shared by faults.py, histories.py, watches.py and same.py."""
import base64
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys

# Programs that these scripts start, and end by signals, have the default of each signal, whatever a background job
# of a shell changed. SIGHUP stays ignored: nothing here depends on it.
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGCHLD):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, ())


class World:
    """A scratch folder with src/, and entc run in it."""

    def __init__(self, build, folder):
        self.entc = os.path.abspath(os.path.join(build, "entc"))
        self.folder = os.path.abspath(folder)
        self.environment = {k: v for k, v in os.environ.items() if k not in ("ENTC_CACHE_DIR", "LD_PRELOAD")}
        self.sources = {}
        self.clear()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def clear(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.sources = {}

    def remove(self, *names):
        for name in names:
            shutil.rmtree(self.path(name), ignore_errors=True)

    def put(self, sources, below="src"):
        """Makes src/ contain exactly these; unchanged files are not written."""
        os.makedirs(self.path(below), exist_ok=True)
        for name in set(self.sources) - set(sources):
            os.unlink(self.path(below, name))
            folder = os.path.dirname(name)
            while folder and not os.listdir(self.path(below, folder)):
                os.rmdir(self.path(below, folder))
                folder = os.path.dirname(folder)
        for name, content in sources.items():
            if self.sources.get(name) != content:
                write(self.path(below, name), content)
        self.sources = dict(sources)

    def ignore_case(self):
        """From now on, entc finds files by names in which the case differs."""
        self.environment["LD_PRELOAD"] = os.path.join(os.path.dirname(self.entc), "case_shim.so")
        self.environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"

    def run(self, *arguments, before=(), timeout=120, environment=None, cwd=None):
        """(exit code, stdout, stderr) of entc; negative when a signal ended it."""
        done = subprocess.run([*before, self.entc, *arguments], cwd=cwd or self.folder, timeout=timeout,
                              env={**self.environment, **(environment or {})}, stdin=subprocess.DEVNULL,
                              capture_output=True)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def build(self, *arguments, out="out", **more):
        return self.run("build", "src", "-o", out, *arguments, **more)

    def clean(self, *arguments):
        """The result of a build into a new folder: (exit code, stderr, files). It does not ignore case."""
        self.remove("fresh", ".fresh.entc")
        code, _, err = self.build(*arguments, "-j1", out="fresh", environment={"LD_PRELOAD": ""})
        return code, err, files_below(self.path("fresh"))

    def outputs(self, out="out"):
        """Files of an output folder. A folder may stay empty when removing it failed, and the build database may be
        inside it when it cannot be written beside it."""
        return {name: content for name, content in files_below(self.path(out)).items()
                if content is not None and not name.startswith(".entc/")}

    def left(self):
        """Names of files that no build may leave: temporaries, and everything beside the output except the database."""
        found = [name for name in files_below(self.folder) if ".tmp" in os.path.basename(name)]
        for name in os.listdir(self.folder):
            if name.startswith(".") and name.endswith(".entc"):
                found += [f"{name}/{entry}" for entry in os.listdir(self.path(name)) if entry not in ("database", "links")]
        return found


def write(path, content):
    """Writes in place, as some editors do."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def files_below(folder):
    """{relative path: content}; an empty folder as "path/": None."""
    files = {}
    for at, folders, names in os.walk(folder):
        below = os.path.relpath(at, folder)
        for name in names:
            with open(os.path.join(at, name), "rb") as file:
                files[os.path.normpath(os.path.join(below, name))] = file.read()
        if not folders and not names and below != ".":
            files[below + "/"] = None
    return files


def difference(files, wanted):
    """The differences from the expected state, as text; "" when there are none."""
    rows = [f"{name} is missing" for name in sorted(wanted.keys() - files.keys())]
    rows += [f"{name} should not be there" for name in sorted(files.keys() - wanted.keys())]
    rows += [f"{name} has other bytes" for name in sorted(files.keys() & wanted.keys()) if files[name] != wanted[name]]
    return "; ".join(rows)


# --- sources ---

def text(value):
    return (json.dumps(value, indent=1) + "\n").encode()


def entity(components=None, children=(), **more):
    value = dict(more)
    if components:
        value["components"] = components
    if children:
        value["children"] = list(children)
    return text(value)


def level(*entities):
    return text({"entities": list(entities)})


def triangle(size, tilt=0):
    """Has the same bounds at any tilt from 0 to 1."""
    return struct.pack("<9f3H2x", 0, 0, 0, size, 0, 0, tilt * size, size, 0, 0, 1, 2)


def model(uri, size=1, name="box", material="paint"):
    """A glTF text with one triangle, whose buffer is at the URI; None: in the BIN chunk."""
    buffer = {"byteLength": 44}
    if uri is not None:
        buffer["uri"] = uri
    return text({
        "asset": {"version": "2.0"}, "buffers": [buffer],
        "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                       "min": [0, 0, 0], "max": [size, size, 0]},
                      {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}],
        "materials": [{"name": material, "pbrMetallicRoughness": {"roughnessFactor": 0.5}}],
        "meshes": [{"name": name, "primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "nodes": [{"name": name, "mesh": 0}]})


def model_complete(size=1, name="box", material="paint"):
    """The same in one .glb file."""
    words = model(None, size, name, material)
    words += b" " * (-len(words) % 4)
    chunks = struct.pack("<II", len(words), 0x4E4F534A) + words + struct.pack("<II", 44, 0x004E4942) + triangle(size)
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def model_inline(size=1, name="box", material="paint"):
    data = base64.b64encode(triangle(size)).decode()
    return model("data:application/octet-stream;base64," + data, size, name, material)


def sources_before():
    """Prefab of prefab, variants, models with and without a separate file, a runtime reference, a separate folder."""
    return {
        "levels/yard.level.json": level(
            {"name": "gate", "prefab": "props/gate",
             "overrides": {"lamp": {"components": {"light": {"range_m": 7}}}}},
            {"name": "box", "prefab": "models/box"},
            {"name": "flag", "components": {"mesh": {"resource": "models/flag/cloth"}}}),
        "props/gate.entity.json": entity({"transform": {"position": [1, 2, 3]}},
                                         [{"name": "lamp", "prefab": "props/lamp"}]),
        "props/lamp.entity.json": entity({"light": [{"kind": "spot"}]}),
        "props/sign.entity.json": entity({"name": {"id": "exit"}}),
        "props/sign.fr.entity.json": entity({"name": {"id": "sortie"}}),
        "attic/old/chest.entity.json": entity({"name": {"id": "chest"}}),
        "mud.material.json": text({"roughness": 0.9}),
        "models/box.gltf": model("box.bin"),
        "models/box.bin": triangle(1),
        "models/flag.glb": model_complete(1, "cloth", "linen"),
    }


def sources_after():
    """One edited on which others depend, one removed with its folders, one new, other data of a model."""
    sources = sources_before()
    del sources["attic/old/chest.entity.json"]
    sources["props/lamp.entity.json"] = entity({"light": [{"kind": "point", "range_m": 3}]})
    sources["cellar/rat.entity.json"] = entity({"name": {"id": "rat"}})
    sources["models/box.gltf"] = model("box.bin", 2)
    sources["models/box.bin"] = triangle(2)
    return sources


def sources_invalid():
    """The same with an error: nothing may be written."""
    sources = sources_after()
    sources["levels/yard.level.json"] = level({"name": "gate", "prefab": "props/gaet"})
    return sources


# --- reporting ---

class Tally:
    """Counts; prints the first few failures of each part completely."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, holds, what):
        if holds:
            self.passed += 1
            return True
        self.failed += 1
        if self.failed <= 20:
            print(f"FAILED: {what}", flush=True)
        return False

    def skip(self, why):
        self.skipped += 1
        print(f"skipped: {why}", flush=True)

    def end(self):
        skips = f", {self.skipped} skipped" if self.skipped else ""
        print(f"{self.passed} passed, {self.failed} failed{skips}")
        sys.exit(1 if self.failed else 77 if self.skipped and not self.passed else 0)


def errors_reported(err):
    return len(re.findall(r"^(?:entc|[^\n]*:\d+:\d+): error: ", err, flags=re.M))
