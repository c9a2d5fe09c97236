"""The same sources give the same bytes and the same diagnostics in the same order, with any number of threads and
in every environment.

    same.py BUILD FOLDER [--complete] PART...

    jobs       -j 1, 2, 7, 16: valid sources, and the invalid inputs of tests/cases in one folder
    orders     folders listed in another order: files written in another one, and readdir shuffled
    places     locales, time zones, another working directory, new memory that is not zero
    cached     the result from the cache equals the compiled one, also after an edit
    compilers  gcc and clang, -O0 and -O3 (--complete: the program is built four times)
    threads    for BUILD=build/tsan: builds of all kinds at -j 8 report no data race

Exit code 77: skipped.
"""
import argparse
import glob
import os
import random
import shutil
import subprocess
import sys
import time

from build_world import (Tally, World, difference, files_below, level, model_complete, sources_after, sources_invalid,
                         sources_before, text, triangle)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from case_files import cases_of  # noqa: E402

arguments = argparse.ArgumentParser()
arguments.add_argument("build")
arguments.add_argument("folder")
arguments.add_argument("parts", nargs="+")
arguments.add_argument("--complete", action="store_true")
options = arguments.parse_args()
tally = Tally()
dice = random.Random(1)
world = World(options.build, options.folder)


# --- sources ---

def valid_sources():
    sources = sources_before()
    for i in range(60):
        sources[f"many/a{i}.entity.json"] = sources["props/gate.entity.json"]
        sources[f"levels/l{i}.level.json"] = sources["levels/yard.level.json"]
        sources[f"models/m{i}.glb"] = model_complete(1 + i, "cloth", f"linen_{i}")
    return sources


def invalid_sources():
    """Every invalid input of the cases, each in a separate folder, and errors that involve more than one file."""
    sources = {}
    for path in sorted(glob.glob(os.path.join(HERE, "..", "cases", "*.txt"))):
        stem = os.path.basename(path)[:-4]
        for number, (_, files) in enumerate(cases_of(path)):
            for name, content in files.items():
                name = name.decode("utf-8", "surrogateescape")
                if not name.startswith("/") and ".." not in name and len(name) < 200:
                    sources[f"{stem}_{number}/{name}"] = content
    # More than is printed: names of models, and references into models that do not exist or have errors.
    for i in range(8):
        sources[f"flood/m{i}.glb"] = model_complete(1) if i % 2 else b"glTF" + bytes(40)
        sources[f"flood/l{i}.level.json"] = level(*[
            {"components": {"mesh": {"resource": f"flood/m{k % 9}{'/bax' if k % 3 else ''}"}}} for k in range(150)])
    return {name: content for name, content in sources.items() if writable(name, sources)}


def writable(name, sources):
    """Not below a path that is a file in another case."""
    folder = os.path.dirname(name)
    while folder:
        if folder in sources:
            return False
        folder = os.path.dirname(folder)
    return True


def reference(sources):
    """(code, stdout, stderr, files) at -j1."""
    world.clear()
    world.put(sources)
    return (*world.build("-v", "-j1"), world.outputs())


def reported(err):
    """Without the line that contains a time."""
    return [line for line in err.splitlines() if not line.startswith("entc: ") or " ms" not in line]


def same(name, wanted, run):
    world.remove("out", ".out.entc")
    code, out, err = run()
    tally.check(code == wanted[0], f"{name}: exit code {code}, not {wanted[0]}: {err[-2000:]}")
    tally.check(out == wanted[1], f"{name}: another standard output")
    tally.check(reported(err) == reported(wanted[2]), f"{name}: other diagnostics: {first_other(reported(err), reported(wanted[2]))}")
    wrong = difference(world.outputs(), wanted[3])
    tally.check(not wrong, f"{name}: {wrong}")


def first_other(a, b):
    for x, y in zip(a, b):
        if x != y:
            return f"{x!r}, not {y!r}"
    return f"{len(a)} lines, not {len(b)}"


def both():
    for name, sources, code in (("valid", valid_sources(), 0), ("invalid", invalid_sources(), 3)):
        wanted = reference(sources)
        tally.check(wanted[0] == code, f"{name} sources: exit code {wanted[0]}: {wanted[2][-300:]}")
        yield name, sources, wanted


# --- parts ---

def jobs():
    for name, _, wanted in both():
        for count in (1, 2, 7, 16):
            for _ in range(20 if options.complete else 1):
                same(f"{name} -j{count}", wanted, lambda n=count: world.build("-v", f"-j{n}"))
        if wanted[0]:
            tally.check(not world.outputs(), f"{name}: outputs although there are errors")


