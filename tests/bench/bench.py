#!/usr/bin/env python3
"""bench.py - speed and size: every figure is a ratio of two measurements that alternate in one run.

    tests/bench/bench.py BUILD [tree|runtime|texture|gpu [DEVICE]]

Generates the levels of level_mix.h, compiles them with entc and with flatc in turn, spawns them, runs the
bench_* programs, prints a table, and writes tests/bench.csv; with an argument only a part, and no file;
with `gpu` the systems on a GPU, whose rows replace those of that device in the file.
Times are medians of whole processes; memory is the maximum resident set, without the source, which both map
or read.
"""
import json
import os
import statistics
import subprocess
import sys
import time

from bench_texture import bench_texture
from bench_pack import bench_pack
from bench_tree import bench_slices, bench_tree

BUILD = sys.argv[1]
WORK = f"{BUILD}/bench"
ROWS = []
CSV = "tests/bench.csv"


def add(what, n, value, unit, ratio, target, better="less"):
    """A row; target 0: none. `better`: whether the ratio should be less or more than the target."""
    ROWS.append((what, n, value, unit, ratio, target, better))


def run(command):
    """Seconds, user seconds and maximum MiB of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(f"bench: {' '.join(command)} failed")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def in_turn(commands, repetitions, before=lambda: None):
    """Medians of (seconds, cpu seconds, MiB) for each command, run in turn, each after `before`."""
    samples = [[] for _ in commands]
    for _ in range(repetitions):
        for sample, command in zip(samples, commands):
            before()
            sample.append(run(command))
    return [tuple(statistics.median(x) for x in zip(*sample)) for sample in samples]


def generate(n, shuffled=False):
    folder = f"{WORK}/{'shuffled' if shuffled else 'level'}_{n}"
    source = f"{folder}/levels/generated.level.json"
    if not os.path.exists(source):
        os.makedirs(folder, exist_ok=True)
        command = [f"{BUILD}/tool_level", str(n), folder] + (["shuffled"] if shuffled else [])
        subprocess.run(command, check=True)
    return folder, source


def compile_command(folder, out):
    return [f"{BUILD}/entc", "compile", folder, "levels/generated.level", "-o", out]


def bench_build():
    bench_tree(f"{BUILD}/entc", f"{BUILD}/tool_walk", WORK, add, in_turn)
    bench_pack(f"{BUILD}/entc", WORK, add, in_turn)
    folder, _ = generate(500000)
    bench_slices(compile_command(folder, f"{WORK}/level_500000.level"), 500000, add, in_turn)


def bench_compile():
    n = 500000
    folder, source = generate(n)
    out = f"{WORK}/level_{n}.level"
    megabytes = os.path.getsize(source) / 1e6
    flatc = ["flatc", "-b", "-o", f"{WORK}/flatc", "tests/bench/bench_level.fbs", source]
    entc, one, other = in_turn([compile_command(folder, out), compile_command(folder, out) + ["-j", "1"], flatc], 5)
    size = os.path.getsize(out) / 2**20
    add("compile, speed against flatc", n, megabytes / entc[0], "MB/s", other[0] / entc[0], 5, "more")
    add("compile with one thread, speed against flatc", n, megabytes / one[0], "MB/s", other[0] / one[0], 10, "more")
    add("flatc -b", n, megabytes / other[0], "MB/s", 1, 0)
    beyond = entc[2] - megabytes * 1e6 / 2**20
    add("compile, memory beyond the source / output", n, beyond, "MiB", beyond / size, 3)

    mixed, _ = generate(n, shuffled=True)
    straight, shuffled = in_turn([compile_command(folder, out),
                                  compile_command(mixed, f"{WORK}/shuffled_{n}.level")], 5)
    add("compile a shuffled source / in order", n, shuffled[0] * 1e9 / n, "ns/entity",
        shuffled[0] / straight[0], 0)


def bench_linear():
    """Time of the complete command per entity, from 10 k to 500 k."""
    sizes = (10000, 100000, 500000)
    commands = [compile_command(generate(n)[0], f"{WORK}/level_{n}.level") for n in sizes]
    cost = [r[0] * 1e9 / n for r, n in zip(in_turn(commands, 9), sizes)]
    for n, each in zip(sizes, cost):
        add("compile, time an entity / at 10 k", n, each, "ns/entity", each / cost[0], 1.2)


def bench_program(name, *arguments, only="", suffix=""):
    """The rows that a program prints, or those whose name begins with `only`."""
    text = subprocess.run([f"{BUILD}/bench_{name}", *arguments], check=True, capture_output=True, text=True)
    for line in text.stdout.splitlines():
        what, n, value, unit, ratio, target, better = line.split(",")
        if what.startswith(only):
            add(what + suffix, int(n), float(value), unit, float(ratio), float(target), better)


def bench_runtime():
    blobs = []
    for n in (60, 10000, 100000, 1000000):
        folder, _ = generate(n)
        blobs.append(f"{WORK}/level_{n}.level")
        run(compile_command(folder, blobs[-1]))
    mixed, _ = generate(1000000, shuffled=True)
    run(compile_command(mixed, f"{WORK}/shuffled.level"))
    bench_program("jobs")
    bench_program("spawn", *blobs)
    bench_program("spawn", f"{WORK}/shuffled.level", only="spawn", suffix="; shuffled source")
    bench_program("transform", *blobs[1:])
    bench_program("manager")
    bench_follow()
    bench_program("names", blobs[-1])
    bench_program("mass")
    run(["python3", "tests/support/make_characters.py", f"{WORK}/characters/src"])
    run([f"{BUILD}/entc", "build", f"{WORK}/characters/src", "-o", f"{WORK}/characters/out", "-q"])
    bench_program("pose", f"{WORK}/characters/out", "show_walker")


def bench_follow():
    """A level is removed by the number of its spawn; a build in which one field of 100,000 entities changed."""
    bench_program("follow", "unspawn", f"{WORK}/level_1000000.level")
    folder = f"{WORK}/follow"
    entities = [{"name": f"e{i}", "components": {"transform": {"position": [i % 1000, 0, i // 1000]},
                                                 "light": {"intensity": 1}}} for i in range(100000)]
    os.makedirs(f"{folder}/src", exist_ok=True)
    os.makedirs(f"{folder}/live", exist_ok=True)
    for build, intensity in (("before", 1), ("after", 2)):
        entities[50000]["components"]["light"]["intensity"] = intensity
        with open(f"{folder}/src/field.level.json", "w") as file:
            json.dump({"entities": entities}, file)
        run([f"{BUILD}/entc", "build", f"{folder}/src", "-o", f"{folder}/{build}", "-q"])
    bench_program("follow", "reload", folder, "field")


def bench_textures():
    bench_texture(f"{BUILD}/entc", f"{BUILD}/bench_texture", WORK, add, in_turn, run)
    bench_program("texture", "load", f"{WORK}/textures/image_0.texture")


def report(complete):
    print(f"{'':58} {'n':>8} {'value':>12} {'':10} {'ratio':>7} {'target':>8}")
    lines = ["what,n,value,unit,ratio,target"]
    for what, n, value, unit, ratio, target, better in ROWS:
        sign = "<=" if better == "less" else ">="
        goal = f"{sign} {target:g}" if target else ""
        missed = target and (ratio > target if better == "less" else ratio < target)
        print(f"{what:58} {n:8} {value:12.2f} {unit:10} {ratio:7.2f} {goal:>8}{'  missed' if missed else ''}")
        lines.append(f"{what.replace(',', ';')},{n},{value:.2f},{unit},{ratio:.2f},{goal}")
    if complete:
        with open(CSV) as old:
            lines += [line.rstrip("\n") for line in old if line.startswith("gpu ")]
        with open(CSV, "w") as out:
            out.write("\n".join(lines) + "\n")


def bench_gpu(device):
    rows = f"{WORK}/gpu.csv"
    subprocess.run([f"{BUILD}/bench_gpu", "", device, rows], check=True)
    with open(rows) as new, open(CSV) as old:
        new = new.readlines()
        mine = new[0].split(":")[0] + ":"
        kept = [line for line in old if not line.startswith(mine)]
    with open(CSV, "w") as out:
        out.writelines(kept + new)


os.makedirs(WORK, exist_ok=True)
if "gpu" in sys.argv:
    bench_gpu(sys.argv[3] if len(sys.argv) > 3 else "")
    sys.exit()
part = sys.argv[2] if len(sys.argv) > 2 else None
if part in (None, "runtime"):
    bench_runtime()
if part is None:
    bench_compile()
    bench_linear()
if part in (None, "tree"):
    bench_build()
if part in (None, "texture"):
    bench_textures()
report(len(sys.argv) == 2)
