"""mutate.py --operators: changes at random places of formats, compiler and runtime.

All chosen changes are compiled at once into a private copy of the tree: a function with changes contains its body once for
each of them, and the environment variable MUTATION selects one. Changes that do not compile, or give the same code, are
replaced by others. Then every suite runs without a change, which also shows the statements that it reaches; then, for
each change, the suites that reach it, those of its folder and the fast ones first, until one fails. After a failure the
suite has to pass again without the change.

tests/sweeps/mutate_kept_operators.txt lists changes that no test can detect. A line of it is an error when its place is not
in the source any more, or when its change makes a suite fail.
"""
import collections
import glob
import hashlib
import os
import random
import re
import subprocess

from mutate_source import ROOT, Operator, Source, operators_of
from mutate_tree import Baseline, Progress, Tree, first_failed, function_hashes, seconds_of, stop

KEPT = os.path.join("tests", "sweeps", "mutate_kept_operators.txt")
TOPS = ("formats", "compiler", "runtime")
# Suites that cannot run with changed sources: one runs this script, the other compares the symbols of all objects.
UNUSED = {"mutate", "modules"}

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


# --- the places ---

def git(*command):
    run = subprocess.run(["git", "-C", ROOT, *command], capture_output=True, text=True)
    if run.returncode != 0:
        stop("--since needs the history of the repository: git %s: %s" % (command[0], run.stderr.strip()))
    return run.stdout


def lines_since(since):
    """{file: set of lines that were changed since a date or a commit}, in the present state of the tree."""
    base = since
    if re.fullmatch(r"\d{4}-\d\d-\d\d", since):
        base = git("rev-list", "-1", "--before=" + since + " 00:00:00", "HEAD").strip()
        if not base:
            stop("--since %s: the history contains no commit before that date; a shallow clone needs `git fetch --unshallow`"
                 % since)
    changed, path = collections.defaultdict(set), None
    for line in git("diff", "-U0", "--no-color", "--no-ext-diff", base, "--", *TOPS).split("\n"):
        if line.startswith("+++ "):
            path = line[6:]
        found = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if found:
            first, count = int(found.group(1)), int(found.group(2) or 1)
            changed[path].update(range(first, first + count))
    return changed


def source_paths():
    paths = [os.path.join(folder, name) for top in TOPS for folder, _, names in os.walk(os.path.join(ROOT, top))
             for name in names if name.endswith(".c")]
    return [os.path.relpath(p, ROOT) for p in sorted(paths) if "/start/" not in p and "/examples/" not in p]


def change_at(source, before, after):
    """A change of a text that occurs once in a file."""
    if source.text.count(before) != 1:
        return None
    at = source.text.index(before)
    line = source.text.count("\n", 0, at) + 1
    for function, _, first, end in source.functions():
        if source.tokens[first - 1].start < at < source.tokens[end].end:
            token = next(i for i in range(first, end) if source.tokens[i].end > at)
            context = " ".join(source.text.split("\n")[line - 1].split())
            return Operator(source.path, line, function, before, after, context, at, at + len(before), first - 1, token)
    return None


def historic_stale():
    return ["%s: %s" % (path, before) for path, before, after in HISTORIC if not change_at(Source(path), before, after)]


class Places:
    """The changes to make, in an order that a seed decides, and the sources that contain them."""

    def __init__(self, options):
        self.sources, self.fixed, self.stale = {}, [], 0
        self.dice = random.Random(options.seed)
        wanted = [tuple(change) for change in options.change] or ([] if options.file else HISTORIC)
        for path, before, after in wanted:
            change = change_at(self.source(path), before, after)
            if change:
                self.fixed.append(change)
            else:
                self.stale += 1
                print("    not exactly once in the functions of %s: %s" % (path, before))
        self.rest = [] if options.change else self.every(options)

    def source(self, path):
        if path not in self.sources:
            self.sources[path] = Source(path)
        return self.sources[path]

    def every(self, options):
        since = lines_since(options.since) if options.since else None
        every = []
        for path in source_paths():
            if re.search(options.file, path) and (since is None or path in since):
                every += [o for o in operators_of(self.source(path)) if since is None or o.line in since[path]]
        print("%d places%s" % (len(every), " in lines changed since " + options.since if options.since else ""), flush=True)
        return every

    def draw(self):
        return self.rest.pop(self.dice.randrange(len(self.rest))) if self.rest else None


# --- the list of changes that cannot be detected ---

def shown(text):
    return " ".join(text.split())


def kept_key(o):
    return o.file, o.function, "%s -> %s" % (shown(o.before), o.after), o.context


