#!/usr/bin/env python3
"""bench.py - speed and size: every figure is a ratio of two measurements that alternate in one run.

    tests/bench/bench.py BUILD [runtime|compile|tree|pack|texture|builds|cores]...
    tests/bench/bench.py BUILD gpu [DEVICE]

Generates the levels of level_mix.h, compiles them with entc and with flatc in turn, spawns them, runs the
bench_* programs, prints a table, and writes tests/bench.csv; with parts only these, whose rows replace those
of the programs that ran; with `gpu` the systems on a GPU, whose rows replace those of that device. A row has the
program that measured it and a hash of the sources of what it measured: see sources.py.
Times are medians of whole processes; memory is the maximum resident set, without the source, which both map
or read.
"""
import functools
import json
import os
import statistics
import subprocess
import sys
import time

from bench_builds import bench_builds
from bench_compile import LARGE, bench_compile, compile_command, generate
from bench_cores import CORES, bench_cores
from bench_pack import bench_pack
from bench_texture import bench_texture
from bench_tree import bench_tree
from sources import CSV, UNKNOWN, Tree

BUILD = sys.argv[1]
WORK = f"{BUILD}/bench"
ROWS = []
HEAD = "what,n,value,unit,ratio,target,sources"


def add(program, what, n, value, unit, ratio, target, better="less"):
    """A row; target 0: none. `better`: whether the ratio should be less or more than the target."""
    ROWS.append((program, what, n, value, unit, ratio, target, better))


def adder(program):
    return functools.partial(add, program)


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


def bench_program(name, *arguments, only="", suffix=""):
    """The rows that a program prints, or those whose name begins with `only`."""
    text = subprocess.run([f"{BUILD}/bench_{name}", *arguments], check=True, capture_output=True, text=True)
    for line in text.stdout.splitlines():
        what, n, value, unit, ratio, target, better = line.split(",")
        if what.startswith(only):
            add(f"bench_{name}", what + suffix, int(n), float(value), unit, float(ratio), float(target), better)


def bench_runtime():
    blobs = []
    for n in (60, 10000, 100000, 1000000):
        folder, _ = generate(BUILD, WORK, n)
        blobs.append(f"{WORK}/level_{n}.level")
        run(compile_command(BUILD, folder, blobs[-1], 2))
    mixed, _ = generate(BUILD, WORK, 1000000, shuffled=True)
    run(compile_command(BUILD, mixed, f"{WORK}/shuffled.level", 2))
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
    run(["python3", "tests/support/make_machines.py", f"{WORK}/machines/src"])
    run([f"{BUILD}/entc", "build", f"{WORK}/machines/src", "-o", f"{WORK}/machines/out", "-q", "--clip-error", "0"])
    bench_program("animators", f"{WORK}/machines/out", "hall")


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
    bench_texture(f"{BUILD}/entc", f"{BUILD}/bench_texture", WORK, adder("bench_texture.py"), in_turn, run)
    bench_program("texture", "load", f"{WORK}/textures/image_0.texture")


def bench_many_cores():
    folder, _ = generate(BUILD, WORK, LARGE)
    level = [compile_command(BUILD, folder, f"{WORK}/level_{LARGE}.level", threads) for threads in (1, CORES)]
    bench_cores(f"{BUILD}/entc", f"{BUILD}/bench_texture", level, WORK, adder("bench_cores.py"), in_turn, run)


PARTS = {
    "runtime": bench_runtime,
    "compile": lambda: bench_compile(BUILD, WORK, adder("bench_compile.py"), in_turn),
    "tree": lambda: bench_tree(f"{BUILD}/entc", f"{BUILD}/tool_walk", WORK, adder("bench_tree.py"), in_turn),
    "pack": lambda: bench_pack(f"{BUILD}/entc", WORK, adder("bench_pack.py"), in_turn),
    "texture": bench_textures,
    "builds": lambda: bench_builds(f"{BUILD}/entc", f"{BUILD}/bench_texture", WORK, adder("bench_builds.py"), in_turn, run),
    "cores": bench_many_cores,
}


def report():
    """Prints the rows; returns their lines in the file."""
    print(f"{'':68} {'n':>8} {'value':>12} {'':10} {'ratio':>7} {'target':>8}")
    tree, lines = Tree(), []
    for program, what, n, value, unit, ratio, target, better in ROWS:
        sign = "<=" if better == "less" else ">="
        goal = f"{sign} {target:g}" if target else ""
        missed = target and (ratio > target if better == "less" else ratio < target)
        print(f"{what:68} {n:8} {value:12.2f} {unit:10} {ratio:7.2f} {goal:>8}{'  missed' if missed else ''}")
        lines.append(f"{what.replace(',', ';')},{n},{value:.2f},{unit},{ratio:.2f},{goal},{tree.of(program)}")
    return lines


def old_rows():
    with open(CSV, encoding="utf-8") as file:
        return file.read().splitlines()[1:]


def save(lines):
    with open(CSV, "w", encoding="utf-8") as file:
        file.write("\n".join([HEAD] + lines) + "\n")


def program_of(line):
    return line.rsplit(",", 1)[1].split(":")[0]


def save_programs(new):
    """Puts the rows of each program where its first one was, or before those of GPUs."""
    names = {tuple(line.split(",")[:2]) for line in new}
    lines = [line for line in old_rows() if program_of(line) != UNKNOWN or tuple(line.split(",")[:2]) not in names]
    for program in dict.fromkeys(row[0] for row in ROWS):
        places = [i for i, line in enumerate(lines) if program_of(line) == program]
        places += [i for i, line in enumerate(lines) if line.startswith("gpu ")] + [len(lines)]
        rest = [line for line in lines[places[0]:] if program_of(line) != program]
        lines = lines[:places[0]] + [line for line in new if program_of(line) == program] + rest
    save(lines)


def bench_gpu(device):
    rows, tree = f"{WORK}/gpu.csv", Tree()
    subprocess.run([f"{BUILD}/bench_gpu", "", device, rows], check=True)
    with open(rows, encoding="utf-8") as file:
        lines = [line.rsplit(",", 1) for line in file.read().splitlines()]
    new = [f"{line},{tree.of(program)}" for line, program in lines]
    device_of = new[0].split(":")[0] + ":"
    save([line for line in old_rows() if not line.startswith(device_of)] + new)


def main():
    os.makedirs(WORK, exist_ok=True)
    parts = sys.argv[2:]
    if "gpu" in parts:
        bench_gpu(parts[1] if len(parts) > 1 else "")
        return
    unknown = set(parts) - set(PARTS)
    if unknown:
        sys.exit(f"bench: there is no part {', '.join(sorted(unknown))}; the parts are {', '.join(PARTS)} and gpu")
    for part in parts or PARTS:
        PARTS[part]()
    new = report()
    if parts:
        save_programs(new)
    else:
        save(new + [line for line in old_rows() if line.startswith("gpu ")])


main()
