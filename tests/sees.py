"""sees.py - the modules, the lines SEES_... of the Makefile, and the files of a module, for other scripts."""
import os
import subprocess

SOURCES = (".c", ".h", ".glsl", ".comp", ".vert", ".frag")


def lines_of_makefile():
    """What the lines name, those included that the Makefile derives from folders."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    text = subprocess.run(["make", "-s", "sees"], capture_output=True, text=True, check=True, env=environment).stdout
    return {row.split()[0]: row.split()[1:] for row in text.splitlines()}


def closure_of(sees, module):
    seen, more = set(), [module]
    while more:
        at = more.pop()
        if at not in seen:
            seen.add(at)
            more += sees[at]
    return seen


def files_of(module, *ends):
    return [os.path.join(module, name) for name in sorted(os.listdir(module)) if name.endswith(ends)]
