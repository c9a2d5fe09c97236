"""The binary interface of libent and libent_gpu: exported symbols, sizes, offsets and values of enumerators.

    abi.py BUILD            compares it with tests/abi.txt; exit code 1 and the differences if it has changed
    abi.py BUILD --write    records it

A difference alone is no error: record it, describe it in CHANGELOG.md, and if the first number of the version is
above 0, increase it. Needs gcc, nm and Universal Ctags; structures are those of x86-64.
"""
import difflib
import glob
import os
import re
import subprocess
import sys

BUILD, WRITE = sys.argv[1], "--write" in sys.argv
RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "abi.txt")
WORK = os.path.join(BUILD, "abi")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def symbols():
    for library, arguments in (("libent.so", ("-D", "--defined-only")), ("libent_gpu.a", ("-g", "--defined-only"))):
        lines = run("nm", *arguments, os.path.join(BUILD, library)).splitlines()
        for name in sorted({line.split()[2] for line in lines if len(line.split()) == 3}):
            yield "%s %s" % (library, name)


def layouts():
    """The declarations of the installed headers, measured by a small program."""
    headers = sorted(glob.glob(os.path.join(BUILD, "include", "ent", "*.h")))
    tags = run("ctags", "--languages=C", "--langmap=C:.c.h", "--kinds-C=esm", "--fields=+K", "-f", "-", *headers)
    structs, members, values = set(), set(), set()
    for line in tags.splitlines():
        fields = line.split("\t")
        name, kind, scope = fields[0], fields[3], "\t".join(fields[4:])
        inside = re.search(r"(?:^|\t)struct:(Ent\w+)(?:\t|$)", scope)
        if kind == "struct" and name.startswith("Ent"):
            structs.add(name)
        elif kind == "member" and inside:
            members.add((inside.group(1), name))
        elif kind == "enumerator" and not name.endswith("_LIST"):  # a list's name, read as one of its rows
            values.add(name)
    lines = ["#include <stddef.h>", "#include <stdio.h>"]
    lines += ["#include <ent/%s>" % os.path.basename(h) for h in headers]
    lines.append("int main(void) {")
    lines += ['printf("size %s %%zu\\n", sizeof(%s));' % (s, s) for s in sorted(structs)]
    lines += ['printf("offset %s.%s %%zu\\n", offsetof(%s, %s));' % (s, m, s, m) for s, m in sorted(members)]
    lines += ['printf("value %s %%lld\\n", (long long)%s);' % (v, v) for v in sorted(values)]
    lines.append("return 0; }")
    os.makedirs(WORK, exist_ok=True)
    source, program = os.path.join(WORK, "layouts.c"), os.path.join(WORK, "layouts")
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    run("gcc", "-std=c11", "-w", "-I" + os.path.join(BUILD, "include"), source, "-o", program)
    return run(program).splitlines()


def main():
    now = sorted(symbols()) + layouts()
    if WRITE:
        with open(RECORD, "w", encoding="utf-8") as file:
            file.write("\n".join(now) + "\n")
        return 0
    with open(RECORD, encoding="utf-8") as file:
        before = file.read().splitlines()
    changes = [line for line in difflib.unified_diff(before, now, "tests/abi.txt", "now", lineterm="", n=0)]
    print("\n".join(changes) if changes else "%d symbols, sizes, offsets and values" % len(now))
    if changes:
        print("the binary interface has changed; record it with: python3 tests/abi.py %s --write" % BUILD)
    return bool(changes)


sys.exit(main())
