"""Random edits of a folder that `entc build --watch` follows: each of its builds must be that of a new program.

    watches.py BUILD FOLDER [--seed N] [--steps N] [--length N] [--jobs N] [--seconds N]

The watch is stopped (SIGSTOP), sources and outputs are changed, and it continues. When it has finished its build, this
is compared, with the same options:

    twin      another output folder, with the same disturbances, which a new program builds after each step: the
              diagnostics, the files that are listed as written or removed, and all counts
    nothing   a build from nothing: the bytes of all outputs; while there are errors, the outputs stay as they were
    database  --dry-run lists nothing; a build of a copy of the outputs and the database compiles nothing but what has
              warnings, and leaves a database without appended parts
    commands  refs, why and unused give the same text for copies of both output folders
    kill      sometimes the watch is killed during its build: the next build gives the outputs of one from nothing
    running   sometimes it is not stopped: it has to arrive at the outputs of a build from nothing

At least a third of the builds after edits of contents must have looked at changed files only. When another program has
replaced or removed the build database, such a build is not recorded; then the twin becomes a copy. With a cache, the
sum of what was compiled and what is from the cache is compared.

A history that fails is shortened and printed: it can be repeated with --replay FILE. --seed and --steps state which
histories are run, --length how many steps each has, --jobs how many run at the same time; after --seconds no further
one begins.
"""
import argparse
import ast
import multiprocessing
import os
import pprint
import random
import re
import shutil
import signal
import subprocess
import time

from build_world import Tally, World, difference, entity, files_below, sources_before, text, triangle, write
from histories import FOLDERS, FOREIGN, NAMES, Maker, png, shortened, textured

arguments = argparse.ArgumentParser()
arguments.add_argument("build")
arguments.add_argument("folder")
arguments.add_argument("--seed", type=int, default=1)
arguments.add_argument("--steps", type=int, default=40)
arguments.add_argument("--length", type=int, default=40)
arguments.add_argument("--jobs", type=int, default=1)
arguments.add_argument("--seconds", type=float, default=1e9)
arguments.add_argument("--replay")
arguments.add_argument("--no-shortening", dest="shorten", action="store_false")
options = arguments.parse_args()

PATIENCE_S = 30
SHORT = "entc: only files that have changed were looked at\n"
COMPLETE = "entc: all files were looked at\n"
OPTIONS = ([], [], ["--source-map"], ["--cache", "CACHE"], ["--cache", "CACHE", "--source-map"], ["--lang", "fr"],
           ["--platform", "mobile"], ["--strip"], ["--target", "big", "--source-map"])
MANNERS = ("place", "place", "pieces", "rename", "visible", "backup", "stamp")


