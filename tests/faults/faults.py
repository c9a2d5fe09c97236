"""Disturbs `entc build` in every way and checks what remains: no wrong output, no partial output, no other file
in the folders after the next build, and that build equals a clean one.

    faults.py BUILD FOLDER [--complete] [--seed N] PART...

    kills    SIGKILL before every system call of clean, incremental, failing and cached builds
    errors   each call that touches a file fails, with every cause that a disk or a network may report
    signals  SIGTERM and SIGINT at any time: temporaries are removed at once
    database   the build database: every byte flipped, every truncation, and foreign ones
    cache    the same for entries of the cache folder; folders that cannot be used
    storm    sixteen builds on one output folder and one cache kill each other

Without --complete a sample of each, of some seconds. `make faults` runs all. Exit code 77: skipped.
"""
import argparse
import errno
import os
import random
import re
import shutil
import signal
import subprocess
import time

from build_world import (Tally, World, difference, errors_reported, files_below, sources_after, sources_invalid, sources_before,
                         write)

CALLS = ("openat", "write", "renameat", "close", "mkdir", "unlinkat", "newfstatat", "read", "getdents64", "rmdir",
         "readlink")
CHANGING = {"write", "renameat", "mkdir", "unlinkat", "rmdir"}
NO_ANSWER = set(CALLS) - {"getdents64", "rmdir", "readlink"}  # EINTR is excluded: these are called again
CAUSES = ("ENOSPC", "EIO", "EACCES", "EINTR")

arguments = argparse.ArgumentParser()
arguments.add_argument("build")
arguments.add_argument("folder")
arguments.add_argument("parts", nargs="+")
arguments.add_argument("--complete", action="store_true")
arguments.add_argument("--seed", type=int, default=1)
options = arguments.parse_args()
tally = Tally()
dice = random.Random(options.seed)
world = World(options.build, options.folder)


def sample(points, count):
    """All of them, or this number, evenly distributed."""
    points = list(points)
    if options.complete or len(points) <= count:
        return points
    step = len(points) / count
    return [points[int(i * step + dice.random() * step)] for i in range(count)]


# --- the builds that are disturbed ---

class Scenario:
    """The state before, what is to be built, and the files that may exist afterwards."""

    def __init__(self, name, before, sources, *build):
        self.name, self.before, self.sources, self.arguments = name, before, sources, list(build)
        self.cached = "--cache" in self.arguments
        self.filled = name == "cached"
        world.clear()
        world.put(before or sources)
        self.old = world.clean()[2] if before else {}
        world.put(sources)
        self.code, self.err, self.new = world.clean()
        if self.code != (3 if name == "failing" else 0):  # or every disturbed run would be right to fail
            raise SystemExit(f"faults.py: {name}: without a disturbance it ends with {self.code}: {self.err}")
        if self.code:
            self.new = self.old

    def reset(self):
        world.remove("out", ".out.entc", "cache")
        if self.before:
            world.put(self.before)
            assert world.build(*self.arguments)[0] == 0
        world.put(self.sources)
        if self.filled:
            assert world.build("--cache", "cache", out="other")[0] == 0
            world.remove("other", ".other.entc")

    def run(self, *before, **more):
        return world.build(*self.arguments, before=before, **more)

    def torn(self):
        """The files that have neither the old nor the new content."""
        rows = []
        files = world.outputs()
        for name, content in files.items():
            if name.endswith(".tmp"):
                continue
            if content not in (self.old.get(name), self.new.get(name)):
                rows.append(f"{name} is neither the old nor the new one")
        rows += [f"{name} is gone" for name in self.old.keys() & self.new.keys() if name not in files]
        return "; ".join(rows)

    def wrong_after_repair(self, *more):
        """The differences that remain after the next, undisturbed build."""
        code, _, err = world.build(*self.arguments, *more)
        if code != self.code or err != self.err:
            return f"the next build ended with {code}: {err}"
        rows = [difference(world.outputs(), self.new)]
        return "; ".join(filter(None, rows + [f"{name} was left" for name in world.left()]))

    def reverted(self):
        """Instead of continuing, the author reverts the edit."""
        world.put(self.before)
        code, _, err = world.build(*self.arguments)
        if code:
            return f"the build after going back ended with {code}: {err}"
        rows = [difference(world.outputs(), self.old)]
        return "; ".join(filter(None, rows + [f"{name} was left" for name in world.left()]))


def scenarios(jobs):
    before, after = sources_before(), sources_after()
    yield Scenario("clean", None, after, jobs)
    yield Scenario("incremental", before, after, jobs)
    yield Scenario("idle", after, after, jobs)
    yield Scenario("failing", before, sources_invalid(), jobs)
    yield Scenario("storing", before, after, jobs, "--cache", "cache")
    yield Scenario("cached", None, after, jobs, "--cache", "cache")


