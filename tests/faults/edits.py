"""Edits at random, each followed by an incremental build: it must write what a build into a new folder writes,
and report the same errors; while there is any error the output folder must stay unchanged.

    edits.py BUILD FOLDER [--seed N] [--count N]

After some edits a build is killed, or the build database is lost, or the edit keeps size and times.
"""
import argparse
import os
import random
import signal
import struct
import subprocess
import time

from build_world import (Tally, World, difference, entity, level, model, model_inline, model_whole, sources_before,
                         text, triangle)

arguments = argparse.ArgumentParser()
arguments.add_argument("build")
arguments.add_argument("folder")
arguments.add_argument("--seed", type=int, default=1)
arguments.add_argument("--count", type=int, default=40)
options = arguments.parse_args()
dice = random.Random(options.seed)
tally = Tally()
world = World(options.build, options.folder)

FOLDERS = ("", "props", "props/small", "levels", "models")
NAMES = ("a", "b", "c", "lamp")
OPTIONS = ([],) * 12 + (["--target", "big"], ["--strip"], ["--lang", "fr"], ["--platform", "mobile"],
                        ["--lang", "fr", "--platform", "mobile"])


# --- random sources ---

def name_any():
    return "/".join(filter(None, (dice.choice(FOLDERS), dice.choice(NAMES))))


def names_of(sources, *suffixes):
    return sorted({name.split(".")[0] for name in sources if name.endswith(suffixes)})


def name_likely(sources, *suffixes):
    """Usually one that exists."""
    there = names_of(sources, *suffixes)
    return dice.choice(there) if there and dice.random() < 0.97 else name_any()


def components(sources):
    some = {"transform": {"position": [dice.randrange(9), 0, 0]}}
    models = names_of(sources, ".gltf", ".glb")
    if dice.random() < 0.3:
        some["light"] = [{"kind": "spot", "range_m": 1 + dice.randrange(9)}]
    if models and dice.random() < 0.3:
        some["mesh"] = {"resource": dice.choice(models) + "/" + dice.choice(("box", "box", "box", "cloth"))}
    return some


def instances(sources):
    return [{"name": f"e{i}", "prefab": name_likely(sources, ".entity.json", ".gltf", ".glb")} if dice.random() < 0.5
            else {"name": f"e{i}", "components": components(sources)} for i in range(dice.randrange(4))]


def entity_any(sources):
    if dice.random() < 0.3:
        return entity(components(sources), prefab=name_likely(sources, ".entity.json"))
    return entity(components(sources), instances(sources))


def source_add(sources):
    name, kind = name_any(), dice.randrange(8)
    size = 1 + dice.randrange(3)
    if kind < 3:
        sources[name + ".entity.json"] = entity_any(sources)
    elif kind < 5:
        sources[name + ".level.json"] = level(*instances(sources))
    elif kind == 5:
        sources[name + ".material.json"] = text({"roughness": dice.randrange(9) / 10})
    elif kind == 6:
        sources[name + ".glb"] = model_whole(size, dice.choice(("box", "cloth")))
    else:
        sources[name + ".gltf"] = model(name.split("/")[-1] + ".bin", size)
        sources[name + ".bin"] = triangle(size)


def pick(sources):
    return dice.choice(sorted(sources))


def edit(sources, past):
    """One edit, by name."""
    kind = dice.choice(("add", "add", "change", "change", "change", "remove", "rename", "move", "back", "break", "variant",
                        "form", "data", "other", "checkout"))
    if not sources or len(sources) < 6 or kind == "add":
        source_add(sources)
    elif kind == "change":
        name = pick(sources)
        if name.endswith(".entity.json"):
            sources[name] = entity_any(sources)
        elif name.endswith(".level.json"):
            sources[name] = level(*instances(sources))
        elif name.endswith(".material.json"):
            sources[name] = text({"roughness": dice.randrange(9) / 10})
    elif kind == "remove":
        del sources[pick(sources)]
    elif kind == "rename":
        name = pick(sources)
        stem, suffix = name.split(".", 1)
        sources["/".join(filter(None, (os.path.dirname(stem), dice.choice(NAMES)))) + "." + suffix] = sources.pop(name)
    elif kind == "move":
        old, new = dice.choice(FOLDERS[1:]), dice.choice(FOLDERS[1:])
        for name in [name for name in sources if name.startswith(old + "/")]:
            sources[new + name[len(old):]] = sources.pop(name)
    elif kind == "back":
        again = dice.choice(past)
        sources.clear()
        sources.update(again)
    elif kind == "break":
        name = pick(sources)
        sources[name] = sources[name][:dice.randrange(len(sources[name]) + 1)]
    elif kind == "variant":
        stem, suffix = pick(sources).split(".", 1)
        if suffix in ("entity.json", "level.json", "material.json", "glb"):
            sources[f"{stem}.{dice.choice(('fr', 'mobile', 'fr.mobile', 'de'))}.{suffix}"] = sources[f"{stem}.{suffix}"]
    elif kind == "form":
        swap(sources)
    elif kind == "data":
        bins = [name for name in sources if name.endswith(".bin")]
        if bins:
            size = 1 + dice.randrange(3) if dice.random() < 0.3 else None
            data = dice.choice(bins)
            sources[data] = triangle(size, dice.random()) if size else tilted(sources[data])
    elif kind == "other":
        sources[dice.choice(("notes.txt", "props/package.json"))] = bytes([65 + dice.randrange(26)])
    elif kind == "checkout":
        world.remove("src")  # as in a new checkout: other times, other inodes
        world.sources = {}
    return kind


