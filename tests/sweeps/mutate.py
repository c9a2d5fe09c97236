"""Changes the conditions of every reader of untrusted bytes, one at a time, and expects a test to fail.

    mutate.py BUILD [--file PART] [--sample N] [--seed N] [-j N] [--resume] [--short]
    mutate.py BUILD --operators [--file PART] [--sample N] [--seed N] [--resume]

    BUILD        a folder in which everything that `make test` needs has been built, such as build/release

Without --operators: each operand of an && or ||, each condition of an if, a loop or a ?:, each comparison
and each result of a function that returns bool is negated, and removed (an operand of && becomes true,
one of || becomes false, a whole condition becomes false, a returned one becomes true). The changes of all
files are compiled at once into a private copy of the tree; the environment variable MUTATION selects the
one in effect. The suites of the file are run, the fastest first, and only those that reach the place, until
one fails. A change that makes no suite fail is an error, unless it is in tests/sweeps/mutate_kept.txt with the
reason why it has no effect. A line of that list is an error when its condition is not in the source any more,
or when its change makes a suite fail.

With --operators: a sample of changes at random places of formats, compiler and runtime: another operator,
a constant one higher or lower, a statement removed. Each is compiled alone; the suites of the folder
are run first, then all others. Changes that give the same object code are not counted.

Results are also written to build/mutate/progress.csv; --resume uses the recorded ones of functions that have
not changed since. --short: checks that the list is current, and a fixed sample, in a few seconds.
The last line is the tally. Exit code 1: some change made no test fail.
"""
import argparse
import collections
import contextlib
import csv
import glob
import hashlib
import mmap
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("build")
arguments.add_argument("--file", default="")
arguments.add_argument("--sample", type=int, default=0)
arguments.add_argument("--seed", type=int, default=1)
arguments.add_argument("-j", "--jobs", type=int, default=1)
arguments.add_argument("--resume", action="store_true")
arguments.add_argument("--short", action="store_true")
arguments.add_argument("--list", action="store_true", help="print the changes and end")
arguments.add_argument("--operators", action="store_true")
arguments.add_argument("--first", action="store_true", help="of --operators: only the suites of the folder")
options = arguments.parse_args()

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(ROOT, "build", "mutate_short" if options.short else "mutate")
KEPT = os.path.join(ROOT, "tests", "sweeps", "mutate_kept.txt")