def strace(*what):
    return ["strace", "-f", "-qq", "-o", world.path("strace.log"), *what]


def traced():
    """Can programs be traced here?"""
    try:
        done = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=all:signal=SIGKILL:when=5",
                               world.entc, "--version"], capture_output=True)
    except FileNotFoundError:
        return "there is no strace"
    return "" if done.returncode == -signal.SIGKILL else "strace may not trace programs here"


def calls_of(scenario):
    """Names of the system calls of the first thread, in order, and how many of them are made by the loader."""
    scenario.reset()
    code, _, err = scenario.run(*strace("-e", "trace=all"))
    assert code == scenario.code, (scenario.name, code, err)
    with open(world.path("strace.log"), errors="replace") as log:
        rows = [line.split(None, 1) for line in log]
    calls, start = [], None
    for pid, row in rows:
        name = re.match(r"(\w+)\(", row)
        if not name:
            continue
        if start is None and name[1] == "openat" and "\"src\"" in row:  # whichever thread is faster
            start = len(calls)
        if pid == rows[0][0]:
            calls.append(name[1])
    os.unlink(world.path("strace.log"))
    return calls, start


def kills():
    killed = runs = 0
    for jobs, points in (("-j1", 9), ("-j2", 4)):
        for scenario in scenarios(jobs):
            calls, start = calls_of(scenario)
            where = range(start, len(calls))
            if not options.complete:  # near those that change something
                where = [when for when in where if CHANGING & set(calls[when - 1:when + 1])]
            for number, when in enumerate(sample(where, points)):
                scenario.reset()
                call, number_of_it = calls[when], calls[:when + 1].count(calls[when])  # strace counts by name
                code = scenario.run(*strace("-e", f"trace={call}",
                                            "-e", f"inject={call}:signal=SIGKILL:when={number_of_it}"))[0]
                name = f"{scenario.name} {jobs} killed before {call} {number_of_it}, call {when + 1} of {len(calls)}"
                tally.check(code in (-signal.SIGKILL, scenario.code), f"{name}: exit code {code}")
                killed += code == -signal.SIGKILL
                runs += 1
                torn = scenario.torn()
                tally.check(not torn, f"{name}: {torn}")
                back = scenario.before and number % 2
                wrong = scenario.reverted() if back else scenario.wrong_after_repair()
                tally.check(not wrong, f"{name}{', edit taken back' if back else ''}: {wrong}")
    # Sometimes a build makes a few calls less than the one that was counted.
    tally.check(killed > runs * 0.8, f"only {killed} of {runs} builds were killed")


# --- calls that fail ---

def reported_well(err, cause, max_errors):
    """One message that names a file and the cause; besides, only errors of the sources."""
    return 1 <= errors_reported(err) <= max_errors and os.strerror(getattr(errno, cause)) in err and re.search(r'"[^"]+"|^[^ ]+:1:1', err)


def fails(scenario, call, when, cause):
    scenario.reset()
    code, out, err = scenario.run(*strace("-e", f"trace={call}", "-e", f"inject={call}:error={cause}:when={when}"))
    name = f"{scenario.name}: {call} number {when} fails with {cause}"
    if code == scenario.code or (cause == "EINTR" and call in NO_ANSWER):
        same = scenario.new
        rest = re.sub(r"^entc: warning: .*\n", "", err, flags=re.M)
        wrong = difference(world.outputs(), same)
        tally.check(code == scenario.code and rest == scenario.err and not wrong, f"{name}: exit code {code}, {wrong} {rest}{out}")
    else:
        tally.check(code == 2 and reported_well(err, cause, 2 if scenario.code else 1), f"{name}: exit code {code}: {err}{out}")
    torn = scenario.torn()
    tally.check(not torn, f"{name}: {torn}")
    wrong = scenario.wrong_after_repair()
    tally.check(not wrong, f"{name}: {wrong}")


def errors():
    for scenario in scenarios("-j1"):
        calls, start = calls_of(scenario)
        points = [(call, when + 1) for call in CALLS
                  if not (call == "write" and scenario.code)  # diagnostics are written too
                  for when in range(calls[:start].count(call), calls.count(call))]
        for call, when in sample(points, 20):
            for cause in CAUSES if options.complete else [dice.choice(CAUSES)]:
                fails(scenario, call, when, cause)


# --- signals that a program may catch ---