SHUFFLER = r"""
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>

typedef struct List { DIR* folder; struct dirent at[2048]; unsigned count, next; } List;
static __thread List list;

struct dirent* readdir(DIR* folder) {
    struct dirent* (*real)(DIR*) = (struct dirent * (*)(DIR*)) dlsym(RTLD_NEXT, "readdir");
    unsigned seed = (unsigned)atoi(getenv("SHUFFLE"));
    if (list.folder != folder || list.next == list.count) {
        list.folder = folder, list.count = list.next = 0;
        for (struct dirent* d; list.count < 2048 && (d = real(folder));) list.at[list.count++] = *d;
        for (unsigned i = list.count; i > 1; i--) {
            unsigned k = (seed = seed * 1103515245u + 12345u) / 65536u % i;
            struct dirent other = list.at[i - 1];
            list.at[i - 1] = list.at[k], list.at[k] = other;
        }
        if (list.count == 0) return list.folder = NULL;
    }
    return &list.at[list.next++];
}
"""


def shuffler():
    """The library; None when there is no compiler."""
    path, library = world.path("shuffle.c"), world.path("shuffle.so")
    with open(path, "w") as file:
        file.write(SHUFFLER)
    try:
        done = subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", path, "-o", library, "-ldl"],
                              capture_output=True, timeout=300)
    except FileNotFoundError:
        return None
    return library if done.returncode == 0 else None


def orders():
    for name, sources, wanted in both():
        for turn in range(3 if options.complete else 2):
            rows = sorted(sources.items(), reverse=True)
            if turn:
                dice.shuffle(rows)
            world.remove("src")
            world.sources = {}
            world.put(dict(rows))
            same(f"{name}, files written in order {turn}", wanted, lambda: world.build("-v", "-j2"))
        library = shuffler()
        if not library:
            tally.skip("there is no compiler for a library that shuffles folders")
            continue
        for seed in range(20 if options.complete else 2):
            environment = {"LD_PRELOAD": library, "SHUFFLE": str(seed), "ASAN_OPTIONS": "verify_asan_link_order=0"}
            same(f"{name}, folders shuffled by {seed}", wanted, lambda e=environment: world.build("-v", "-j2", environment=e))


def locale_of(name):
    """The variable that sets a locale, which is created here if the machine lacks it; None if that is impossible."""
    if name == "C":
        return {"LC_ALL": "C"}
    installed = subprocess.run(["locale", "-a"], capture_output=True, timeout=60).stdout.decode().lower().replace("-", "").split()
    if f"{name}.utf8".lower() in installed:
        return {"LC_ALL": f"{name}.UTF-8"}
    try:
        subprocess.run(["localedef", "-c", "-i", name, "-f", "UTF-8", world.path("locale", f"{name}.UTF-8")],
                       capture_output=True, timeout=300)
    except FileNotFoundError:
        return None
    counts = os.path.exists(world.path("locale", f"{name}.UTF-8", "LC_CTYPE"))
    return {"LC_ALL": f"{name}.UTF-8", "LOCPATH": world.path("locale")} if counts else None


def places():
    for name, _, wanted in both():
        os.makedirs(world.path("locale"), exist_ok=True)
        for locale in ("C", "de_DE", "tr_TR"):
            environment = locale_of(locale)
            if environment:
                same(f"{name}, {locale}", wanted, lambda e=environment: world.build("-v", "-j2", environment=e))
            else:
                tally.skip(f"there is no locale {locale}")
        for what in ({"MALLOC_PERTURB_": "165", "TZ": "Pacific/Kiritimati"},
                     {"MALLOC_PERTURB_": "90", "MALLOC_ARENA_MAX": "1", "TZ": "UTC+12"}):
            same(f"{name}, {what}", wanted, lambda e=what: world.build("-v", "-j2", environment=e))
        os.makedirs(world.path("there/deep"), exist_ok=True)
        for below in ("there/deep", "."):
            root = "../.." if below != "." else os.path.abspath(world.folder)
            world.remove("out", ".out.entc")
            code, _, err = world.run("build", f"{root}/src", "-o", f"{root}/out", "-j2", cwd=world.path(below))
            wrong = difference(world.outputs(), wanted[3])
            tally.check(code == wanted[0] and not wrong, f"{name}, from {below}: {code}, {wrong}")
            tally.check(err.replace(f"{root}/src", "src") == "\n".join(reported(wanted[2]) + [""]) * bool(reported(wanted[2])),
                        f"{name}, from {below}: other diagnostics")