# The suites of each file. The order does not matter: the fastest are run first.
VALIDATION = ["validation", "validation_columns", "validation_meaning", "fields", "texture", "declaration", "blob: rules", "declare", "registry"]
JSON = ["json", "scanner", "cases/encoding"]
GLTF = ["cases/accessors", "cases/gltf", "cases/losses", "source_map"]
RECORDS = ["records", "seeds", "incremental", "database", "cache_folder"]
LINKS = ["links_rows", "seeds", "saved_links", "move"]
FILES = {
    "formats/blob_open.c": VALIDATION + ["embedded", "open_threads", "texts"],
    "formats/blob_names.c": VALIDATION + ["open_threads", "texts"],
    "formats/record_words.c": VALIDATION,
    "formats/blob_columns.c": VALIDATION + ["open_threads"],
    "formats/blob_meaning.c": VALIDATION,
    "formats/validation.c": VALIDATION,
    "formats/validation_internal.h": VALIDATION,
    "formats/groups.c": VALIDATION,
    "formats/fields.c": VALIDATION,
    "formats/records.c": VALIDATION,
    "formats/declaration.c": VALIDATION,
    "formats/base/utf8.h": VALIDATION + ["json", "scanner"],
    "formats/bundle_open.c": ["validation_bundle", "bundle"],
    "formats/bundle.c": ["validation_bundle", "bundle", "expand", "pieces"],
    "compiler/text/json.c": JSON,
    "compiler/assets/doc_slices.c": ["slices"],
    "compiler/image/image_png.c": ["image"],
    "compiler/image/image_jpeg.c": ["image"],
    "compiler/inspect/bundle_read.c": ["bundle", "expand", "list_unpack"],
    "compiler/source/map_file.c": ["map_text", "map_reader", "source_map", "explain", "records"],
    "formats/source_map.c": ["map_text", "map_reader", "source_map", "explain", "records"],
    "compiler/source/relative.c": ["relative", "move"],
    "compiler/gltf/gltf_accessor.c": GLTF,
    "compiler/gltf/gltf_buffer.c": GLTF,
    "compiler/gltf/gltf_value.c": GLTF,
    "compiler/build/database.c": RECORDS,
    "compiler/build/database_validate.c": RECORDS,
    "compiler/build/cache.c": RECORDS,
    "compiler/build/build_cache.c": RECORDS + ["project", "textures", "lods"],
    "compiler/source/move_journal.c": ["journal", "seeds", "move"],
    "compiler/image/image.c": ["image", "image_memory"],
    "compiler/compile/compile_texture.c": ["textures", "image_budget"],
    "compiler/assets/model.c": ["outside", "cases/models", "cases/gltf", "source_map"],
    "compiler/assets/texture.c": ["textures", "outside", "cases/textures"],
    "compiler/source/settings.c": ["outside", "project", "cases/project"],
    "compiler/source/asset_name.c": ["cases/names", "links_rows"],
    "compiler/gltf/gltf.c": GLTF + ["links_rows"],
    "compiler/gltf/gltf_cost.c": GLTF + ["limits"],
    "compiler/gltf/gltf_image.c": GLTF,
    "compiler/gltf/gltf_mesh.c": GLTF,
    "compiler/gltf/gltf_morph.c": GLTF,
    "compiler/gltf/gltf_clip.c": GLTF,
    "compiler/gltf/gltf_scene.c": GLTF,
    "compiler/gltf/gltf_schema.c": GLTF,
    "compiler/gltf/gltf_uri.c": GLTF + ["relative"],
    "formats/cli/response.c": ["command_line", "options"],
    "formats/conversion.c": ["evolution", "cases/evolution", "declaration"],
    "formats/platform/jobserver.c": ["jobserver"],
    "compiler/inspect/search_git.c": ["git", "evolution"],
    "compiler/build/report.c": ["cases/budgets", "incremental"],
    "runtime/scene/snapshot.c": ["snapshot", "seeds"],
    "runtime/scene/snapshot_state.c": ["snapshot", "seeds"],
    "runtime/scene/spawn_convert.c": ["evolution", "seeds"],
    "runtime/scene/patch.c": ["patch", "reload"],
    "runtime/scene/patch_apply.c": ["patch", "reload"],
    "runtime/scene/patch_match.c": ["patch", "reload"],
    "compiler/refactor/links_validate.c": LINKS,
    "compiler/refactor/links_saved.c": LINKS,
    "compiler/refactor/links_moved.c": LINKS,
    "compiler/refactor/links_update.c": LINKS,
}

# --- reading C ---

TOKEN = re.compile(r"""(?P<space>\s+|/\*.*?\*/|//[^\n]*)
    |(?P<directive>(?<![^\n])[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
    |(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<number>\.?[0-9](?:[eEpP][+-]|[0-9A-Za-z_.])*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<sign>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""", re.X | re.S)
Token = collections.namedtuple("Token", "kind text start end")
CLOSING = {"(": ")", "[": "]", "{": "}"}
COMPARISONS = {"<", ">", "<=", ">=", "==", "!="}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
REFUSAL = re.compile(r"[A-Za-z_]*(refuse|fault|FAULT|not_a_value|missing)[a-z_]*\(.*\)?$")
TEXT_MAX = 90
CONSTANT = {"sizeof", "offsetof", "static_assert", "_Static_assert", "assert", "_Alignas", "__attribute__"}