def kept_list(path):
    """(file, function, change, line): reason"""
    kept = {}
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        lines = file.read().split("\n")
    for line in lines:
        if line and not line.startswith("#"):
            parts = [part.strip() for part in line.split("    ") if part.strip()]
            if len(parts) != 4 or len(parts[0].split()) != 2:
                stop(path + ": not \"FILE FUNCTION    BEFORE -> AFTER    LINE    REASON\": " + line)
            kept[(*parts[0].split(), parts[1], parts[2])] = parts[3]
    return kept


def kept_stale(kept, known=()):
    """The lines of the list whose place is not in the source any more, and not among the known changes."""
    paths = {key[0] for key in kept}
    found = {kept_key(o) for path in paths if os.path.exists(os.path.join(ROOT, path)) for o in operators_of(Source(path))}
    return [key for key in kept if key not in found | {kept_key(o) for o in known}]


# --- building them ---

def with_change(source, o):
    return source.text[:o.first] + o.after + source.text[o.end:]


def object_of(tree, path, text):
    """The hash of the code of a file with this text, or None: it does not compile."""
    target = os.path.join(tree.build, path[:-2] + ".o")
    tree.write(path, text)
    if tree.make(target, flags="-g0") is not None:
        return None
    with open(os.path.join(tree.folder, target), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def choose(tree, places, progress, count):
    """The fixed changes, and `count` others that compile to different code."""
    chosen, objects = list(places.fixed), {}
    while len(chosen) < count + len(places.fixed):
        o = places.draw()
        if not o:
            break
        source = places.source(o.file)
        key = progress_key(source, o)
        result = progress.known.get(key)
        if result is None:
            if o.file not in objects:
                objects[o.file] = object_of(tree, o.file, source.text)
                if objects[o.file] is None:
                    stop("%s cannot be compiled without any change" % o.file)
            code = object_of(tree, o.file, with_change(source, o))
            tree.write(o.file, source.text)
            result = "does not compile" if code is None else "the same code" if code == objects[o.file] else None
            if result:
                progress.add(key, result)
        if result not in ("does not compile", "the same code"):
            chosen.append(o)
    return chosen


def labels_of(source, body):
    """The labels of a function, declared as local to each copy of its body."""
    tokens = source.tokens[body:source.partner[body]]
    labels = sorted({b.text for a, b in zip(tokens, tokens[1:]) if a.text == "goto"})
    return "__label__ %s;" % ", ".join(labels) if labels else ""


def body_of(source, body, labels, edits):
    """The text between the brackets of a function after edits (first, end, text), as a block with the lines of the file."""
    at, out = source.tokens[body].end, []
    for first, end, text in sorted(edits):
        out += [source.text[at:first], text]
        at = end
    out.append(source.text[at:source.tokens[source.partner[body]].start])
    line = source.text.count("\n", 0, source.tokens[body].end) + 1
    return "{%s\n#line %d \"%s\"\n%s\n}" % (labels, line, source.path, "".join(out))


def changed_text(source, numbered):
    """The file with all of its changes; `numbered` has pairs of an id and a change."""
    functions = collections.defaultdict(list)
    for number, o in numbered:
        functions[o.body].append((number, o))
    out, at = ['#include "mutation.h"\n#line 1 "%s"\n' % source.path], 0
    for body in sorted(functions):
        labels, end = labels_of(source, body), source.tokens[source.partner[body]].start
        out.append(source.text[at:source.tokens[body].end])
        marks = []
        for number, o in functions[body]:
            after = o.after + "\n" * o.before.count("\n")
            out.append("\nif (mutation_now == %du) %s\nelse " % (number, body_of(source, body, labels, [(o.first, o.end, after)])))
            place = source.tokens[source.statement_of(o.at)].start
            marks.append((place, place, "mutation_reach(%du); " % number))
        out.append(body_of(source, body, labels, marks))
        out.append("\n#line %d \"%s\"\n" % (source.text.count("\n", 0, end) + 1, source.path))
        at = end
    return "".join(out) + source.text[at:]


def build(tree, places, chosen, short):
    """Writes all changes and builds everything that tests use."""
    numbered = list(enumerate(chosen, 1))
    tree.write_prelude(len(chosen) + 1)
    for path in sorted({o.file for o in chosen}):
        tree.write(path, changed_text(places.source(path), [n for n in numbered if n[1].file == path]))
    complaint = tree.make(*([os.path.join(tree.build, "tests", "run")] if short else ["test-built"]))
    if complaint is not None:
        stop("the changes cannot be compiled together:\n" + complaint)
    return numbered


# --- the suites ---

def all_suites():
    """{suite: folder of its module}; of `cases`, each file is one."""
    suites = {}
    for file in sorted(glob.glob(os.path.join(ROOT, "tests", "unit", "*", "*.c"))):
        with open(file, encoding="utf-8") as text:
            for name in re.findall(r"^TEST_SUITE\((\w+)\) {$", text.read(), re.M):
                suites[name] = os.path.basename(os.path.dirname(file))
    folder = suites.pop("cases")
    for file in sorted(glob.glob(os.path.join(ROOT, "tests", "cases", "*.txt"))):
        suites["cases/" + os.path.basename(file)[:-4]] = folder
    return {name: folder for name, folder in suites.items() if name not in UNUSED}


class Judge:
    """Runs suites with a change, in the order in which a failure is to be expected soonest."""

    def __init__(self, tree, baseline, suites):
        self.tree, self.baseline, self.suites = tree, baseline, suites
        self.noticed = collections.Counter()

    def order(self, number, o):
        module = os.path.basename(os.path.dirname(o.file))

        def cost(suite):
            own = self.suites[suite] == module or self.suites[suite].startswith(module + "_")
            return (self.baseline.times[suite] + 0.1) / (1 + 4 * own + self.noticed[suite])
        return sorted(self.baseline.reached(self.suites, number), key=cost)

    def judge(self, number, o):
        """The test that fails with the change, or None."""
        for suite in self.order(number, o):
            spent = self.baseline.times[suite]
            failure, _, printed = self.tree.suite(suite, seconds_of(spent), MUTATION=str(number))
            if failure:
                self.tree.confirm(suite, spent)
                self.noticed[suite] += 1
                return "%s: %s" % (suite, first_failed(printed))
        return None


def progress_key(source, o):
    hashes = function_hashes(source)
    return hashes.get(o.function, ""), o.file, o.function, "%s -> %s" % (shown(o.before), o.after), o.context


def name_of(o):
    return "%s:%d %s: %s -> %s" % (o.file, o.line, o.function, shown(o.before), o.after)


def tests_digest():
    """Survivors are judged again when a test is different."""
    total = hashlib.sha256()
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "*", "**"), recursive=True)):
        if os.path.isfile(path) and "/sweeps/" not in path and "__pycache__" not in path:
            with open(path, "rb") as file:
                total.update(path.encode() + file.read())
    return total.hexdigest()[:12]


