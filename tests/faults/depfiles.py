"""Depfiles name every input for GNU make and ninja, whatever its path contains, or entc reports that they cannot.

    depfiles.py BUILD FOLDER

For each format of --depfile-format, a model is compiled that refers to a buffer whose name contains one special byte,
or one combination of them. A name that is refused has to be reported, and nothing is written. All others are
inputs of one model: the program that reads the depfile has to find the blob up to date, and out of date when any single
one of them is newer. make and ninja themselves are the oracle. Exit code 77: skipped.
"""
import os
import shutil
import subprocess
import sys
import urllib.parse

from build_world import Tally, World, text

tally = Tally()
world = World(sys.argv[1], sys.argv[2])
PLAIN = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/")
NAMES = [b"n" + bytes([byte]) + b"x" for byte in range(1, 256) if byte not in PLAIN and (byte < 128 or byte % 32 == 31)]
NAMES += [b"n" + bytes([byte]) for byte in b" #$%:=*?[|~\\'"] + [bytes([byte]) + b"n" for byte in b" #$%:=*?[|~-@+'"]
NAMES += [b"n\\" + bytes([byte]) + b"x" for byte in b" #$%:=*?[|\\"] + [b"n\\\\ x", b"n[ab]x", b"n  x", b"$(n)", b"n.c:"]
DECOYS = (b"nax", b"nbx")  # what a pattern would match
# Of the names with one special byte, these cannot be written: neither make nor ninja has a form for them.
REFUSED = {"make": b"\n;", "ninja": bytes(range(1, 32)) + b"\x7f" + b"\"&'*;<>?^`|"}


def model(names):
    return text({"asset": {"version": "2.0"}, "nodes": [{}], "scenes": [{"nodes": [0]}],
                 "buffers": [{"byteLength": 4, "uri": "d/" + urllib.parse.quote_from_bytes(name, safe="")} for name in names]})


def project(folder, names):
    """A source folder with one model that refers to the files."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "src", "d"))
    with open(os.path.join(folder, "src", "m.gltf"), "wb") as file:
        file.write(model(names))
    for name in list(names) + list(DECOYS):
        with open(os.path.join(os.fsencode(folder), b"src/d", name), "wb") as file:
            file.write(b"data")


def run(folder, *command):
    return subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, env=world.environment)


def accepted(form, name):
    folder = world.path("one")
    project(folder, [name])
    done = run(folder, world.entc, "compile", "src", "m.entity", "-o", "out", "-MD", "--depfile-format", form)
    if done.returncode == 0:
        return True
    tally.check(done.returncode == 1 and b"cannot be written to a depfile" in done.stderr,
                f"{form}: {name}: {done.returncode}, {done.stderr}")
    tally.check(not os.path.exists(os.path.join(folder, "out.d")) and not os.path.exists(os.path.join(folder, "out")),
                f"{form}: {name} is refused, and files are written")
    return False


def clean(tool, folder):
    """Does the program find nothing to do?"""
    if tool == "make":
        return run(folder, "make", "-q").returncode == 0
    return b"no work to do" in run(folder, "ninja", "-n").stdout


def follow(form, tool, names):
    """Each input, when it is newer, causes a compilation."""
    folder = world.path("all")
    project(folder, names)
    command = f"{world.entc} compile src m.entity -o out -MD -MF out.d --depfile-format {form}"
    with open(os.path.join(folder, "Makefile"), "w") as file:
        file.write(f"out:\n\t{command} && touch out\n-include out.d\n")
    with open(os.path.join(folder, "build.ninja"), "w") as file:
        file.write(f"rule entc\n  command = {command} && touch out\n  depfile = out.d\n  deps = gcc\nbuild out: entc\n")
    old = 1_000_000_000
    paths = [os.path.join(os.fsencode(folder), b"src/d", name) for name in names]
    for path in paths + [os.path.join(os.fsencode(folder), b"src/m.gltf")]:
        os.utime(path, (old, old))
    first = run(folder, tool)
    if not tally.check(first.returncode == 0, f"{form}, {tool}: {first.stdout[-500:]} {first.stderr[-500:]}"):
        return
    tally.check(clean(tool, folder), f"{form}, {tool}: compiles again although nothing has changed")
    new = os.stat(os.path.join(folder, "out")).st_mtime + 10
    for name, path in zip(names, paths):
        os.utime(path, (new, new))
        tally.check(not clean(tool, folder), f"{form}, {tool}: {name} is newer, and nothing is compiled")
        os.utime(path, (old, old))
    tally.check(clean(tool, folder), f"{form}, {tool}: compiles although all inputs are old again")


def main():
    missing = [tool for tool in ("make", "ninja") if not shutil.which(tool)]
    if missing:
        tally.skip(f"{missing} is not installed")
        tally.end()
    readers = {"both": ("make", "ninja"), "make": ("make",), "ninja": ("ninja",)}
    for form, tools in readers.items():
        names = [name for name in NAMES if accepted(form, name)]
        if form in REFUSED:
            single = {name[1] for name in NAMES if len(name) == 3 and name not in names and name[:1] + name[2:] == b"nx"}
            tally.check(single == set(REFUSED[form]), f"{form} refuses {bytes(sorted(single))}")
        tally.check(b"n:x" in names and b"n x" in names and b"n$x" in names, f"{form}: {names}")
        for tool in tools:
            follow(form, tool, names)
    shutil.rmtree(world.folder)


main()
tally.end()
