"""mutate.py --operators: changes at random places of formats, compiler and runtime.

All chosen changes are compiled at once into a private copy of the tree: a function with changes contains its body once for
each of them, and the environment variable MUTATION selects one. Changes that do not compile, or give the same code, are
replaced by others. The suites are used in rounds, the fast ones first. In a round, each new suite runs without a change, which
also shows the statements that it reaches; then suites run with each change that they reach and that none has noticed
yet, for longer in each round. After a failure a suite has to pass again without the change.

tests/sweeps/mutate_kept_operators.txt lists changes that no test can detect. A line of it is an error when its place is not
in the source any more, or when its change makes a suite fail.
"""
import collections
import contextlib
import glob
import hashlib
import os
import random
import re
import subprocess

from mutate_source import ROOT, Operator, Source, operators_of
from mutate_tree import PRELUDE, Baseline, Progress, Tree, digest, first_failed, function_hashes, seconds_of, stop

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


NOT_COUNTED = ("does not compile", "the same code")


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
        key = progress_key(places.source(o.file), o)
        if key not in progress.known:
            progress.add(key, compiled(tree(), places.source(o.file), o, objects))
        if progress.known[key] not in NOT_COUNTED:
            chosen.append(o)
    return chosen


def compiled(tree, source, o, objects):
    """Whether a change compiles, and to which code; `objects` has the code of unchanged files."""
    if o.file not in objects:
        objects[o.file] = object_of(tree, o.file, source.text)
        if objects[o.file] is None:
            stop("%s cannot be compiled without any change" % o.file)
    code = object_of(tree, o.file, with_change(source, o))
    tree.write(o.file, source.text)
    return "does not compile" if code is None else "the same code" if code == objects[o.file] else "other code"


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


def suite_hashes(suites):
    """{suite: hash of its own files}: with other tests it may notice other changes."""
    hashes = {}
    for name in suites:
        total = hashlib.sha256()
        file = name + ".txt" if name.startswith("cases/") else os.path.join("unit", suites[name], "*.[ch]")
        for path in sorted(glob.glob(os.path.join(ROOT, "tests", file))):
            with open(path, "rb") as text:
                total.update(text.read())
        hashes[name] = total.hexdigest()[:8]
    return hashes


class Judge:
    """Runs suites with changes, in the order in which a failure is to be expected soonest."""

    def __init__(self, tree, baseline, suites, hashes, progress):
        self.tree, self.baseline, self.suites, self.hashes, self.progress = tree, baseline, suites, hashes, progress
        self.noticed = collections.Counter()

    def is_in_project(self, suite, o):
        module = os.path.basename(os.path.dirname(o.file))
        return self.suites[suite] == module or self.suites[suite].startswith(module + "_")

    def rounds(self, changes):
        """(suites that may be used, seconds for each change)"""
        expected = {suite: self.baseline.recorded(suite)[1] or 5 for suite in self.suites}
        for suite in self.suites:
            expected[suite] *= 0.3 if any(self.is_in_project(suite, o) for _, o in changes) else 1
        for seconds in (3, 10, 30, 100, 300):
            yield [suite for suite in self.suites if expected[suite] <= seconds / 3], seconds
        yield list(self.suites), float("inf")

    def passed(self, key):
        """Suites that a change has passed, now or in a run that is continued."""
        words = self.progress.known.get(key, "").split()
        of = dict(word.split("@") for word in words[1:]) if words[:1] == ["passed"] else {}
        return {suite for suite in of if of[suite] == self.hashes.get(suite)}

    def order(self, number, o, some):
        """Suites that reach few changes are likely to be about this one."""
        def cost(suite):
            reach = sum(self.baseline.seen[suite])
            return (self.baseline.times[suite] + 0.1) * reach / (1 + 4 * self.is_in_project(suite, o) + self.noticed[suite])
        return sorted(self.baseline.reached(some, number), key=cost)

    def judge(self, number, o, key, some, seconds):
        """The test of some suites that fails with the change, or None. Not all are used if that takes longer."""
        passed, result = self.passed(key), None
        for suite in self.order(number, o, set(some) - passed):
            spent = self.baseline.times[suite]
            seconds -= spent
            if seconds < 0:
                break
            failure, _, printed = self.tree.suite(suite, seconds_of(spent), MUTATION=str(number))
            if failure:
                self.tree.confirm(suite, spent)
                self.noticed[suite] += 1
                result = "%s: %s" % (suite, first_failed(printed))
                break
            passed.add(suite)
        else:
            passed |= set(some)
        self.progress.add(key, result or " ".join(["passed"] + ["%s@%s" % (s, self.hashes[s]) for s in sorted(passed)]))
        return result


