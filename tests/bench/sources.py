#!/usr/bin/env python3
"""sources.py - which rows of tests/bench.csv are older than the sources of what they measure.

    tests/bench/sources.py                  lists them by program; from the root of the repository
    tests/bench/sources.py --strict         the same, and exits with 1 when there are any
    tests/bench/sources.py --of PROGRAM...  prints what the column `sources` of their rows has to be now

The column `sources` is PROGRAM:HASH. PROGRAM, a file of this folder without its .c, or with its .py, has measured the
row. HASH begins the SHA-256 of the paths and the contents of the files that it depends on: its file, the shaders and
headers of this folder that this includes, and all files of the modules whose headers it includes and of those that
these see; of a .py file, which runs entc, all modules of the compiler. Headers that only print and take times, tests and
pages are not part of it. A row with `-` cites a figure of another program and is never stale; `unknown` always is.
"""
import csv
import functools
import hashlib
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sees import SOURCES, closure_of, files_of, lines_of_makefile  # noqa: E402

CSV = "tests/bench.csv"
BENCH = "tests/bench"
CITED, UNKNOWN = "-", "unknown"
HARNESS = ("bench_gpu.h", "bench_rows.h")
MORE = {"bench_compile.py": ["bench_level.fbs"], "bench_tree.py": ["bench_level.fbs"],
        "bench_texture.py": ["bench_texture.c"], "bench_builds.py": ["bench_texture.c"],
        "bench_cores.py": ["bench_texture.c"]}


def blob_hash(path):
    """The hash by which git names this content."""
    with open(path, "rb") as file:
        data = file.read()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Tree:
    """The sources in the current folder."""

    def __init__(self):
        self.sees = lines_of_makefile()
        self.places = {os.path.basename(path): path for module in self.sees for path in files_of(module, *SOURCES)}
        for folder in (BENCH, "tests/support"):
            self.places.update((os.path.basename(path), path) for path in files_of(folder, *SOURCES))
        self.blob_hash = functools.lru_cache(None)(blob_hash)
        self.of = functools.lru_cache(None)(self.of)

    def included(self, path):
        """The files that this one includes. A compiled shader NAME.comp is included as NAME.comp.h."""
        with open(path, encoding="utf-8") as file:
            for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read(), re.M):
                name = name if name in self.places else name[:-2]
                if name in self.places:
                    yield self.places[name]

    def files(self, program):
        """Of what this program measures; None: there is no such program."""
        first = f"{BENCH}/{program}" + ("" if program.endswith(".py") else ".c")
        if not os.path.isfile(first):
            return None
        paths, modules = {f"{BENCH}/{name}" for name in MORE.get(program, [])} | {first}, set()
        if program.endswith(".py"):
            modules = {module for module in self.sees if module.startswith("compiler/")}
        more, done = sorted(path for path in paths if path.endswith(".c")), set()
        while more:
            path = more.pop()
            if path in done:
                continue
            done.add(path)
            folder = os.path.dirname(path)
            if folder in self.sees:
                modules.add(folder)
                continue
            if folder == BENCH and os.path.basename(path) not in HARNESS:
                paths.add(path)
            more += self.included(path)
        for module in set().union(*(closure_of(self.sees, module) for module in modules)):
            paths.update(files_of(module, *SOURCES))
        return sorted(paths)

    def of(self, program):
        """What the column `sources` has to be for the rows of this program now."""
        paths = self.files(program)
        if paths is None:
            return UNKNOWN
        text = "".join(f"{path} {self.blob_hash(path)}\n" for path in paths)
        return f"{program}:{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def stale_rows(rows, tree):
    """By program."""
    stale = {}
    for row in rows:
        sources = row.get("sources") or UNKNOWN
        program = sources.split(":")[0]
        if sources != CITED and (sources == UNKNOWN or tree.of(program) != sources):
            stale.setdefault(program, []).append(row)
    return stale


def main():
    tree = Tree()
    if "--of" in sys.argv:
        print("\n".join(tree.of(program) for program in sys.argv[sys.argv.index("--of") + 1:]))
        return 0
    with open(CSV, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    stale = stale_rows(rows, tree)
    for program in sorted(stale):
        print(f"{program}: {len(stale[program])}")
        for row in stale[program]:
            print(f"    {row['what']}, n = {row['n']}")
    print(f"{sum(map(len, stale.values()))} of {len(rows)} rows are older than the sources of what they measure")
    return bool(stale) and "--strict" in sys.argv


if __name__ == "__main__":
    sys.exit(main())