def many_sources(count):
    sources = sources_before()
    for i in range(count):
        sources[f"many/a{i}.entity.json"] = sources["props/gate.entity.json"]
        sources[f"levels/l{i}.level.json"] = sources["levels/yard.level.json"]
    return sources


def signals():
    world.clear()
    world.put(many_sources(60))
    wanted = world.clean()[2]
    begin = time.time()
    code, _, err = world.build(out="other")
    tally.check(code == 0, f"signals: a build without one ended with {code}: {err}")
    build_s = time.time() - begin
    ended = 0
    for number in range(400 if options.complete else 24):
        world.remove("out", ".out.entc", "cache")
        ignored = number % 8 == 7
        which = signal.SIGTERM if number % 2 else signal.SIGINT
        process = subprocess.Popen([world.entc, "build", "src", "-o", "out", "-j4", "--cache", "cache"], cwd=world.folder,
                                   env=world.environment, stderr=subprocess.PIPE,
                                   preexec_fn=(lambda: signal.signal(which, signal.SIG_IGN)) if ignored else None)
        time.sleep(dice.random() * min(build_s, 0.2))
        process.send_signal(which)
        err = process.communicate(timeout=60)[1].decode()
        name = f"signal {which.name}, number {number}"
        tally.check(process.returncode in ((0,) if ignored else (0, -which)), f"{name}: ended with {process.returncode}, {err}")
        tally.check(not world.left(), f"{name}: {world.left()} was left")
        ended += process.returncode == -which
        torn = [n for n, c in world.outputs().items() if c != wanted.get(n)]
        tally.check(not torn, f"{name}: {torn} is wrong")
    tally.check(ended > 0, "no signal came while a build was running")
    world.build("--cache", "cache")
    tally.check(not difference(world.outputs(), wanted), "signals: the build afterwards")


# --- damage ---

def damages(content, count):
    """(name, content) of flipped bytes, truncations and files with another content."""
    for at in sorted({*range(0, 16, 3), *sample(range(len(content)), count)}):  # always also in the head
        yield f"byte {at} flipped", content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1:]
    for at in sample(range(len(content)), count):
        yield f"cut to {at} bytes", content[:at]
    yield "a byte longer", content + b"\0"
    yield "zeros", bytes(len(content))
    yield "foreign", b"#!/bin/sh\necho hello\n" * 100


def database():
    """Costs time, never correctness: the edit made since is built whatever the build database contains."""
    edit = Scenario("database", sources_before(), sources_after(), "-j1")
    edit.reset()
    path = world.path(".out.entc", "database")
    with open(path, "rb") as file:
        content = file.read()
    keep = world.outputs()
    for name, damaged in damages(content, 60):
        for file, bytes_ in keep.items():
            if world.outputs().get(file) != bytes_:
                write(world.path("out", file), bytes_)
        write(path, damaged)
        wrong = edit.wrong_after_repair()
        tally.check(not wrong, f"database, {name}: {wrong}")
    databases_of_others(edit)


def databases_of_others(edit):
    """Of another version, another source folder, another output folder, another build at the same time."""
    edit.reset()
    path, kept = world.path(".out.entc", "database"), world.path("kept")
    shutil.copy(path, kept)
    with open(path, "rb") as file:
        content = bytearray(file.read())
    content[8] += 1
    write(path, bytes(content))
    tally.check(not edit.wrong_after_repair(), "database of a later version")
    shutil.copytree(world.path("src"), world.path("elsewhere"))
    write(world.path("elsewhere", "props/lamp.entity.json"), b"{}")
    write(world.path("elsewhere", "levels/other.level.json"), b'{ "entities": [] }')
    assert world.run("build", "elsewhere", "-o", "out")[0] == 0
    tally.check(not edit.wrong_after_repair(), "database of another source folder")
    assert world.run("build", "elsewhere", "-o", "third")[0] == 0
    shutil.copy(world.path(".third.entc", "database"), path)
    tally.check(not edit.wrong_after_repair(), "database of another output folder")
    shutil.copy(kept, path)
    tally.check(not edit.wrong_after_repair(), "database of an earlier build")
    world.remove("out")
    shutil.copy(kept, path)
    tally.check(not edit.wrong_after_repair(), "database without its output folder")
    os.unlink(path)
    os.mkdir(path)
    code, _, err = world.build()
    tally.check(code == 2 and "Is a directory" in err, f"a folder where the database should be: {code}, {err}")
    os.rmdir(path)
    tally.check(not edit.wrong_after_repair(), "the database after a folder stood there")


def entries():
    return sorted(name for name in files_below(world.path("cache")) if "/" in name)