class Source:
    """A file's tokens, the partner of each bracket, and the functions in it."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            self.text = file.read()
        self.tokens = [Token(m.lastgroup, m.group(), m.start(), m.end()) for m in TOKEN.finditer(self.text)
                       if m.lastgroup not in ("space", "directive")]
        self.partner = {}
        stack = []
        for i, token in enumerate(self.tokens):
            if token.text in CLOSING and token.kind == "sign":
                stack.append(i)
            elif token.text in CLOSING.values() and token.kind == "sign":
                first = stack.pop()
                self.partner[first], self.partner[i] = i, first

    def functions(self):
        """(name, returns bool, first token of the body, its end)"""
        i, start = 0, 0
        while i < len(self.tokens):
            text = self.tokens[i].text
            if text == "{" and i and self.tokens[i - 1].text == ")":
                opening = self.partner[i - 1]
                before = [t.text for t in self.tokens[start:opening]]
                yield before[-1], before[-2:-1] == ["bool"], i + 1, self.partner[i]
            if text in CLOSING:
                i = self.partner[i]
            if self.tokens[i].text in (";", "}"):
                start = i + 1
            i += 1

    def level(self, first, end):
        """The tokens of a range that are not inside brackets."""
        i = first
        while i < end:
            yield i
            i = self.partner[i] + 1 if self.tokens[i].text in CLOSING and self.tokens[i].kind == "sign" else i + 1

    def find(self, first, end, texts):
        return [i for i in self.level(first, end) if self.tokens[i].text in texts]

    def split(self, first, end, texts):
        for at in self.find(first, end, texts):
            yield first, at
            first = at + 1
        yield first, end

    def code(self, first, end):
        return " ".join(self.text[self.tokens[first].start:self.tokens[end - 1].end].split())


class Conditions:
    """Finds the conditions of a file: `found` holds (function, first token, end, value when removed)."""

    def __init__(self, source):
        self.s = source
        self.found = []
        for self.function, self.returns_bool, first, end in source.functions():
            self.statements(first, end)

    def statements(self, i, end):
        s = self.s
        while i < end:
            text = s.tokens[i].text
            if text == "{":
                self.statements(i + 1, s.partner[i])
                i = s.partner[i] + 1
            elif text in ("if", "while", "switch", "for") and s.tokens[i + 1].text == "(":
                self.head(text, i + 2, s.partner[i + 1])
                i = s.partner[i + 1] + 1
            elif text in ("do", "else"):
                i += 1
            elif text in ("case", "default"):
                i = next(iter(s.find(i, end, {":"}))) + 1
            else:
                stop = next(iter(s.find(i, end, {";"})), end)
                if text == "return":
                    self.value(i + 1, stop, self.returns_bool, "1")
                elif text not in CONSTANT and text != "static":
                    self.simple(i, stop)
                i = stop + 1

    def head(self, keyword, first, end):
        if keyword == "switch":
            return self.value(first, end, False)
        if keyword != "for":
            return self.value(first, end, True)
        begin, condition, step = self.s.split(first, end, {";"})
        self.simple(*begin)
        self.value(*condition, True)
        return self.simple(*step)

    def simple(self, first, end):
        """A declaration or an expression, also with several parts."""
        is_bool = "bool" in [t.text for t in self.s.tokens[first:min(end, first + 3)]]
        for part, stop in self.s.split(first, end, {","}):
            assigned = self.s.find(part, stop, ASSIGNMENTS)
            if assigned:
                self.groups(part, assigned[-1])
                self.value(assigned[-1] + 1, stop, is_bool, "0")
            else:
                self.groups(part, stop)

    def value(self, first, end, condition, gone="0"):
        s = self.s
        if first >= end:
            return
        question = s.find(first, end, {"?"})
        if question:
            depth, at = 0, question[0]
            for at in s.find(question[0], end, {"?", ":"}):
                depth += 1 if s.tokens[at].text == "?" else -1
                if depth == 0:
                    break
            self.value(first, question[0], True)
            self.value(question[0] + 1, at, condition, gone)
            self.value(at + 1, end, condition, gone)
            return
        for sign, neutral in (("||", "0"), ("&&", "1")):
            if s.find(first, end, {sign}):
                for part in s.split(first, end, {sign}):
                    self.value(*part, True, neutral)
                return
        if s.tokens[first].text == "(" and s.partner[first] == end - 1:
            self.value(first + 1, end - 1, condition, gone)
            return
        if s.tokens[first].text == "!" and s.tokens[first + 1].text == "(" and s.partner[first + 1] == end - 1:
            self.value(first + 2, end - 1, True, "1" if gone == "0" else "0")
            return
        # A comparison that is compared again or negated for its value: one condition.
        if condition or s.tokens[first].text == "!" or s.find(first, end, COMPARISONS):
            single = s.tokens[first]
            constant = end - first == 1 and (single.kind == "number" or single.text in ("true", "false") or
                                             single.text.isupper())
            if not constant:
                self.found.append((self.function, first, end, gone))
        self.groups(first, end)

    def groups(self, first, end):
        """The content of the brackets of an expression."""
        s = self.s
        for i in s.level(first, end):
            if s.tokens[i].text not in CLOSING or s.tokens[i].kind != "sign":
                continue
            if i and s.tokens[i - 1].text in CONSTANT:
                continue
            for part in s.split(i + 1, s.partner[i], {","}):
                assigned = s.find(*part, ASSIGNMENTS)
                self.value(assigned[-1] + 1 if assigned else part[0], part[1], False)


Change = collections.namedtuple("Change", "id file function change text first end gone")


def changes_of(source, first_id):
    """Two for each condition, with an even and the next odd id: negated and removed. The second of the same text in a function ends in #2."""
    changes, seen, conditions = [], collections.Counter(), 0
    for function, first, end, gone in sorted(Conditions(source).found, key=lambda c: (c[1], -c[2])):
        text = source.code(first, end)
        text = text if len(text) <= TEXT_MAX else text[:TEXT_MAX - 3] + "..."
        seen[function, text] += 1
        if seen[function, text] > 1:
            text += " #%d" % seen[function, text]
        span = source.tokens[first].start, source.tokens[end - 1].end
        # A refusal is always false: its only change is not to refuse.
        refusal = REFUSAL.match(text)
        both = ("negated", "removed")
        for change in both if not refusal else both[:1] if gone == "0" else both[1:]:
            number = first_id + 2 * conditions + (change == "removed")
            changes.append(Change(number, source.path, function, change, text, *span, gone))
        conditions += 1
    return changes, first_id + 2 * conditions