def tilted(data):
    """Another triangle in the same bounds; text that is no triangle is kept."""
    return triangle(struct.unpack_from("<f", data, 12)[0], dice.random()) if len(data) == 44 else data


def swap(sources):
    """The same resource from a file of another type."""
    name = pick(sources)
    stem, suffix = name.split(".", 1)
    if suffix in ("glb", "gltf"):
        del sources[name]
        sources[stem + (".entity.json" if dice.random() < 0.3 else ".gltf" if suffix == "glb" else ".glb")] = (
            model_inline(2) if suffix == "glb" else model_whole(2))
    elif suffix == "entity.json":
        del sources[name]
        sources[stem + ".glb"] = model_whole(1 + dice.randrange(3))


# --- after an edit ---

def same_stamp(sources, name):
    """Writes a change that keeps size and time: a build must detect it nevertheless."""
    path = world.path("src", name)
    info = os.stat(path)
    content = bytearray(sources[name])
    at = max(content.rfind(digit) for digit in b"0123456789")
    if at < 0 or not name.endswith(".json"):
        return
    content[at] = dice.choice(b"123456789")
    sources[name] = bytes(content)
    with open(path, "r+b") as file:
        file.write(sources[name])
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    world.sources = dict(sources)


def killed_build(arguments_):
    process = subprocess.Popen([world.entc, "build", "src", "-o", "out", *arguments_], cwd=world.folder,
                               env=world.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(dice.random() * 0.006)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)


def step(number, what, build):
    name = f"seed {options.seed}, edit {number}, {what}, {' '.join(build)}"
    before = {file: content for file, content in world.outputs().items() if not file.endswith(".tmp")}
    jobs = f"-j{dice.choice((1, 2, 3, 8))}"
    cached = ["--cache", "cache"] if dice.random() < 0.5 else []
    code, _, err = world.build(*build, jobs, *cached)
    clean_code, clean_err, clean = world.clean(*build)
    holds = tally.check((code, err) == (clean_code, clean_err), f"{name}: {code}, {err} clean: {clean_code}, {clean_err}")
    wrong = difference(world.outputs(), clean if code == 0 else before)
    holds &= tally.check(not wrong, f"{name}, exit code {code}: {wrong}")
    holds &= tally.check(not world.left(), f"{name}: {world.left()} was left")
    if holds and code == 0 and dice.random() < 0.2:
        code, out, err = world.build(*build, jobs, *cached, "-v")
        holds &= tally.check(" 0 compiled, 0 from the cache, 0 written," in err, f"{name}, again: {out}{err}")
    return holds, code


def main():
    world.clear()
    sources = sources_before()
    past, built, holds = [dict(sources)], 0, True
    for number in range(options.count):
        what = edit(sources, past)
        world.put(sources)
        build = dice.choice(OPTIONS)
        luck = dice.random()
        if luck < 0.1:
            killed_build(build)
            what += " and a killed build"
        elif luck < 0.15:
            world.remove(".out.entc")
            what += " and a lost database"
        elif luck < 0.3 and sources:
            same_stamp(sources, pick(sources))
            what += " and one that keeps stamps"
        holds, code = step(number, what, build)
        built += code == 0
        if code == 0:
            past.append(dict(sources))
        elif dice.random() < 0.6:
            sources = dict(past[-1])
    tally.check(built * 4 > options.count, f"only {built} of {options.count} builds had valid sources")
    print(f"edits: {built} of {options.count} builds had valid sources")


main()
tally.end()