def cache():
    hit = Scenario("cached", None, sources_after(), "-j1", "--cache", "cache")
    hit.reset()
    count = len(entries())
    kinds = {}
    for name in entries():
        with open(world.path("cache", name), "rb") as file:
            content = file.read()
        kind = re.search(rb"\n(product|reads of|model) [a-z/_]*\.([a-z]+)\n", content)
        kinds.setdefault((kind[1], kind[2]), (name, content))
    tally.check(len(kinds) >= 7, f"the cache has entries of {sorted(kinds)}")
    for (kind, type_), (name, content) in sorted(kinds.items()):
        for what, damaged in damages(content, 6):
            world.remove("out", ".out.entc")
            write(world.path("cache", name), damaged)
            code, _, err = hit.run()
            where = f"cache entry {kind.decode()} {type_.decode()}, {what}"
            warned = [line for line in err.splitlines() if line.startswith("entc: warning: ") and name in line]
            tally.check(code == 0 and len(warned) == 1 and warned == err.splitlines(), f"{where}: {code}, {err}")
            wrong = difference(world.outputs(), hit.new)
            tally.check(not wrong and len(entries()) == count, f"{where}: {wrong}, {len(entries())} entries of {count}")
            with open(world.path("cache", name), "rb") as file:
                tally.check(file.read() == content, f"{where}: it was not made again as it was")
    cache_of_no_use(hit)


def cache_of_no_use(hit):
    """Costs a warning, but not the build."""
    write(world.path("file"), b"")
    for place in ("file", "file/below", "x" * 300, "y/" * 2200):
        world.remove("out", ".out.entc")
        code, _, err = world.build("--cache", place)
        wrong = difference(world.outputs(), hit.new)
        tally.check(code == 0 and not wrong and err.count("entc: warning: ") == 1 and errors_reported(err) == 0,
                    f"the cache folder {place[:20]}: {code}, {wrong}, {err[:200]}")
    world.remove("out", ".out.entc", "cache")
    os.mkdir(world.path("cache"))
    for i in range(256):
        write(world.path("cache", f"{i:02x}"), b"in the way")
    code, _, err = hit.run()
    wrong = difference(world.outputs(), hit.new)
    tally.check(code == 0 and not wrong and err.count("entc: warning: ") == 1, f"a full cache folder: {code}, {wrong}, {err}")


# --- many at once ---

def storm():
    """Each round some builds are killed at any time; the others must end without error."""
    rounds, count = (50, 16) if options.complete else (4, 16)
    world.clear()
    states = [many_sources(20), {**many_sources(20), **sources_after()}]
    finished = killed = 0
    for number in range(rounds):
        world.put(states[number % 2])
        running = [subprocess.Popen([world.entc, "build", "src", "-o", "out", f"-j{dice.choice((1, 2, 7))}", "--cache", "cache"],
                                    cwd=world.folder, env=world.environment, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE) for _ in range(count)]
        doomed = set(dice.sample(running, count // 2))
        for process in doomed:
            time.sleep(dice.random() * 0.02)
            process.kill()
        for process in running:
            err = process.communicate(timeout=60)[1].decode()
            if process in doomed: # killed while the search for leaks had stopped its threads
                err = re.sub(r"==\d+==Unable to get registers from thread \d+\.\s*", "", err)
            wrong = process.returncode not in ((0, -signal.SIGKILL) if process in doomed else (0,))
            tally.check(not wrong and not err, f"storm, round {number}: {process.returncode}, {err}")
            finished += process.returncode == 0
            killed += process.returncode == -signal.SIGKILL
        if number % 5 == 0 or number + 1 == rounds:
            storm_settles(number)
    tally.check(finished and killed, f"storm: {finished} finished, {killed} were killed")


def storm_settles(number):
    code, _, err = world.build("--cache", "cache")
    wanted = world.clean()[2]
    wrong = difference(world.outputs(), wanted)
    tally.check(code == 0 and not err and not wrong, f"storm, round {number}: {code}, {err}{wrong}")
    tally.check(not world.left(), f"storm, round {number}: {world.left()} was left")
    world.remove("other", ".other.entc")
    code, _, err = world.build("--cache", "cache", out="other")
    wrong = difference(world.outputs("other"), wanted)
    tally.check(code == 0 and not err and not wrong, f"storm, round {number}, from the cache: {code}, {err}{wrong}")


for part in options.parts:
    if part in ("kills", "errors") and traced():
        tally.skip(f"{part}: {traced()}")
        continue
    begun = time.time()
    {"kills": kills, "errors": errors, "signals": signals, "database": database, "cache": cache, "storm": storm}[part]()
    print(f"{part}: {time.time() - begun:.1f} s", flush=True)
tally.end()
