"""bench_cores.py - builds with 16 threads against fewer of them, and against as many processes: on machines that have so
many processors. On a file system in memory, if there is one."""
import os
import random
import shutil

from bench_builds import write_model, write_small
from bench_compile import LARGE
from bench_texture import images
from bench_tree import removed

CORES = 16
SMALL = 20000
MODELS = 200


def bench_small(entc, source, out, add, in_turn):
    """The same files in 16 folders, each of which one process with one thread builds at the same time."""
    removed(source)
    write_small(source, SMALL)
    folders = [f"{source}-{i}" for i in range(CORES)]
    outs = [f"{out}-{i}" for i in range(CORES)]
    removed(*folders)
    for i, name in enumerate(sorted(os.listdir(source))):
        shutil.copytree(f"{source}/{name}", f"{folders[i % CORES]}/{name}")
    each = " & ".join(f"{entc} build {folder} -o {to} -q -j 1" for folder, to in zip(folders, outs))
    build = [[entc, "build", source, "-o", out, "-q", "-j", str(jobs)] for jobs in (1, CORES)]
    one, many, apart = in_turn([*build, ["sh", "-c", f"{each} & wait"]], 7, before=lambda: removed(out, *outs))
    add("small files, -j16 against -j1", SMALL, many[0] * 1e3, "ms", one[0] / many[0], 8, "more")
    add("the same, -j16 / 16 processes with one thread each", SMALL, many[0] * 1e3, "ms", many[0] / apart[0], 1.2)
    removed(source, out, *folders, *outs)


def bench_models(entc, program, work, out, add, in_turn, run):
    folder, cache, dice = images(program, f"{work}/models_2048", 1, 2048, run), f"{out}-cache", random.Random(12)
    for i in range(MODELS):
        write_model(folder, f"m{i:03}", "image_0.png", dice, side=4)
    build = [[entc, "build", folder, "-o", out, "-q", "-j", str(jobs)] for jobs in (2, CORES)]
    removed(cache)
    few, many = in_turn(build, 1, before=lambda: removed(out))
    add("models with an image of 2048 x 2048, -j16 against -j2", MODELS, many[0] * 1e3, "ms", few[0] / many[0], 7, "more")
    add("its peak / 1024 MiB", MODELS, many[2], "MiB", many[2] / 1024, 1)
    cached = [[*command, "--cache", cache] for command in build]
    in_turn(cached[1:], 1, before=lambda: removed(out))
    few, many = in_turn(cached, 5, before=lambda: removed(out))
    add("the same from the cache, -j16 against -j2", MODELS, many[0] * 1e3, "ms", few[0] / many[0], 6.5, "more")
    removed(cache, out)


def bench_cores(entc, program, level, work, add, in_turn, run):
    if (os.cpu_count() or 1) < CORES:
        print(f"bench: this machine has fewer than {CORES} processors; the rows of bench_cores.py are left out")
        return
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else work
    out = f"{memory}/entc-bench-cores"
    bench_small(entc, f"{memory}/entc-bench-cores-small", out, add, in_turn)
    one, many = in_turn(level, 7)
    add("one long level, -j16 against -j1", LARGE, many[0] * 1e3, "ms", one[0] / many[0], 6, "more")
    folder = images(program, f"{work}/image_2048", 1, 2048, run)
    one, many = in_turn([[entc, "build", folder, "-o", out, "-q", "-j", str(jobs)] for jobs in (1, CORES)], 9,
                        before=lambda: removed(out))
    add("one texture of 2048 x 2048 with decoding, -j16 against -j1", 2048, many[0] * 1e3, "ms", one[0] / many[0], 0, "more")
    removed(out)
    bench_models(entc, program, work, out, add, in_turn, run)