PRELUDE = """/* What the changes of a condition need; a condition is looked at in each process by itself. */
#ifndef MUTATION_H
#define MUTATION_H
/* No header: what a file defines before it includes one would come too late. */
char* getenv(const char*);
int   atoi(const char*);
int   open(const char*, int, ...);
int   close(int);
void* mmap(void*, __SIZE_TYPE__, int, int, int, long);
__attribute__((weak)) unsigned mutation_now, mutation_begun;
__attribute__((weak)) unsigned char* mutation_seen;
__attribute__((constructor)) static void mutation_begin(void) {
    const char *now = getenv("MUTATION"), *seen = getenv("MUTATION_SEEN");
    if (mutation_begun++) return;
    if (now) mutation_now = (unsigned)atoi(now);
    if (!seen) return;
    const int file = open(seen, %d /* O_RDWR | O_CLOEXEC */);
    if (file < 0) return; /* another user's process */
    void* bytes = mmap(0, %d, %d /* PROT_READ | PROT_WRITE */, %d /* MAP_SHARED */, file, 0);
    if (bytes != (void*)-1) mutation_seen = bytes;
    close(file);
}
__attribute__((always_inline)) static inline int mutated(unsigned id, int gone, int is) {
    if (mutation_seen) mutation_seen[id] = 1;
    return mutation_now == id ? !is : mutation_now == id + 1 ? gone : is;
}
#endif
"""


def changed_text(source, changes):
    """The file with every change in it, selected by its id."""
    inserts, done = collections.defaultdict(list), set()
    for c in changes:
        if c.id | 1 not in done:
            done.add(c.id | 1)
            inserts[c.first].append((0, -c.end, "mutated(%du, %s, !!(" % (c.id & ~1, c.gone)))
            inserts[c.end].append((-1, -c.first, "))"))
    out, at = [], 0
    for place in sorted(inserts):
        out.append(source.text[at:place])
        out.extend(text for _, _, text in sorted(inserts[place]))
        at = place
    return '#include "mutation.h"\n#line 1 "%s"\n' % source.path + "".join(out) + source.text[at:]


# --- the private copy ---

class Tree:
    """A copy of the sources and of the build, in which `make` rebuilds what is changed."""

    def __init__(self, name):
        self.folder = os.path.join(WORK, name)
        self.build = os.path.relpath(os.path.join(ROOT, options.build), ROOT)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS", "MUTATION"))}
        os.makedirs(self.folder, exist_ok=True)
        for entry in sorted(os.listdir(ROOT)):
            if entry not in ("build", "out", ".git"):
                self.copy(entry)
        self.copy(self.build)

    def copy(self, path):
        """Like cp -a --update: with the times, so that `make` finds everything up to date."""
        whole, to = os.path.join(ROOT, path), os.path.join(self.folder, path)
        if os.path.isfile(whole):
            os.makedirs(os.path.dirname(to), exist_ok=True)
            here, there = os.stat(whole), os.stat(to) if os.path.exists(to) else None
            if not there or (here.st_mtime_ns, here.st_size) != (there.st_mtime_ns, there.st_size):
                if there:
                    os.unlink(to)  # the file may be in execution
                shutil.copy2(whole, to)
            return
        names = set(os.listdir(whole)) - {"scratch", "__pycache__", "check", "s390x"}
        if os.path.isdir(to):
            for gone in set(os.listdir(to)) - names - {"scratch", "__pycache__"}:
                left = os.path.join(to, gone)
                shutil.rmtree(left) if os.path.isdir(left) else os.unlink(left)
        os.makedirs(to, exist_ok=True)
        for name in sorted(names):
            self.copy(os.path.join(path, name))

    def write(self, path, text):
        with open(os.path.join(self.folder, path), "w", encoding="utf-8") as file:
            file.write(text)

    def make(self, *targets):
        """Builds; returns the messages of the compiler, or None."""
        linker = ["LDFLAGS=-fuse-ld=lld"] if shutil.which("ld.lld") and "sanitize" not in self.build else []
        run = subprocess.run(["make", "-k", "-j%d" % max(1, options.jobs), "BUILD=" + self.build, "WARNINGS=-w",
                              "config=" + os.path.basename(self.build), *linker, *targets],
                             cwd=self.folder, env=self.environment, capture_output=True, text=True)
        return None if run.returncode == 0 else run.stdout + run.stderr

    def suite(self, name, seconds, **environment):
        """(passed, seconds of processor time, last lines)"""
        def limits():
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 30, 8 << 30))
            if "sanitize" not in self.build:
                resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen([os.path.join(self.build, "tests", "run"), name], cwd=self.folder,
                                       env=dict(self.environment, **environment), stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=output, preexec_fn=limits)
            try:
                code = process.wait(timeout=20 * seconds + 60)
            except subprocess.TimeoutExpired:
                code = None
            finally:  # also the programs that it started, and also when this script is ended
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            output.seek(0)
            printed = output.read().decode("utf-8", "replace")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return code == 0, spent, printed