def run(options, work, places):
    """[(change, result)] of all changes; the result "survived" if no suite failed"""
    tree = Tree(os.path.join(work, "tree" if options.short else "operators"), options)
    progress = Progress(os.path.join(work, "operators.csv"), options.resume)
    chosen = choose(tree, places, progress, 0 if options.change else options.sample or 60)
    numbered = build(tree, places, chosen, options.short)
    suites = all_suites()
    if options.suites:
        unknown = set(options.suites.split(",")) - set(suites)
        if unknown:
            stop("there is no suite %s" % ", ".join(sorted(unknown)))
        suites = {name: suites[name] for name in options.suites.split(",")}
    baseline = Baseline(tree, suites, len(chosen) + 1, work, options.resume)
    judge, results = Judge(tree, baseline, suites), []
    survived = "survived " + tests_digest() + (" of " + options.suites if options.suites else "")
    for number, o in numbered:
        key = progress_key(places.source(o.file), o)
        result = progress.known.get(key)
        if result is None or (result.startswith("survived") and result != survived):
            result = judge.judge(number, o) or survived
            progress.add(key, result)
        result = "survived" if result.startswith("survived") else result
        results.append((o, result))
        print("    %-28s %s" % (result, name_of(o)), flush=True)
    return results


def operators(options, work):
    kept, places = kept_list(options.kept or KEPT), Places(options)
    stale = kept_stale(kept, places.fixed)
    for key in stale:
        print("    kept, but not in the source: %s %s: %s: %s" % key)
    results = run(options, work, places)
    survived = [o for o, result in results if result == "survived"]
    left = [o for o in survived if kept_key(o) not in kept]
    wrong = [(o, result) for o, result in results if result != "survived" and kept_key(o) in kept]
    for o in survived:
        print("    no suite notices: %s: %s" % (name_of(o), kept.get(kept_key(o), o.context)))
    for o, result in wrong:
        print("    kept, but noticed by %s: %s" % (result, name_of(o)))
    if not results:
        stop("there is no change to make")
    print("%d of %d changes survived (%.1f %%); %d of these are listed with a reason"
          % (len(survived), len(results), 100 * len(survived) / len(results), len(survived) - len(left)))
    failed = len(left) + len(wrong) + len(stale) + places.stale
    print("counted: %d changes" % len(results))
    print("%d passed, %d failed" % (len(results) - len(left) - len(wrong), failed))
    return failed != 0