def progress_key(source, o):
    hashes = function_hashes(source)
    return hashes.get(o.function, ""), o.file, o.function, "%s -> %s" % (shown(o.before), o.after), o.context


def name_of(o):
    return "%s:%d %s: %s -> %s" % (o.file, o.line, o.function, shown(o.before), o.after)


def suites_for(options):
    suites = all_suites()
    chosen = options.suites.split(",") if options.suites else list(suites)
    unknown = sorted(set(chosen) - set(suites))
    if unknown:
        stop("there is no suite %s" % ", ".join(unknown))
    return {name: suites[name] for name in chosen}


def prepare(options, work, places, progress):
    """The private copy with all changes, and these with their ids. An unchanged copy of an earlier run is used as it is."""
    folder = os.path.join(work, "tree" if options.short else "operators")
    copies = []

    def tree():
        if not copies:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(folder + ".built")
            copies.append(Tree(folder, options))
        return copies[0]
    chosen = choose(tree, places, progress, 0 if options.change else options.sample or 60)
    key = digest(ROOT) + hashlib.sha256(repr((chosen, PRELUDE, options.build)).encode()).hexdigest()
    if not copies and options.resume and os.path.exists(folder + ".built"):
        with open(folder + ".built", encoding="utf-8") as file:
            if file.read() == key:
                return Tree(folder, options, is_built=True), list(enumerate(chosen, 1))
    numbered = build(tree(), places, chosen, options.short)
    with open(folder + ".built", "w", encoding="utf-8") as file:
        file.write(key)
    return copies[0], numbered


def run(options, work, places):
    """[(change, result)] of all changes; the result is None if no suite failed"""
    progress = Progress(os.path.join(work, "operators.csv"), options.resume)
    tree, numbered = prepare(options, work, places, progress)
    suites = suites_for(options)
    hashes = suite_hashes(suites)
    common = digest(tree.folder, "tests/unit", "tests/cases", "tests/sweeps")[:16]
    baseline = Baseline(tree, len(numbered) + 1, options.resume, lambda suite: common + hashes[suite])
    judge, results = Judge(tree, baseline, suites, hashes, progress), {}
    keys = {number: progress_key(places.source(o.file), o) for number, o in numbered}
    for number, o in numbered:
        result = progress.known.get(keys[number], "")
        if result and result != "other code" and not result.startswith("passed"):
            results[number] = result
    left = [(number, o) for number, o in numbered if number not in results]
    for some, seconds in judge.rounds(left):
        left = [(number, o) for number, o in left if number not in results]
        if left:
            baseline.include(some)
        for number, o in left:
            results[number] = judge.judge(number, o, keys[number], some, seconds)
            if results[number]:
                print("    %-28s %s" % (results[number], name_of(o)), flush=True)
            else:
                del results[number]
        print("%d of %d changes noticed" % (len(results), len(numbered)), flush=True)
    return [(o, results.get(number)) for number, o in numbered]


def operators(options, work):
    kept, places = kept_list(options.kept or KEPT), Places(options)
    stale = kept_stale(kept, places.fixed)
    for key in stale:
        print("    kept, but not in the source: %s %s: %s: %s" % key)
    results = run(options, work, places)
    survived = [o for o, result in results if not result]
    left = [o for o in survived if kept_key(o) not in kept]
    wrong = [(o, result) for o, result in results if result and kept_key(o) in kept]
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