def counted(err):
    """The counts: compiled or from the cache, written, removed."""
    words = err.split()
    number = {words[i + 1].strip(","): int(words[i]) for i in range(len(words) - 1) if words[i].isdigit()}
    return number["compiled"] + number["from"], number["written"], number["removed"]


def cached():
    """One folder is built with the cache, one without; both are edited alike and compared after each edit and its reversal."""
    world.clear()
    sources = sources_before()
    world.put(sources)
    after = sources_after()
    for out, cache in (("first", ["--cache", "cache"]), ("with", ["--cache", "cache"]), ("without", [])):
        code, _, err = world.build(*cache, out=out)
        tally.check(code == 0, f"cached: a build of valid sources ended with {code}: {err}")
    edits = [{**sources, name: content} for name, content in after.items() if content != sources.get(name)]
    edits += [{name: content for name, content in sources.items() if name != gone}
              for gone in ("attic/old/chest.entity.json", "mud.material.json", "props/sign.fr.entity.json", "models/box.bin",
                           "models/flag.glb", "props/lamp.entity.json")]
    edits += [after, {**sources, "models/box.gltf": sources["models/box.gltf"] + b"\n"},
              {**sources, "props/gate.fr.entity.json": text({})}]
    edits += [edits[0], {**sources, "models/box.bin": triangle(1, 0.5)}]
    built = 0
    for number, edit in enumerate(edits):
        for state in (edit, sources, None):
            if state:
                world.put(state)
            more = ["--lang", "fr"] if number % 3 == 2 and number + 2 < len(edits) else []
            runs = [world.build("-v", *more, *cache, out=out)
                    for out, cache in (("without", []), ("with", ["--cache", "cache"]))]
            name = f"edit {number}{'' if state else ', again'}"
            tally.check(runs[0][0] == runs[1][0] and reported(runs[0][2]) == reported(runs[1][2]), f"{name}: {runs[0]} and {runs[1]}")
            built += runs[0][0] == 0 == runs[1][0]
            if runs[0][0] == 0 == runs[1][0]:
                counts = [counted(run[2]) for run in runs]
                tally.check(counts[0] == counts[1] and (state or counts[0] == (0, 0, 0)), f"{name}: {counts}")
            wrong = difference(world.outputs("with"), world.outputs("without"))
            tally.check(not wrong, f"{name}: {wrong}")
    tally.check(built >= 2 * len(edits), f"cached: only {built} of {3 * len(edits)} builds had valid sources")


def compilers():
    if not options.complete:
        tally.skip("compilers: only --complete builds the program anew")
        return
    wanted = {name: (sources, reference(sources)) for name, sources, _ in both()}
    for compiler in ("gcc", "clang"):
        if not shutil.which(compiler):
            tally.skip(f"there is no {compiler}")
            continue
        for flags in ("-O0", "-O3"):
            build = f"build/same_{compiler}{flags}"
            subprocess.run(["make", "-s", f"CC={compiler}", f"BUILD={build}", f"CFLAGS={flags}", f"{build}/entc"],
                           check=True, timeout=3600)
            for name, (sources, was) in wanted.items():
                world.clear()
                world.put(sources)
                world.entc = os.path.abspath(f"{build}/entc")
                same(f"{name}, {compiler} {flags}", was, lambda: world.build("-v"))


def quiet(name, codes, *build, out="out"):
    code, _, err = world.build("-j8", *build, out=out, environment={"TSAN_OPTIONS": "exitcode=66 history_size=5"})
    at = err.find("WARNING: ThreadSanitizer")
    tally.check(code in codes and at < 0, f"{name}: exit code {code}, {err[max(at, 0):][:3000]}")


def threads():
    for _ in range(5 if options.complete else 1):
        world.clear()
        world.put(valid_sources())
        quiet("valid sources", (0,))
        quiet("valid sources, again", (0,))
        quiet("into the cache", (0,), "--cache", "cache", out="stored")
        quiet("from the cache", (0,), "--cache", "cache", out="taken")
        world.put({**valid_sources(), **sources_after()})
        quiet("an edit", (0,), "--cache", "cache", out="taken")
        world.put({**valid_sources(), **sources_invalid()})
        quiet("an edit that is wrong", (3,), "--cache", "cache", out="taken")
        world.clear()
        world.put(invalid_sources())
        quiet("invalid sources", (3,))
        quiet("invalid sources and a cache", (3,), "--cache", "cache")


for part in options.parts:
    begun = time.time()
    {"jobs": jobs, "orders": orders, "places": places, "cached": cached, "compilers": compilers, "threads": threads}[part]()
    print(f"{part}: {time.time() - begun:.1f} s", flush=True)
tally.end()