def waited(holds, seconds=PATIENCE_S):
    """Polls; the last result."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return holds()
        time.sleep(0.002)
    return True


class Failure(Exception):
    pass


# --- the watch ---

class Watch:
    """`entc build --watch`, with what it prints in two files."""

    def __init__(self, world, words):
        self.files = [open(world.path(name), "w+b") for name in ("watch.out", "watch.err")]
        self.at = [0, 0]
        self.process = subprocess.Popen([world.entc, "build", "src", "-o", "out", "--watch", "-v", *words],
                                        cwd=world.folder, env=world.environment, stdin=subprocess.DEVNULL,
                                        stdout=self.files[0], stderr=self.files[1], start_new_session=True)

    def new(self, which):
        """What was printed since the last build."""
        with open(self.files[which].name, "rb") as file:
            file.seek(self.at[which])
            return file.read().decode(errors="replace")

    def finished(self):
        """The diagnostics and the last line of a build, once it has ended."""
        ended = re.compile(f"({SHORT}|{COMPLETE})")
        if not waited(lambda: ended.search(self.new(1)) or self.process.poll() is not None):
            raise Failure(f"the watch has not finished a build after {PATIENCE_S} s: {self.new(1)!r}")
        found = ended.search(self.new(1))
        if not found:
            raise Failure(f"the watch has ended with {self.process.poll()}: {self.new(1)!r}")
        err = self.new(1)[:found.end()]
        self.at[1] += len(err.encode())
        return err[:found.start()], found[0] == SHORT

    def listed(self, wanted):
        """The files that it has listed: the last lines arrive shortly after the build has ended."""
        waited(lambda: files_listed(self.new(0)) == wanted, 5)
        lines = files_listed(self.new(0))
        self.at[0] += len(self.new(0).encode())
        return lines

    def state(self):
        with open(f"/proc/{self.process.pid}/stat", "rb") as file:
            return file.read().rsplit(b")", 1)[1].split()[0]

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)
        stopped = waited(lambda: self.process.poll() is not None or self.state() == b"T")
        if not stopped or self.process.returncode is not None:
            raise Failure(f"the watch has ended with {self.process.returncode}: {self.new(1)!r}")

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait()
        for file in self.files:
            file.close()


def files_listed(out):
    return [line for line in out.split("\n") if re.match(r"(wrote|removed) ", line)]


def counts_of(err):
    """The counts of a build, without times and memory; None: there are none."""
    found = re.search(r"^(entc: \d+ resources?, .* removed), .*\n", err, flags=re.M)
    return found and found[1]


def with_sum(err, is_cached):
    """Only the sum of what was compiled and what is from the cache: a watch that has to look at everything finds out
    what it has compiled before in the cache. Without the sum: a twin without a database compiles everything."""
    return re.sub(r"(\d+) compiled, (\d+) from the cache",
                  lambda found: str(int(found[1]) + int(found[2])) + " compiled" if is_cached else "compiled", err)


def divided(err):
    """(diagnostics, list of files that are not read), without the counts"""
    err = re.sub(r"^entc: \d+ resources?, .* removed, .*\n", "", err, flags=re.M)
    unread = re.search(r"^entc: \d+ files? in .* not read \(.*\n(?:    .*\n)*", err, flags=re.M)
    return (err.replace(unread[0], ""), unread[0]) if unread else (err, "")


# --- the steps ---

class Follow:
    """Carries out the steps of a history, and compares. A step: its operations, and when it stops or kills the watch,
    in seconds."""

    def __init__(self, folder, words):
        self.world, self.words = World(options.build, folder), words
        self.watch = None
        self.sources, self.code, self.unread = {}, 0, ""
        self.known = self.changed = False  # does the watch know everything; was a source changed in this step
        self.refused = self.contents = self.replaced = False
        self.problems = []
        self.count = dict.fromkeys(("edits", "short", "valid", "warned", "kills", "running", "compared"), 0)

    def path(self, name):
        return self.world.path("src", name)

    def without(self, *names):
        """The options but these, and their values."""
        return [word for i, word in enumerate(self.words) if not {word, self.words[i - 1] if i else ""} & set(names)]

    def arguments(self, out):
        return [f"cache_{out}" if word == "CACHE" else word for word in self.words]

    def build(self, out, *more):
        """(exit code, stdout, stderr) of a new program; the names of the output folders are replaced."""
        result = self.world.build(*self.arguments(out), "-v", *more, out=out)
        return (result[0], *(re.sub(rf"\b{out}\b", "out", printed) for printed in result[1:]))

    def copy(self, out, other):
        """An output folder and its build database."""
        for name in ("{}", ".{}.entc"):
            self.world.remove(name.format(other))
            if os.path.exists(self.world.path(name.format(out))):
                subprocess.run(["cp", "-a", name.format(out), name.format(other)], cwd=self.world.folder, check=True)

    # operations

    def may_be_put(self, path):
        above = [part for part in path.split("/")[:-1]]
        return not os.path.isdir(self.path(path)) and not any(
            os.path.isfile(self.path("/".join(above[:i + 1]))) for i in range(len(above)))

    def do_put(self, path, content, manner):
        if not self.may_be_put(path):
            return
        self.changed = True
        full = self.path(path)
        existed = os.path.exists(full)
        folder, name = os.path.split(full)
        if manner in ("rename", "visible"):
            beside = os.path.join(folder, f".{name}.tmp" if manner == "rename" else f"{name}~")
            write(beside, content)
            os.replace(beside, full)
        elif manner == "backup" and existed:
            os.rename(full, full + "~")
            write(full, content)
            os.unlink(full + "~")
        elif manner == "pieces":
            write(full, content[:len(content) // 2])
            with open(full, "ab") as file:
                file.write(content[len(content) // 2:])
        elif manner == "stamp" and existed:
            info = os.stat(full)
            write(full, content)
            os.utime(full, ns=(info.st_atime_ns, info.st_mtime_ns))
        else:
            write(full, content)

    def do_remove(self, path):
        if os.path.isfile(self.path(path)):
            os.unlink(self.path(path))
            self.changed = True

    def do_move(self, old, new):
        """Of a file or a folder."""
        if os.path.exists(self.path(old)) and not os.path.isdir(self.path(new)) and self.may_be_put(new) and \
                not (new + "/").startswith(old + "/"):
            if os.path.isfile(self.path(new)) and os.path.isdir(self.path(old)):
                return
            os.makedirs(os.path.dirname(self.path(new)), exist_ok=True)
            os.rename(self.path(old), self.path(new))
            self.changed = True

    def do_drop(self, folder):
        self.changed |= os.path.isdir(self.path(folder))
        shutil.rmtree(self.path(folder), ignore_errors=True)

    def do_touch(self, which):
        names = sorted(files_below(self.path("")))
        names = [name for name in names if not name.endswith("/")]
        if names:
            os.utime(self.path(names[int(which * len(names))]))
            self.changed = True

    def do_tamper(self, which, how, where):
        """The same in both output folders; they are equal before, but for their source maps."""
        names = sorted(name for name in self.world.outputs() if name not in FOREIGN)
        if not names:
            return
        name = names[int(which * len(names))]
        for out in ("out", "twin"):
            path = self.world.path(out, name)
            if not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                content = bytearray(file.read())
            at = int(where * len(content))
            if how == "delete":
                os.unlink(path)
            elif how == "stamp":
                os.utime(path)
            elif how == "rename":
                os.rename(path, os.path.join(os.path.dirname(path), "other." + os.path.basename(name).split(".", 1)[1]))
            elif how == "replace":
                write(path + ".new", content)
                os.replace(path + ".new", path)
            else:
                if how == "flip" and content:
                    content[at] ^= 0x5a
                write(path, bytes(content[:at] if how == "cut" else content + b"x" if how == "longer" else content))

    def do_foreign(self, name):
        for out in ("out", "twin"):
            if os.path.isdir(self.world.path(out)) and not os.path.isdir(self.world.path(out, name)):
                write(self.world.path(out, name), b"not of entc")

    def do_lose(self, what):
        self.replaced |= what == "database"
        for out in ("out", "twin"):
            self.world.remove(out if what == "out" else f".{out}.entc" if what == "database" else f"cache_{out}")

    def do_refs(self):
        """Stores the references in the build database."""
        self.replaced = True
        for out in ("out", "twin"):
            self.world.run("refs", "src", "props/lamp.entity", "-o", out)

    def do_build(self, *more):
        """Meanwhile another program builds."""
        self.replaced = True
        found, wanted = self.build("out", *more), self.build("twin", *more)
        self.expect(f"build {more} meanwhile: exit code", found[0], wanted[0])
        self.expect(f"build {more} meanwhile: diagnostics", divided(found[2])[0], divided(wanted[2])[0])
        self.expect(f"build {more} meanwhile: counts", counts_of(found[2]), counts_of(wanted[2]))

    def do_mv(self, which, new):
        names = sorted(name for name in self.world.outputs() if name not in FOREIGN and not name.endswith(".map") and
                       not name.startswith("."))
        before = files_below(self.path(""))
        if names:
            name = names[int(which * len(names))]
            self.world.run("mv", "src", name, new + "." + name.rsplit(".", 1)[1])
        self.changed |= before != files_below(self.path(""))

    # comparisons

    def expect(self, what, found, wanted):
        if found == wanted:
            return
        if isinstance(found, str) and isinstance(wanted, str) and "\n" in found + wanted:
            lines = [sorted(set(a.split("\n")) - set(b.split("\n"))) for a, b in ((found, wanted), (wanted, found))]
            found, wanted = lines if lines[0] or lines[1] else (found, wanted)
        self.problems.append(f"{what}: {found!r} instead of {wanted!r}")

    def expect_files(self, what, out, wanted):
        wrong = difference(self.world.outputs(out), wanted)
        if wrong:
            self.problems.append(f"{what}: {wrong}")

    def foreign(self, before):
        """Files that a build may leave: a renamed output stays while it is not known whose it is."""
        after = self.world.outputs()
        return {name: content for name, content in before.items()
                if name in FOREIGN or (os.path.basename(name).startswith("other.") and name in after)}

    def clean(self):
        """(exit code, diagnostics, files) of a build from nothing."""
        self.world.remove("fresh", ".fresh.entc")
        words = [word for word in self.without("--cache") if not word.startswith("-j")]
        code, _, err = self.world.build(*words, "-v", "-j1", out="fresh")
        return code, divided(re.sub(r"\bfresh\b", "out", err))[0], files_below(self.world.path("fresh"))

    def compare(self, before, number):
        """The build of the watch, which has ended, with the one of a new program."""
        err, short = self.watch.finished()
        code, out, wanted = self.build("twin")
        fresh = self.clean()
        self.count["compared"] += 1
        self.count["edits"] += self.contents and self.known
        self.count["short"] += short and self.contents
        self.code, self.refused = code, "was not written by entc" in wanted
        self.count["valid"] += code == 0
        is_recorded = not (short and re.search(" [1-9][0-9]* compiled|[1-9][0-9]* from the cache", err))
        self.count["warned"] += "warning: " in wanted and code == 0
        if "--cache" in self.words or (self.replaced and short):
            err, wanted = (with_sum(printed, not (self.replaced and short)) for printed in (err, wanted))
        self.check_messages(err, wanted, out, code)
        if not self.refused:
            self.expect("a build from nothing: exit code", fresh[0], code)
            self.expect("a build from nothing: diagnostics", fresh[1], divided(wanted)[0])
        foreign = self.foreign(before)
        for folder in ("out", "twin"):
            self.expect_files(f"{folder}, exit code {code}", folder, {**fresh[2], **foreign} if code == 0 else before)
        if self.replaced and short and (not is_recorded or not os.path.isdir(self.world.path(".out.entc"))):
            self.copy("out", "twin")
        else:
            self.check_rest(code, divided(wanted)[0], random.Random(number))
        if self.world.left():
            self.problems.append(f"{self.world.left()} was left")
        self.known = code == 0
        self.replaced &= short and is_recorded

    def check_messages(self, err, wanted, out, code):
        self.expect("diagnostics", divided(err)[0], divided(wanted)[0])
        self.expect("counts", counts_of(err), counts_of(wanted))
        self.expect("files that are listed", self.watch.listed(files_listed(out)), files_listed(out))
        unread, found = divided(wanted)[1], divided(err)[1]
        if self.unread is not None or found:
            self.expect("files that are not read", found, unread if unread != self.unread else "")
        if code == 0:
            self.unread = unread

    def check_rest(self, code, diagnostics, dice):
        """With copies, because some commands write to the build database."""
        self.copy("out", "copy"), self.copy("twin", "again")
        early = dice.random() < 0.5
        if early:
            self.check_commands(dice)
        if code == 0:
            self.check_database(diagnostics)
        if not early:
            self.check_commands(dice)

    def check_database(self, diagnostics):
        code, out, err = self.build("out", "--dry-run")
        self.expect("--dry-run: exit code", code, 0)
        self.expect("--dry-run: files", re.findall(r".*(?:write|remove).*", out), [])
        self.expect("--dry-run: diagnostics", divided(err)[0], diagnostics)
        copy, again = self.build("copy"), self.build("again")
        self.expect("a copy: diagnostics", divided(copy[2])[0], diagnostics)
        self.expect("a copy: counts", counts_of(copy[2]), counts_of(again[2]))
        compiled = int(re.search(r"(\d+) compiled", copy[2] + "0 compiled")[1])
        if compiled and "warning: " not in diagnostics:
            self.problems.append(f"a copy: {compiled} compiled")
        with open(self.world.path(".copy.entc/database"), "rb") as file:
            self.expect("a copy: parts of the database", file.read().count(b"entc.led"), 1)

    def check_commands(self, dice):
        names = sorted(name for name in self.world.outputs() if name[0] != "." and not name.endswith(".map"))
        name = dice.choice(names or ["a.entity"])
        plain = self.without("--cache")
        commands = [["refs", "src", name], ["why", "src", name, *plain], ["why", "src", *plain]]
        if dice.random() < 0.3:
            commands.append(["unused", "src"])
        for command in commands:
            found, wanted = (self.world.run(*command, "-o", out) for out in ("copy", "again"))
            self.expect(f"{' '.join(command)}: exit code", found[0], wanted[0])
            for what, a, b in zip(("output", "messages"), found[1:], wanted[1:]):
                a, b = (re.sub(r"\b(copy|again|twin)\b", "out", printed) for printed in (a, b))
                self.expect(f"{' '.join(command)}: {what}", a, b)

    def after_kill(self):
        """The outputs may be those of a build that was interrupted."""
        code, err, files = self.clean()
        before = self.world.outputs()
        foreign = self.foreign(before)
        result = self.build("out")
        self.count["kills"] += 1
        if "was not written by entc" not in result[2]:
            self.expect("a build after the kill: exit code", result[0], code)
            self.expect("a build after the kill: diagnostics", divided(result[2])[0], err)
            self.expect_files("a build after the kill", "out", {**files, **foreign} if code == 0 else before)
        self.copy("out", "twin")

    def settle(self, number):
        """After edits while the watch was building: it has to arrive at the outputs of a build from nothing."""
        code, err, files = self.clean()
        foreign = self.foreign(self.world.outputs())
        if code == 0:
            waited(lambda: self.watch.process.poll() is not None or
                   not difference(self.world.outputs(), {**files, **foreign}))
            self.expect_files("edits while it was building", "out", {**files, **foreign})
        size = -1
        while size != len(self.watch.new(1)):
            size = len(self.watch.new(1))
            time.sleep(0.7)
        if self.watch.process.poll() is not None:
            raise Failure(f"the watch has ended with {self.watch.process.returncode}: {self.watch.new(1)!r}")
        self.watch.at = [at + len(self.watch.new(which).encode()) for which, at in enumerate(self.watch.at)]
        self.copy("out", "twin")
        self.check_rest(code, err, random.Random(number))
        self.build("twin")
        self.unread = None  # builds of states between may have reported other files
        self.code, self.refused = code, code == 0 and bool(self.problems)
        self.count["running"] += 1

    def is_of_contents(self, operations):
        """Are only contents of files changed, and neither the settings nor declarations?"""
        return all(o[0] == "touch" or (o[0] == "put" and o[1] in self.sources and
                                       not o[1].endswith(("entc.json", ".component.json"))) for o in operations)

    def step(self, number, operations, times):
        self.problems, self.changed = [], False
        os.makedirs(self.path(""), exist_ok=True)
        running = self.watch and "running" in times and not self.refused
        if self.watch and not running:
            time.sleep(times.get("stop", 0))
            self.watch.freeze()
        if self.refused:
            self.do_lose("out"), self.do_lose("database")
        self.contents = bool(self.watch) and not self.refused and self.is_of_contents(operations)
        for name, *values in operations:
            getattr(self, "do_" + name)(*values)
            time.sleep(times["running"] if running else 0)
        if self.watch and not self.changed:
            self.do_put("step.txt", b"%d" % number, "place")
        self.sources = {name: content for name, content in files_below(self.path("")).items() if content is not None}
        before = self.world.outputs()
        if running:
            self.settle(number)
            return self.problems
        if self.watch:
            self.watch.thaw()
        if self.watch and "kill" in times:
            time.sleep(times["kill"])
            self.watch.kill()
            self.watch, self.contents = None, False
            self.after_kill()
            before = self.world.outputs()
        if not self.watch:
            self.unread = ""
            self.watch = Watch(self.world, self.arguments("out"))
        self.compare(before, number)
        return self.problems

    def run(self, steps):
        """(number of the step that failed, the problems), or None"""
        try:
            for number, (operations, times) in enumerate(steps):
                try:
                    problems = self.step(number, operations, times)
                except Failure as failure:
                    problems = self.problems + [str(failure)]
                if problems:
                    return number, problems
            return None
        finally:
            if self.watch:
                self.watch.kill()


# --- histories ---

class History:
    """Chooses steps while they are carried out, and records them."""

    def __init__(self, seed, count, follow):
        self.maker, self.count, self.follow = Maker(seed), count, follow
        words, data = textured("skin.bin", "skin.png")
        self.maker.sources = {
            **sources_before(), "art/a.png": png(4, 50), "art/a.texture.json": text({}), "models/skin.gltf": words,
            "models/skin.bin": data, "models/skin.png": png(2, 30), "models/inside.glb": textured(None, None, 2)[0],
            "props/a.ogg": b"sound", "props/a.ogg.data.json": text({}), "art/b.png": png(2, 70),
            "levels/all.package.json": text({"roots": ["levels/*.level", "props/sign.entity"]}),
            "props/wall.material.json": text({"textures": {"base_color": {"texture": "art/a"}}}),
            "models/box.model.json": text({"lods": 1}), "health.component.json": self.maker.make_health(),
            "props/man.entity.json": entity({"health": {"points": 3}}), "notes.txt": b"not read"}
        self.former = {}
        self.steps = []

    def put(self, path, content):
        return "put", path, content, self.maker.dice.choice(MANNERS)

    def with_manners(self, operations):
        return [self.put(*o[1:]) if o[0] == "put" else o for o in operations]

    def edit_content(self):
        maker, dice = self.maker, self.maker.dice
        plain = [name for name in maker.sources if not name.endswith(("entc.json", ".component.json"))]
        if not plain:
            return []
        name = dice.choice(sorted(plain))
        content, kind = maker.sources[name], dice.random()
        if name.endswith(".bin") and len(content) == 44 and kind < 0.7:
            return [self.put(name, triangle(1, dice.random()))]
        if name.endswith(("/skin.gltf", "/inside.glb")) and kind < 0.7:
            buffer, image = ("skin.bin", "skin.png") if name.endswith(".gltf") else (None, None)
            return [self.put(name, textured(buffer, image, 1 + dice.randrange(4))[0])]
        if kind < 0.15:
            return [("touch", round(dice.random() * 0.999, 3))]
        if name.endswith(".model.json") and maker.chance(0.7):
            return [self.put(name, text(dice.choice(({}, {"lods": 1}, {"lods": 2}))))]
        if kind < 0.3 and name.endswith((".json", ".gltf")):
            return [self.put(name, content + dice.choice((b" ", b"\n")))]
        if kind < 0.5 and self.former.get(name):
            return [self.put(name, dice.choice(self.former[name]))]
        if kind < 0.6:
            return [self.put(name, content)]
        if kind < 0.63:
            return [self.put(name, content[:dice.randrange(len(content) + 1)])]
        if kind < 0.67:
            return [self.put(name, b""), self.put(name, content)]
        return [self.put(name, maker.changed(name))]

    def edit_other(self):
        maker, dice = self.maker, self.maker.dice
        kind = dice.choice(("edit", "edit", "edit", "edit", "settings", "tamper", "tamper", "foreign", "lose", "refs",
                            "build", "mv", "folder", "drop"))
        if kind == "settings":
            name = dice.choice(("entc.json", "health.component.json"))
            return [self.put(name, maker.changed(name))]
        if kind == "tamper":
            how = dice.choice(("flip", "cut", "longer", "delete", "stamp", "rename", "replace"))
            return [("tamper", round(dice.random() * 0.999, 3), how, round(dice.random() * 0.999, 3))]
        if kind == "foreign":
            return [("foreign", dice.choice(FOREIGN))]
        if kind == "lose":
            return [("lose", dice.choice(("database", "out", "cache")))]
        if kind == "refs":
            return [("refs",)]
        if kind == "build":
            return [("build", *dice.choice(((), (), ("--force",), ("-k",))))]
        if kind == "mv":
            return [("mv", round(dice.random() * 0.999, 3), maker.any_name())]
        if kind == "folder":
            return [("move", dice.choice(FOLDERS[1:]), dice.choice(FOLDERS[1:] + ("more", "more/deep")))]
        if kind == "drop":
            return [("drop", dice.choice(FOLDERS[1:] + ("more",)))] if maker.chance(0.3) else []
        return self.with_manners(maker.edit())

    def back_to(self, again):
        sources = self.maker.sources
        return ([("remove", path) for path in sorted(sources.keys() - again.keys())] +
                [self.put(path, content) for path, content in again.items() if sources.get(path) != content])

    def choose(self, past):
        maker, dice, valid = self.maker, self.maker.dice, self.follow.code == 0
        times = {"stop": 0} if maker.chance(0.5) else {"stop": round(dice.random() * 0.03, 3)}
        if maker.chance(0.04):
            times["kill"] = round(dice.random() * 0.09, 3)
        if maker.chance(0.04):
            times["running"] = round(dice.random() * 0.06, 3)
            edits = [self.edit_content() for _ in range(2 + dice.randrange(8))]
            return sum(edits, []), times
        if past and maker.chance(0.04 if valid else 0.7):
            return self.back_to(past[-1] if not valid else dice.choice(past)), times
        contents, operations = maker.chance(0.7), []
        for _ in range(dice.choice((1, 1, 1, 2, 2, 3, 4))):
            operations += self.edit_content() if contents or maker.chance(0.3) else self.edit_other()
        return operations, times

    def __iter__(self):
        past = []
        self.steps.append(([self.put(*item) for item in self.maker.sources.items()], {}))
        yield self.steps[-1]
        while len(self.steps) < self.count:
            sources = self.follow.sources
            for name, content in self.maker.sources.items():
                if sources.get(name) != content:
                    self.former[name] = (self.former.get(name, []) + [content])[-3:]
            self.maker.sources = dict(sources)
            if self.follow.code == 0:
                past = (past + [dict(sources)])[-6:]
            self.steps.append(self.choose(past))
            yield self.steps[-1]


# --- the harness can fail ---

class Broken(Follow):
    """Changes something after a build of the watch."""

    def __init__(self, folder, what):
        super().__init__(folder, [])
        self.what = what

    def check_messages(self, *values):
        super().check_messages(*values)
        if self.what == "output":
            write(self.world.path("out/props/lamp.entity"), b"")
        if self.what == "database" and self.count["compared"] == 2:
            path = self.world.path(".out.entc/database")
            os.truncate(path, os.path.getsize(path) - 8)

    def build(self, out, *more):
        if self.what == "source" and out == "twin":
            write(self.path("props/lamp.entity.json"), entity({"name": {"id": "other"}}))
        return super().build(out, *more)


def prove(tally):
    """The first sources can be built, an edit is followed the short way, and what is broken is noticed."""
    first = next(iter(History(0, 1, None)))
    edit = ([("put", "props/lamp.entity.json", entity({"light": [{"kind": "point"}]}), "place")], {})
    follow = Follow(options.folder, [])
    found = follow.run([first, edit])
    short = follow.code == 0 and follow.count["short"] == 1
    tally.check(not found and short, f"the first edit: {follow.count}, {found}")
    for what, message in (("output", "lamp.entity has other bytes"), ("database", "a copy: "),
                          ("source", "files that are listed: ")):
        found = Broken(options.folder, what).run([first, edit])
        tally.check(found and any(message in problem for problem in found[1]), f"a broken {what}: {found}")
    shutil.rmtree(options.folder, ignore_errors=True)


def history(task):
    """(counts, the text of the failure or "")"""
    seed, count, end = task
    folder = f"{options.folder}_{os.getpid()}"
    words = OPTIONS[seed % len(OPTIONS)] + (["-j1"], ["-j2"], [])[seed % 3]
    follow = Follow(folder, words)
    chosen = History(seed, count, follow)
    if time.monotonic() > end:
        return follow.count, ""
    try:
        found = follow.run(chosen)
        if not found:
            return follow.count, ""
        first = f"seed {seed}, {' '.join(words)}, step {found[0]}: " + "\n    ".join(found[1])
        steps = chosen.steps
        if options.shorten:
            steps, again = shortened(steps, folder, lambda steps, folder: Follow(folder, words).run(steps))
            if not again:
                return follow.count, first + "\n    (it did not fail again)"
            first += "\nshortened to a failure with:\n    " + "\n    ".join(again[1])
        return follow.count, first + "\nsteps:\n" + pprint.pformat((words, steps), width=150)
    except subprocess.TimeoutExpired as error:
        return follow.count, f"seed {seed}: {error}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    tally = Tally()
    if options.replay:
        with open(options.replay, encoding="utf-8") as file:
            words, steps = ast.literal_eval(file.read())
        found = Follow(options.folder, words).run(steps)
        tally.check(not found, found and f"step {found[0]}: " + "\n    ".join(found[1]))
        tally.end()
    prove(tally)
    if tally.failed:
        tally.end()
    begun = time.monotonic()
    tasks = [(options.seed * 1000000 + at // options.length, min(options.length, options.steps - at),
              begun + options.seconds) for at in range(0, options.steps, options.length)]
    total = {}
    with multiprocessing.Pool(options.jobs) as pool:
        for count, problem in pool.imap_unordered(history, tasks):
            total = {name: total.get(name, 0) + number for name, number in count.items()}
            tally.passed += count["compared"] - bool(problem)
            if problem:
                tally.check(False, problem)
    tally.check(total["edits"] < 10 or total["short"] * 3 > total["edits"],
                f"only {total['short']} of {total['edits']} builds after edits of contents looked only at these")
    print(f"counted: {total['compared']} steps")
    print(f"seed {options.seed}: {total}, {time.monotonic() - begun:.0f} s")
    tally.end()


if __name__ == "__main__":
    main()
