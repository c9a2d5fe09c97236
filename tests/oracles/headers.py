#!/usr/bin/env python3
"""The comments of public headers: their examples as code, and the names that they mention.

    headers.py examples FOLDER          one translation unit with every example of FOLDER/*.h, valid C11
                                        and C++17, to stdout
    headers.py format FOLDER WORK       writes each example to a file in WORK; one line per example that
                                        clang-format would change
    headers.py names FOLDER             one line per header, function, type or constant that a comment names
                                        and that FOLDER does not have

An example is a run of lines that are indented by five spaces. A part of it, between empty lines, that begins with
a definition or a directive is outside of a function.
"""

import pathlib
import re
import subprocess
import sys

STANDARD = re.compile(r"(std\w+|string|math|limits|float|errno|stdio|vulkan/vulkan_core)\.h$")
# Of names in tables of a comment, the beginning may be omitted.
SHORT = r"ENT_(PLUGIN_VALUE|PLUGIN_ARGUMENT|CANVAS_SHADOWS)_(?=.)"
COLUMNS = 93  # of an example: 100, without the beginning of its lines
OUTSIDE = re.compile(r"static |#|ENT_PLUGIN_|const void\* ent_get_plugin_api")

# What the examples of all headers use besides what they declare themselves.
CONTEXT = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
%s
typedef struct Body { float x; } Body;
extern Body bodies[];
extern const EntPluginComponent%s wind;
extern EntWorld* world;
extern EntResource level;
extern EntLibrary library;
extern EntBlob house;
extern const EntBlob *blob, *old_blob, *new_blob;
extern EntEntity *now, lamp, hand, entity, *entities;
extern EntTransformRecord pose;
extern EntManager *lights, *m;
extern EntVec3 eye, low, high;
extern EntApiGet* get;
extern EntGpu* gpu;
extern EntGpuFrames* frames;
extern EntGpuFrame* frame;
extern EntCanvas* canvas;
extern EntCanvasView view;
extern EntSkins* skins;
extern const EntGpuSystem* meshes;
extern const EntFluidRecord fluid;
extern const EntParticleSystemRecord particle_system;
extern EntGpuColliders* colliders;
extern EntColliderMotion *list;
extern EntGpuParts parts;
extern void *state, *plugin, *lighting;
extern EntEntity* made;
struct Box { EntVec3 low, high; };
extern struct Box boxes[];
extern const char* text;
extern unsigned char* pixels;
extern EntVec3 *position, *velocity;
extern EntParticleState* particle_state;
extern FILE* file;
extern VkInstance instance;
extern VkPhysicalDevice physical_device;
extern VkDevice device;
extern VkQueue queue;
extern VkCommandBuffer commands;
extern size_t size;
extern uint32_t body_count, count, *rows, row, n, queue_family;
extern float height_m, seconds, dt_s;
extern int running;
void step(Body* body);
void listen_to(void* user);
void change_world(void);
void log_print(void* user, EntLogLevel level, const char* message);
void draw_call(uint32_t object, const EntLightMask* mask);
void copy_row(uint32_t row);
void draw_frame(void);
void on_pixels(void* user, const void* bytes, uint64_t size_bytes);
"""


def comments(text):
    """(first line, text) of every block comment."""
    for found in re.finditer(r"/\*.*?\*/", text, re.S):
        yield text.count("\n", 0, found.start()) + 1, found.group(0)


def examples(path):
    """(line, lines) of every example of a header."""
    for first, comment in comments(path.read_text()):
        begun, lines, blank = 0, [], 0
        for number, line in enumerate(comment.split("\n") + ["end"], first):
            line = line[:-2].rstrip() if line.endswith("*/") else line
            body = line[7:] if line.startswith(" *     ") else None
            if body is not None and (lines or body[0] != " "):
                begun = begun if lines else number
                lines += [""] * blank + [body]
                blank = 0
            elif lines and line == " *":
                blank += 1
            elif lines:
                yield begun, lines
                lines, blank = [], 0


def parts(line, lines):
    """(line, lines, is outside of a function): an example, split where that changes."""
    split, after_blank = [], True
    for number, text in enumerate(lines, line):
        if after_blank and text:
            outside = OUTSIDE.match(text) is not None
            if not split or split[-1][2] != outside:
                split.append((number, [], outside))
        split[-1][1].append(text)
        after_blank = not text
    return split


def headers(folder):
    found = sorted(pathlib.Path(folder).glob("*.h"))
    if not found:
        sys.exit("%s contains no headers" % folder)
    return found


def unit(folder):
    version = re.findall(r"EntPluginComponent(\d+)", (pathlib.Path(folder) / "plugin.h").read_text())[-1]
    include = "".join("#include <ent/%s>\n" % path.name for path in headers(folder))
    print(CONTEXT % (include, version))
    count = 0
    for path in headers(folder):
        for line, lines in examples(path):
            for first, body, outside in parts(line, lines):
                count += 1
                name = "example_%s_%d" % (path.stem, first)
                print("" if outside else "int %s(void);\nint %s(void) {" % (name, name))
                print('#line %d "%s"\n%s' % (first, path.name, "\n".join(body)))
                print("" if outside else "return 0;\n}")
    print("/* %d parts */" % count)


def format_check(folder, work):
    rules = pathlib.Path(".clang-format").read_text()
    for path in headers(folder):
        for line, lines in examples(path):
            for first, body, outside in parts(line, lines):
                body = "\n".join(body).strip("\n").split("\n")
                columns = COLUMNS
                if not outside:
                    body = ["void f(void) {"] + ["    " + text if text else "" for text in body] + ["    return 0;", "}"]
                    columns += 4
                place = pathlib.Path(work) / str(columns)
                place.mkdir(parents=True, exist_ok=True)
                (place / ".clang-format").write_text(rules.replace("ColumnLimit: 100", "ColumnLimit: %d" % columns))
                file = place / ("%s_%d.c" % (path.stem, first))
                file.write_text("\n".join(body) + "\n")
                done = subprocess.run(["clang-format", str(file)], check=True, capture_output=True, text=True)
                if done.stdout != file.read_text():
                    print("%s:%d: clang-format writes this example as\n%s" % (path.name, first, done.stdout))


def names(folder):
    files = headers(folder)
    code = "".join(re.sub(r"/\*.*?\*/", " ", path.read_text(), flags=re.S) for path in files)
    words = set(re.findall(r"\w+", code))
    words |= {re.sub(SHORT, "", word) for word in words if re.match(SHORT, word)}
    present = {form % path.name for path in files for form in ("%s", "ent/%s")}
    for path in files:
        known_words = set(words)
        for _, lines in examples(path):
            known_words |= set(re.findall(r"\w+", "\n".join(lines)))
        for line, comment in comments(path.read_text()):
            for name in re.findall(r"[\w/]+\.h\b", comment):
                if name not in present and not STANDARD.match(name):
                    print("%s:%d: the header %s is not installed" % (path.name, line, name))
            for name in re.findall(r"\b(?:ent_\w+|Ent[A-Z]\w+|[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b", comment):
                if name not in known_words:
                    print("%s:%d: %s is in no installed header" % (path.name, line, name))
            for label in re.findall(r"(?m)^ \* .*\S +(?:Cost|Returns|Needs|Source)  +.*$", comment):
                print("%s:%d: a label within a line: %s" % (path.name, line, label))
        for name in re.findall(r'#\s*include\s*["<]([^">]*)', path.read_text()):
            if name not in present and not STANDARD.match(name):
                print("%s: the included header %s is not installed" % (path.name, name))


def main():
    kind, folder = sys.argv[1:3]
    if kind == "examples":
        unit(folder)
    elif kind == "format":
        format_check(folder, sys.argv[3])
    elif kind == "names":
        names(folder)
    else:
        sys.exit(__doc__)


main()
