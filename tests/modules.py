"""The modules and their dependencies, read from the symbols of their object files.

    modules.py BUILD            compares the graph with the lines SEES_... of the Makefile
    modules.py BUILD --draw     prints it as a Mermaid diagram

Each line of the Makefile names a module and the modules that it may use; it may also use what these may use. It
is an error when the lines form a cycle, when an object uses a symbol of a module that its own may not use, when
a line permits what nothing uses, when a folder with sources is no module, and when a module is no folder.

Files that use each other, directly or through others, form a circle: also an error, unless it is a line of
tests/file_circles.txt, the names of its files in order. A line that is no circle any more is an error too.

A change of a header that many objects include costs a minute: it is an error when the header of a component type, or
the one that reports diagnostics, reaches more objects of the product than REACH_MAX permits.
"""
import os
import re
import subprocess
import sys

from sees import SOURCES, closure_of, files_of, lines_of_makefile

BUILD, DRAW = sys.argv[1], "--draw" in sys.argv
ROOTS = ("formats", "compiler", "runtime", "shaders")
CIRCLES = "tests/file_circles.txt"
REACH_MAX = {"formats/components/": 110, "compiler/text/diag.h": 93}


def cycle_of(sees):
    """A cycle in the lines, as a list of modules; or None."""
    done, path = set(), []

    def walk(module):
        if module in path:
            return path[path.index(module):] + [module]
        if module in done:
            return None
        path.append(module)
        found = next((c for c in map(walk, sees[module]) if c), None)
        path.pop()
        done.add(module)
        return found
    return next((c for c in map(walk, sees) if c), None)


def symbols_of(modules):
    """The file that defines each symbol, and the symbols that each object uses."""
    defined, used, sources = {}, {}, {}
    for module in modules:
        for path in files_of(module, ".c"):
            sources[os.path.join(BUILD, path[:-2] + ".o")] = path
    text = subprocess.run(["nm", "-A", *sources], capture_output=True, text=True, check=True).stdout
    for found, kind, name in re.findall(r"^([^:\n]+):\s*[0-9a-f]* ([A-Za-z]) (\S+)$", text, re.M):
        path = sources[found]
        if kind in "TDBRV":
            defined[name] = path
        elif kind == "U":
            used.setdefault(path, set()).add(name)
    return defined, used


def circles_of(defined, used):
    """The strongly connected files (R. Tarjan, Depth-First Search and Linear Graph Algorithms, 1972)."""
    uses = {path: sorted({defined[n] for n in names if n in defined} - {path}) for path, names in used.items()}
    number, low, stack, circles = {}, {}, [], []

    def walk(path):
        number[path] = low[path] = len(number)
        stack.append(path)
        for other in uses.get(path, ()):
            if other not in number:
                walk(other)
            if other in stack:
                low[path] = min(low[path], low[other])
        if low[path] == number[path]:
            at = stack.index(path)
            if len(stack) - at > 1:
                circles.append(" ".join(sorted(stack[at:])))
            del stack[at:]
    for path in sorted(uses):
        if path not in number:
            walk(path)
    return circles


def circle_faults(defined, used):
    sys.setrecursionlimit(10000)
    with open(CIRCLES, encoding="utf-8") as file:
        known = {line.strip() for line in file if line.strip() and not line.startswith("#")}
    circles = set(circles_of(defined, used))
    for circle in sorted(circles - known):
        yield "these files form a circle: %s; move what they share into a file that all of them use" % circle
    for circle in sorted(known - circles):
        yield "%s: these files form no circle any more; remove the line: %s" % (CIRCLES, circle)


def reach_faults(modules):
    """Headers that more objects include than they may."""
    with open("formats/components/components.h", encoding="utf-8") as file:
        headers = ["formats/components/%s.h" % name for name in re.findall(r"^    X\((\w+), ", file.read(), re.M)]
    count = {header: 0 for header in headers + ["compiler/text/diag.h"]}
    for module in modules:
        for path in files_of(module, ".c"):
            with open(os.path.join(BUILD, path[:-2] + ".d"), encoding="utf-8") as file:
                for header in set(re.split(r"[\s\\:]+", file.read())) & count.keys():
                    count[header] += 1
    for header in count:
        limit = next(n for prefix, n in REACH_MAX.items() if header.startswith(prefix))
        if count[header] > limit:
            yield "%u objects include %s; at most %u may: include it only where it is used" % (
                count[header], header, limit)


def includes_of(module):
    names = set()
    for path in files_of(module, *SOURCES):
        with open(path, encoding="utf-8") as file:
            names |= set(re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read(), re.M))
    return names


def in_order(sees):
    """The modules, each after those that it may use."""
    order = []

    def walk(module):
        if module in sees and module not in order:
            for other in sees[module]:
                walk(other)
            order.append(module)
    for root in ROOTS:
        for module in sees:
            if module.split("/")[0] == root:
                walk(module)
    return order


def draw(sees):
    print("graph BT")
    for module in in_order(sees):
        for other in sees[module]:
            print("    %s --> %s" % (module.replace("/", "."), other.replace("/", ".")))


def faults_of(sees):
    for module in sees:
        if not os.path.isdir(module):
            yield "%s is a module of the Makefile and no folder" % module
            return
        for other in sees[module]:
            if other not in sees:
                yield "Makefile: SEES_%s names %s, which is no module" % (module, other)
                return
    cycle = cycle_of(sees)
    if cycle:
        yield "Makefile: the lines form a cycle: " + " sees ".join(cycle)
        return
    for root in ROOTS:
        for folder, _, names in os.walk(root):
            if any(n.endswith((".c", ".h")) for n in names) and folder not in sees and "/examples" not in folder \
                    and "/start" not in folder:
                yield "%s has sources and no line SEES_%s in the Makefile" % (folder, folder)
    where = {os.path.basename(path): module for module in sees for path in files_of(module, ".h", ".glsl")}
    defined, used = symbols_of(sees)
    for path in sorted(used):
        module = os.path.dirname(path)
        allowed = closure_of(sees, module)
        for name in sorted(used[path]):
            if name in defined and os.path.dirname(defined[name]) not in allowed:
                yield "%s uses %s of %s, which %s does not see" % (path, name, os.path.dirname(defined[name]), module)
    for module in sees:
        included = {where[name] for name in includes_of(module) if name in where}
        included |= {os.path.dirname(defined[name]) for path in files_of(module, ".c") for name in used.get(path, ())
                     if name in defined}
        for other in sees[module]:
            reached = closure_of(sees, other) - {o for m in sees[module] if m != other for o in closure_of(sees, m)}
            if not included & reached and not (other.startswith("shaders/") or module.startswith("shaders/")):
                yield "Makefile: %s may use %s and uses nothing of it" % (module, other)
    yield from circle_faults(defined, used)
    yield from reach_faults(sees)


def main():
    sees = lines_of_makefile()
    if DRAW:
        draw(sees)
        return 0
    faults = list(faults_of(sees))
    print("\n".join(faults) if faults else "%d modules, %d lines of use" % (len(sees), sum(map(len, sees.values()))))
    return bool(faults)


sys.exit(main())