TARGETS = ("tests/run",) if options.short else ("tests/run", "entc")


# --- the results ---

class Progress:
    """build/mutate/progress.csv: (hash of the function, file, function, change, text, result)"""

    def __init__(self):
        self.path = os.path.join(WORK, "operators.csv" if options.operators else "progress.csv")
        self.known = {}
        self.lock = threading.Lock()
        os.makedirs(WORK, exist_ok=True)
        if options.resume and os.path.exists(self.path):
            with open(self.path, newline="", encoding="utf-8") as file:
                for row in csv.reader(file):
                    if len(row) == 6:
                        self.known[tuple(row[:5])] = row[5]
        self.file = open(self.path, "a" if options.resume else "w", newline="", encoding="utf-8")

    def add(self, key, result):
        with self.lock:
            csv.writer(self.file).writerow([*key, result])
            self.file.flush()


def function_hashes(source):
    """{function: hash of its code}"""
    return {name: hashlib.sha256(source.code(first - 1, end + 1).encode()).hexdigest()[:12]
            for name, _, first, end in source.functions()}


def kept_list():
    """(file, function, change, text): reason"""
    kept = {}
    if not os.path.exists(KEPT):
        return kept
    with open(KEPT, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for line in lines:
        if line and not line.startswith("#"):
            parts = [part.strip() for part in line.split("    ") if part.strip()]
            if len(parts) != 4:
                sys.exit("mutate_kept.txt: not \"FILE FUNCTION    CHANGE    CONDITION    REASON\": " + line)
            kept[(*parts[0].split(), parts[1], parts[2])] = parts[3]
    return kept


def name_of(c):
    return "%s, %s: %s: %s" % (c.file, c.function, c.change, c.text)


# --- conditions ---

def build_changed(tree, sources, changes):
    """Writes all changes and builds; those on lines that do not compile with them are left out."""
    left_out = set()
    for _ in range(8):
        with open(os.path.join(tree.folder, "formats/base/mutation.h"), "w", encoding="utf-8") as file:
            file.write(PRELUDE % (os.O_RDWR | os.O_CLOEXEC, max(c.id for c in changes) + 2,
                                  mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED))
        for source in sources:
            mine = [c for c in changes if c.file == source.path and c.id not in left_out]
            tree.write(source.path, changed_text(source, mine))
        complaint = tree.make(*[os.path.join(tree.build, t) for t in TARGETS])
        if complaint is None:
            return left_out
        wrong = {(m.group(1), int(m.group(2))) for m in re.finditer(r"^(\S+):(\d+):\d+: error", complaint, re.M)}
        before = len(left_out)
        for source in sources:
            for c in changes:
                lines = range(source.text.count("\n", 0, c.first) + 1, source.text.count("\n", 0, c.end) + 2)
                if c.file == source.path and any((c.file, line) in wrong for line in lines):
                    left_out.add(c.id)
        if len(left_out) == before:
            sys.exit(complaint)
    sys.exit("the changes cannot be compiled")


def reach(tree, suites, count):
    """For each suite: its duration, and the changes that it reaches."""
    times, seen = {}, {}
    path = os.path.join(WORK, "seen")
    for suite in sorted(suites):
        with open(path, "wb") as file:
            file.truncate(count)
        passed, spent, printed = tree.suite(suite, 300, MUTATION_SEEN=path)
        if not passed:
            sys.exit("the suite \"%s\" fails without any change:\n%s" % (suite, "\n".join(l for l in printed.split("\n") if "       OK" not in l and "RUN  " not in l)[-3000:]))
        times[suite] = spent
        with open(path, "rb") as file:
            seen[suite] = file.read()
        print("    suite %-16s %6.1f s" % (suite, spent), flush=True)
    return times, seen


def first_failed(printed):
    failed = re.search(r"^\[  FAILED  \] (?!\d+ test)(.+)$", printed, re.M)
    return failed.group(1) if failed else "crash"


def judge(tree, c, times, seen):
    """The suite that fails with the change, or None."""
    reached = [s for s in FILES[c.file] if seen[s][c.id & ~1]]
    for suite in sorted(reached, key=times.get):
        passed, _, printed = tree.suite(suite, 4 * times[suite] + 3, MUTATION=str(c.id))
        if not passed:
            return "%s: %s" % (suite, first_failed(printed))
    return None


def trees_for(first):
    """More copies, for the requested number of workers."""
    trees = [first]
    for i in range(1, options.jobs):
        folder = "%s_%d" % (first.folder, i)
        subprocess.run(["rm", "-rf", folder], check=True)
        subprocess.run(["cp", "-a", first.folder, folder], check=True)
        trees.append(Tree.__new__(Tree))
        trees[-1].__dict__ = dict(first.__dict__, folder=folder)
    return trees


def conditions_run(changes, sources):
    print("%d changes of %d conditions in %d files" % (len(changes), len({c.id | 1 for c in changes}), len(sources)), flush=True)
    tree = Tree("tree")
    left_out = build_changed(tree, sources, changes)
    every = [c for c in changes if c.id not in left_out]
    if options.sample:
        every = random.Random(options.seed).sample(every, min(options.sample, len(every)))
    if options.short:
        every = random.Random(options.seed).sample(every, 20)
    times, seen = reach(tree, {s for c in every for s in FILES[c.file]}, max(c.id for c in changes) + 2)
    progress, results = Progress(), {}
    hashes = {source.path: function_hashes(source) for source in sources}
    queue = collections.deque(every)

    def work(mine):
        while True:
            try:
                c = queue.popleft()
            except IndexError:
                return
            key = (hashes[c.file][c.function], *c[1:5])
            result = progress.known.get(key)
            if result is None or result == "survived":
                result = judge(mine, c, times, seen) or "survived"
                progress.add(key, result)
            results[c.id] = result
            if result == "survived":
                print("    not noticed: " + name_of(c), flush=True)
    workers = [threading.Thread(target=work, args=(t,)) for t in trees_for(tree)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return every, results, left_out


def all_changes(paths):
    sources, changes, next_id = [Source(p) for p in paths], [], 2
    for source in sources:
        more, next_id = changes_of(source, next_id)
        changes += more
    return sources, changes


def conditions():
    paths = [p for p in FILES if re.search(options.file, p) and os.path.exists(os.path.join(ROOT, p))]
    sources, changes = all_changes(paths)
    if options.list:
        for c in changes:
            print(name_of(c))
        return 0
    kept, texts = kept_list(), {c[1:5] for c in changes}
    stale = [k for k in kept if k[0] in paths and k not in texts]
    stale += [k for k in kept if k[0] not in FILES]
    for k in stale:
        print("    kept, but not in the source: %s %s: %s: %s" % k)
    failed = len(stale)
    if options.short:
        failed += historic()[1]
        paths = ["formats/blob_open.c"]
        sources, changes = all_changes(paths)
    every, results, left_out = conditions_run(changes, sources)
    passed = 0
    print("%-28s %8s %8s %8s %8s %8s" % ("file", "changes", "noticed", "kept", "survived", "stale"))
    for path in paths:
        mine = [c for c in every if c.file == path]
        survived = [c for c in mine if results[c.id] == "survived"]
        right = [c for c in survived if c[1:5] in kept]
        wrong = [c for c in mine if results[c.id] != "survived" and c[1:5] in kept]
        noticed = len(mine) - len(survived) - len(wrong)
        print("%-28s %8d %8d %8d %8d %8d" % (path, len(mine), noticed, len(right), len(survived) - len(right), len(wrong)))
        for c in survived:
            if c not in right:
                print("    no suite notices: " + name_of(c))
        for c in wrong:
            print("    kept, but noticed by %s: %s" % (results[c.id], name_of(c)))
        passed += noticed + len(right)
        failed += len(survived) - len(right) + len(wrong)
    if left_out:
        print("%d changes do not compile and were left out" % len(left_out))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


# --- single operators, anywhere ---

# The suites that come first for a file; all others follow, the fastest first.
FIRST = [
    ("formats/cli/", ["options", "command_line", "watch"]),
    ("formats/platform/jobs", ["jobs", "threads"]),
    ("formats/platform/", ["build", "incremental", "watch", "jobserver", "journal"]),
    ("formats/bundle", ["bundle"]),
    ("formats/declaration", ["validation", "blob: rules", "declare"]),
    ("formats/source_map", ["map_reader", "map_text", "source_map"]),
    ("formats/", ["validation", "blob: rules", "spawn", "parts", "paths", "bundle", "dump"]),
    ("compiler/text/json", ["json", "cases/json"]),
    ("compiler/assets/doc", ["slices", "cases/structure", "json"]),
    ("compiler/gltf/", ["cases/accessors", "cases/gltf", "source_map"]),
    ("compiler/pack/", ["bundle"]),
    ("compiler/refactor/move", ["move"]),
    ("compiler/source/map_file", ["source_map", "explain"]),
    ("compiler/compile/plugin", ["plugin"]),
    ("compiler/inspect/diff", ["dump", "declare", "git"]),
    ("compiler/", ["cases", "build", "dump", "schema", "declare"]),
    ("runtime/gpu/", sorted(set(os.listdir("shaders")) - {"device"}) + ["gpu", "frames"]),
    ("runtime/app/", ["frames", "reload", "command_line"]),
    ("runtime/", ["managers", "entities", "transforms", "spawn", "snapshot", "patch", "animation", "simulate"]),
]
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-",
         "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "+=": "-=", "-=": "+=",
         "++": "--", "--": "++", "|=": "&=", "&=": "|="}
# Changes that no test detected at one time: (file, before, after).
HISTORIC = [
    ("formats/blob_columns.c", "wrong |= (u32) - (owner[i] < owner[i - 1])", "wrong |= (u32) - (owner[i] < owner[i])"),
    ("formats/blob_open.c", "(owner[i] >= owner[i - 1] &&", "(owner[i] >= owner[i] &&"),
    ("compiler/inspect/diff.c", "if (!d->match || a->layout != b->layout ||", "if (!d->match || a->layout == b->layout ||"),
    ("formats/fields.c", "(f32)f->hi < (f32)hi", "(f32)f->hi <= (f32)hi"),
    ("formats/fields.c", ": f->hi < hi;", ": f->hi <= hi;"),
    ("compiler/assets/doc_slices.c", "key.raw.bytes + 1 - from", "key.raw.bytes + 2 - from"),
    ("compiler/assets/doc_slices.c", "key.raw.bytes + 1 - from", "key.raw.bytes + 0 - from"),
]

Operator = collections.namedtuple("Operator", "file line function before after first end")


def operators_of(source):
    """Every single-operator change of a file."""
    tokens = source.tokens
    for function, _, first, end in source.functions():
        for i in range(first, end):
            token, before = tokens[i], tokens[i - 1]
            line = source.text.count("\n", 0, token.start) + 1
            place = source.path, line, function
            binary = before.kind in ("word", "number", "string") and before.text not in ("return", "case") or \
                before.text in (")", "]", "++", "--")
            if token.kind == "sign" and token.text in SWAPS:
                if (binary or token.text in ("++", "--")) and not (token.text == "*" and tokens[i + 1].text in ("*", ",", ")")):
                    yield Operator(*place, token.text, SWAPS[token.text], token.start, token.end)
            elif token.kind == "number" and re.fullmatch(r"[0-9]+(u|ull)?", token.text):
                number = int(token.text.rstrip("ul"))
                yield Operator(*place, token.text, str(number + 1), token.start, token.end)
                if number:
                    yield Operator(*place, token.text, str(number - 1), token.start, token.end)
            elif before.text in (";", "{", "}") and token.kind == "word":
                stop = next(iter(source.find(i, end, {";"})), None)
                text = source.text[token.start:tokens[stop].end] if stop else ""
                if re.match(r"[\w.\[\]>-]+( [|&+*/-]?= |\()", text) and token.text not in ("return", "if", "for", "while", "switch"):
                    yield Operator(*place, text, ";", token.start, tokens[stop].end)


def operators_sample(count):
    """A sample that is the same for a seed and a state of the sources: a file, then a place in it."""
    dice, chosen = random.Random(options.seed), []
    paths = sorted(os.path.join(folder, name) for top in ("formats", "compiler", "runtime")
                   for folder, _, names in os.walk(os.path.join(ROOT, top)) for name in names if name.endswith(".c"))
    paths = [os.path.relpath(p, ROOT) for p in paths if "/start/" not in p and "/examples/" not in p]
    sources = [Source(p) for p in paths if re.search(options.file, p)]
    TEXTS.update({source.path: source.text for source in sources})
    every = [o for source in sources for o in operators_of(source)]
    while len(chosen) < min(count, len(every)):
        chosen.append(every.pop(dice.randrange(len(every))))
    return chosen, every, dice


def suites_of(path):
    """All suites: those of the file first, and then the fastest."""
    names = []
    for file in sorted(glob.glob(os.path.join(ROOT, "tests", "unit", "*", "*.c"))):
        with open(file, encoding="utf-8") as text:
            names += re.findall(r"^TEST_SUITE\((\w+)\) {$", text.read(), re.M)
    if options.first:
        names = ["mutate"]
    names.remove("mutate")  # runs this script itself
    first = next((suites for prefix, suites in FIRST if path.startswith(prefix)), [])
    return first + [n for n in names if n not in first and n not in LATE] + [n for n in LATE if n in names]


LATE = ["simulate", "collisions", "threads", "recipes", "graph", "watch", "reload", "faults", "install", "examples",
        "incremental", "cases", "blob"]


def object_of(tree, path):
    with open(os.path.join(tree.folder, tree.build, path[:-2] + ".o"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def operator_judge(tree, o, text, times):
    """Compiles one change and runs suites: "same" object, "broken", or the suite that fails, or None."""
    path = os.path.join(tree.build, o.file[:-2] + ".o")
    tree.write(o.file, text)
    if tree.make(path) is not None:
        return "does not compile"
    if object_of(tree, o.file) == tree.objects[o.file]:
        return "the same code"
    targets = ["all"] + [os.path.join(tree.build, t) for t in ("tests/run",)]
    complaint = tree.make(*targets)
    if complaint is not None:
        sys.exit(complaint)
    for suite in suites_of(o.file):
        passed, spent, printed = tree.suite(suite, times.get(suite, 150))
        if not passed:
            return "%s: %s" % (suite, first_failed(printed))
        times[suite] = max(10, 4 * spent, times.get(suite, 0))
    return "survived"


TEXTS = {}  # of the files when the places were found


def text_of(path):
    if path not in TEXTS:
        TEXTS[path] = Source(path).text
    return TEXTS[path]


def operators_run(wanted):
    tree, progress, times = Tree("operators"), Progress(), {}
    chosen, rest, dice = wanted
    tree.objects, results = {}, []
    # The same compiler in the same folder, so that equal code is equal bytes.
    while chosen:
        o = chosen.pop(0)
        text = text_of(o.file)
        key = (hashlib.sha256(text.encode()).hexdigest()[:12], o.file, str(o.line), o.before, o.after)
        result = progress.known.get(key)
        if result is None or (result == "survived" and not options.first):
            if o.file not in tree.objects:
                tree.write(o.file, text)
                tree.make(os.path.join(tree.build, o.file[:-2] + ".o"))
                tree.objects[o.file] = object_of(tree, o.file)
            result = operator_judge(tree, o, text[:o.first] + o.after + text[o.end:], times)
            tree.write(o.file, text)
            tree.make(os.path.join(tree.build, o.file[:-2] + ".o"))
            progress.add(key, result)
        if result in ("does not compile", "the same code"):
            if rest:
                chosen.append(rest.pop(dice.randrange(len(rest))))
            continue
        results.append((o, result))
        print("    %-28s %s:%d %s: %s -> %s" % (result, o.file, o.line, o.function, " ".join(o.before.split()), o.after),
              flush=True)
    return results


def historic():
    """As changes of places; the text must occur exactly once in its file, or the list is outdated."""
    found, stale = [], 0
    for path, before, after in HISTORIC:
        source = Source(path)
        if source.text.count(before) != 1:
            print("    not in the source any more: %s: %s" % (path, before))
            stale += 1
            continue
        at = source.text.index(before)
        found.append(Operator(path, source.text.count("\n", 0, at) + 1, "", before, after, at, at + len(before)))
    return found, stale


def operators():
    old, stale = historic()
    results = operators_run((old, [], None)) if not options.file else []
    results += operators_run(operators_sample(options.sample or 60))
    survived = [o for o, result in results if result == "survived"]
    print("%d of %d changes survived" % (len(survived), len(results)))
    print("%d passed, %d failed" % (len(results) - len(survived), len(survived) + stale))
    return len(survived) + stale != 0


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
sys.exit(operators() if options.operators else conditions())
