"""bench_compile.py - one long level: speed against flatc with one thread and with two, memory, cost an entity."""
import os
import subprocess

LARGE = 500000


def generate(build, work, n, shuffled=False):
    """A level of level_mix.h: its folder, and the file."""
    folder = f"{work}/{'shuffled' if shuffled else 'level'}_{n}"
    source = f"{folder}/levels/generated.level.json"
    if not os.path.exists(source):
        os.makedirs(folder, exist_ok=True)
        command = [f"{build}/tool_level", str(n), folder] + (["shuffled"] if shuffled else [])
        subprocess.run(command, check=True)
    return folder, source


def compile_command(build, folder, out, threads):
    return [f"{build}/entc", "compile", folder, "levels/generated.level", "-o", out, "-j", str(threads)]


def bench_against_flatc(build, work, add, in_turn):
    folder, source = generate(build, work, LARGE)
    out = f"{work}/level_{LARGE}.level"
    megabytes = os.path.getsize(source) / 1e6
    flatc = ["flatc", "-b", "-o", f"{work}/flatc", "tests/bench/bench_level.fbs", source]
    one, two, other = in_turn([compile_command(build, folder, out, 1), compile_command(build, folder, out, 2), flatc], 7)
    size = os.path.getsize(out) / 2**20
    add("compile with one thread, speed against flatc", LARGE, megabytes / one[0], "MB/s", other[0] / one[0], 10, "more")
    add("compile with two threads, speed against flatc", LARGE, megabytes / two[0], "MB/s", other[0] / two[0], 10, "more")
    add("flatc -b", LARGE, megabytes / other[0], "MB/s", 1, 0)
    beyond = two[2] - megabytes * 1e6 / 2**20
    add("compile with two threads, memory beyond the source / output", LARGE, beyond, "MiB", beyond / size, 3)


def bench_threads(build, work, add, in_turn):
    folder, _ = generate(build, work, LARGE)
    one, two = in_turn([compile_command(build, folder, f"{work}/level_{LARGE}.level", threads) for threads in (1, 2)], 15)
    add("one long level, -j2 against -j1", LARGE, two[0] * 1e3, "ms", one[0] / two[0], 1.8, "more")


def bench_order(build, work, add, in_turn):
    folder, _ = generate(build, work, LARGE)
    mixed, _ = generate(build, work, LARGE, shuffled=True)
    straight, shuffled = in_turn([compile_command(build, folder, f"{work}/level_{LARGE}.level", 2),
                                  compile_command(build, mixed, f"{work}/shuffled_{LARGE}.level", 2)], 5)
    add("compile a shuffled source / in order", LARGE, shuffled[0] * 1e9 / LARGE, "ns/entity",
        shuffled[0] / straight[0], 0)


def bench_linear(build, work, add, in_turn):
    """Time of the complete command per entity, from 10 k to 500 k."""
    sizes = (10000, 100000, LARGE)
    commands = [compile_command(build, generate(build, work, n)[0], f"{work}/level_{n}.level", 2) for n in sizes]
    cost = [r[0] * 1e9 / n for r, n in zip(in_turn(commands, 9), sizes)]
    for n, each in zip(sizes, cost):
        add("compile, time an entity / at 10 k", n, each, "ns/entity", each / cost[0], 1.2)


def bench_compile(build, work, add, in_turn):
    for part in (bench_against_flatc, bench_order, bench_linear, bench_threads):
        part(build, work, add, in_turn)
