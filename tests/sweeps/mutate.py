"""Changes the conditions of every reader of untrusted bytes, one at a time, and expects a test to fail.

    mutate.py BUILD [--file PART] [--sample N] [--seed N] [-j N] [--resume] [--short]
    mutate.py BUILD --operators [--since DATE] [--file PART] [--sample N] [--seed N] [--resume]
    mutate.py BUILD --operators --change FILE BEFORE AFTER [--suites NAME,..]

    BUILD        a folder in which everything that `make test` needs has been built, such as build/release

Without --operators: each operand of an && or ||, each condition of an if, a loop or a ?:, each comparison
and each result of a function that returns bool is negated, and removed (an operand of && becomes true,
one of || becomes false, a whole condition becomes false, a returned one becomes true). The changes of all
files are compiled at once into a private copy of the tree; the environment variable MUTATION selects the
one in effect. The suites of the file are run, the fastest first, and only those that reach the place, until
one fails. A change that makes no suite fail is an error, unless it is in tests/sweeps/mutate_kept.txt with the
reason why it has no effect. A line of that list is an error when its condition is not in the source any more,
or when its change makes a suite fail.

With --operators: a sample of changes at random places of formats, compiler and runtime (mutate_operators.py): another
operator, a constant one higher or lower, a statement removed. --since: only in lines that were changed since a date
or a commit. --change: this one instead of a sample; BEFORE has to occur once in the file.

Every suite has to pass without any change first, under the limits of all runs (mutate_tree.py). --memory: of these, how many
MiB a program may write.

Results are also written to build/mutate/progress.csv and operators.csv; --resume uses the recorded ones of functions that
have not changed since. --short: checks that the lists are current, and a fixed sample, in a few seconds.
The last line is the tally. Exit code 1: some change made no test fail; 2: a suite fails without any change.
"""
import argparse
import collections
import os
import random
import re
import signal
import sys
import threading

import mutate_operators
from mutate_source import REFUSAL, ROOT, Source, changes_of
from mutate_tree import Baseline, Progress, Tree, digest, first_failed, function_hashes, seconds_of, stop

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
arguments.add_argument("--since", default="", help="of --operators: a date such as 2026-11-22, or a commit")
arguments.add_argument("--change", nargs=3, action="append", default=[], metavar=("FILE", "BEFORE", "AFTER"))
arguments.add_argument("--suites", default="", help="of --operators: only these, separated by commas")
arguments.add_argument("--kept", default="", help="of --operators: another list of changes that cannot be detected")
arguments.add_argument("--memory", type=int, default=8192, help="in MiB, of each program that a suite runs")
options = arguments.parse_args()

WORK = os.path.join(ROOT, "build", "mutate_short" if options.short else "mutate")
KEPT = os.path.join(ROOT, "tests", "sweeps", "mutate_kept.txt")

# The suites of each file. The order does not matter: the fastest are run first.
VALIDATION = ["validation", "validation_columns", "validation_meaning", "fields", "texture", "declaration", "blob: rules", "declare", "registry"]
JSON = ["json", "scanner", "tokens", "cases/encoding"]
GLTF = ["cases/accessors", "cases/animators", "cases/gltf", "cases/losses", "cases/vertices", "cases/clips", "cases/nodes", "source_map", "gltf_rules", "features"]
RECORDS = ["records", "seeds", "incremental", "database", "database_renew", "database_parts", "cache_folder"]
DECLARED = ["cases/declare", "cases/field_types", "cases/evolution", "declare"]
KITS = ["cases/kits", "kit", "cases/models", "cases/gltf"]
LINKS = ["stored_rows", "stored_random", "seeds", "stored_links", "move"]
FILES = {
    "formats/blob_open.c": VALIDATION + ["embedded", "open_threads", "texts", "saved_types", "evolution"],
    "formats/blob_names.c": VALIDATION + ["open_threads", "texts"],
    "formats/record_words.c": VALIDATION,
    "formats/blob_columns.c": VALIDATION + ["open_threads"],
    "formats/blob_meaning.c": VALIDATION,
    "formats/validation.c": VALIDATION,
    "formats/validation_internal.h": VALIDATION,
    "formats/groups.c": VALIDATION,
    "formats/fields.c": VALIDATION,
    "formats/records.c": VALIDATION,
    "formats/declaration.c": VALIDATION + ["declared_limits", "saved_types"],
    "formats/base/utf8.h": VALIDATION + ["json", "scanner"],
    "formats/bundle_open.c": ["validation_bundle", "bundle"],
    "formats/named_rows.c": ["output_index", "validation_bundle"],
    "formats/output_index.c": ["output_index", "build_index"],
    "formats/bundle.c": ["validation_bundle", "bundle", "expand", "pieces"],
    "compiler/text/json.c": JSON,
    "compiler/text/json_value.c": JSON + ["cases/structure"],
    "compiler/assets/doc_slices.c": ["slices"],
    "compiler/image/image_png.c": ["image", "image_colors"],
    "compiler/image/image_jpeg.c": ["image", "image_colors"],
    "compiler/image/image_colors.c": ["image_colors"],
    "compiler/inspect/bundle_read.c": ["bundle", "expand", "list_unpack"],
    "compiler/source/map_file.c": ["map_text", "map_reader", "source_map", "explain", "records"],
    "formats/source_map.c": ["map_text", "map_reader", "source_map", "explain", "records"],
    "compiler/source/relative.c": ["relative", "move"],
    "compiler/gltf/gltf_accessor.c": GLTF,
    "compiler/gltf/gltf_buffer.c": GLTF,
    "compiler/gltf/gltf_open.c": ["glb"] + GLTF,
    "compiler/gltf/gltf_value.c": GLTF,
    "compiler/database/database.c": RECORDS,
    "compiler/database/database_validate.c": RECORDS,
    "compiler/database/database_layout.c": RECORDS,
    "compiler/database/database_parts.c": ["database_parts", "seeds"],
    "compiler/graph/build_edit.c": ["watch"],
    "compiler/graph/build_again.c": ["watch"],
    "formats/platform/folder_watch.c": ["folder_watch", "watch"],
    "compiler/database/cache.c": RECORDS,
    "compiler/graph/build_cache.c": RECORDS + ["project", "textures", "lods", "cache_notes", "outputs"],
    "compiler/source/move_journal.c": ["journal", "seeds", "move"],
    "compiler/source/input_list.c": ["cases/inputs", "seeds", "inputs"],
    "compiler/image/image.c": ["image", "image_memory"],
    "compiler/model/compile_texture.c": ["textures", "image_budget"],
    "compiler/assets/model.c": ["outside", "cases/models", "cases/gltf", "source_map"],
    "compiler/assets/model_tops.c": KITS,
    "compiler/assets/model_axes.c": KITS,
    "compiler/assets/model_nodes.c": KITS + ["cases/nodes", "cases/names"],
    "compiler/assets/model_components.c": KITS + ["cases/extras", "cases/animators", "lamps", "roles", "cases/object_names"],
    "compiler/assets/model_file.c": ["cases/kits", "cases/models", "lods", "textures", "cases/object_names"],
    "compiler/emit/compile_place.c": KITS,
    "compiler/flat/material_names.c": ["cases/kits"],
    "compiler/refactor/move_references.c": ["cases/kits"],
    "compiler/assets/asset_beside.c": ["outside", "cases/models", "cases/gltf", "source_map"],
    "compiler/assets/texture.c": ["textures", "outside", "cases/textures"],
    "compiler/source/settings.c": ["outside", "project", "cases/project"],
    "compiler/source/asset_name.c": ["cases/names", "stored_rows"],
    "compiler/gltf/gltf.c": GLTF + ["stored_rows"],
    "compiler/gltf/gltf_cost.c": GLTF + ["limits"],
    "compiler/gltf/gltf_image.c": GLTF,
    "compiler/gltf/gltf_material.c": GLTF + ["cases/losses", "lamps", "features"],
    "compiler/gltf/gltf_loss.c": ["cases/losses", "cases/models", "cases/gltf"],
    "compiler/text/diag_object.c": ["cases/kits", "cases/models", "glb", "diagnostics"],
    "compiler/gltf/gltf_mesh.c": GLTF,
    "compiler/gltf/gltf_morph.c": GLTF,
    "compiler/gltf/gltf_clip.c": GLTF,
    "compiler/gltf/gltf_event.c": GLTF,
    "compiler/gltf/gltf_pointer.c": GLTF,
    "compiler/gltf/gltf_roles.c": ["cases/object_names", "roles"] + GLTF,
    "compiler/gltf/gltf_apply.c": ["cases/object_names", "roles"] + GLTF,
    "compiler/gltf/mesh_levels.c": ["roles", "cases/object_names"],
    "compiler/gltf/mesh_hull.c": ["roles", "cases/object_names"],
    "compiler/gltf/mesh_collider.c": ["roles", "cases/object_names"],
    "compiler/gltf/gltf_scene.c": GLTF,
    "compiler/gltf/gltf_schema.c": GLTF,
    "compiler/gltf/gltf_transform.c": GLTF,
    "compiler/gltf/gltf_uri.c": GLTF + ["relative"],
    "formats/cli/response.c": ["command_line", "options"],
    "formats/plugin.c": ["plugin", "world_plugin"],
    "compiler/plugins/plugin_load.c": ["plugin", "cases/lfs"],
    "compiler/compile/compile_package.c": ["cases/packages", "cases/patterns"],
    "compiler/assets/declare.c": DECLARED,
    "compiler/assets/declare_value.c": DECLARED,
    "compiler/assets/declare_field.c": DECLARED + ["schema"],
    "compiler/inspect/conform.c": DECLARED + ["cases/evolution", "conform"],
    "compiler/inspect/migrate.c": ["cases/evolution", "saved_types", "migrate"],
    "compiler/graph/build_outputs.c": ["outputs", "incremental"],
    "runtime/scene/library.c": ["library", "bundle", "expand", "skins", "reload", "spawn"],
    "runtime/scene/library_table.c": ["library", "bundle", "expand", "skins", "reload", "spawn"],
    "runtime/scene/library_source.c": ["library", "bundle", "expand", "skins", "reload", "spawn"],
    "runtime/scene/library_follow.c": ["library_follow"],
    "runtime/scene/spawned_save.c": ["unspawn"],
    "compiler/inspect/output_files.c": ["build_index"],
    "runtime/scene/resource.c": ["library", "spawn", "snapshot", "bundle"],
    "formats/conversion.c": ["evolution", "cases/evolution", "declaration", "conversion", "migrate"],
    "formats/platform/jobserver.c": ["jobserver"],
    "compiler/blobs/search_git.c": ["git", "evolution"],
    "compiler/graph/report.c": ["cases/budgets", "incremental"],
    "runtime/scene/snapshot.c": ["snapshot", "seeds"],
    "runtime/scene/snapshot_state.c": ["snapshot", "seeds"],
    "runtime/scene/spawn_convert.c": ["evolution", "seeds"],
    "runtime/scene/patch.c": ["patch", "reload"],
    "runtime/scene/patch_apply.c": ["patch", "reload"],
    "runtime/scene/patch_match.c": ["patch", "reload"],
    "compiler/database/database_links.c": LINKS,
    "compiler/refactor/link_store.c": LINKS,
    "compiler/refactor/link_part.c": LINKS,
    "compiler/refactor/link_text.c": LINKS,
    "compiler/refactor/link_change.c": LINKS,
    "compiler/refactor/link_update.c": LINKS,
}

TARGETS = ("tests/run",) if options.short else ("tests/run", "entc")


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
                stop("mutate_kept.txt: not \"FILE FUNCTION    CHANGE    CONDITION    REASON\": " + line)
            kept[(*parts[0].split(), parts[1], parts[2])] = parts[3]
    return kept


def name_of(c):
    return "%s, %s: %s: %s" % (c.file, c.function, c.change, c.text)


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


def build_changed(tree, sources, changes):
    """Writes all changes and builds; those on lines that do not compile with them are left out."""
    left_out = set()
    for _ in range(8):
        tree.write_prelude(max(c.id for c in changes) + 2)
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
            stop(complaint)
    stop("the changes cannot be compiled")


def judge(tree, c, baseline):
    """The suite that fails with the change and the name of its test, or None."""
    for suite in sorted(baseline.reached(FILES[c.file], c.id & ~1), key=baseline.times.get):
        failure, _, printed = tree.suite(suite, seconds_of(baseline.times[suite]), MUTATION=str(c.id))
        if failure:
            return suite, first_failed(printed)
    return None


def conditions_run(changes, sources):
    print("%d changes of %d conditions in %d files" % (len(changes), len({c.id | 1 for c in changes}), len(sources)), flush=True)
    tree = Tree(os.path.join(WORK, "tree"), options)
    left_out = build_changed(tree, sources, changes)
    every = [c for c in changes if c.id not in left_out]
    if options.sample:
        every = random.Random(options.seed).sample(every, min(options.sample, len(every)))
    if options.short:
        every = random.Random(options.seed).sample(every, 20)
    tree_digest = digest(tree.folder)
    baseline = Baseline(tree, max(c.id for c in changes) + 2, options.resume, lambda suite: tree_digest)
    baseline.include({s for c in every for s in FILES[c.file]})
    progress, results, failed = Progress(os.path.join(WORK, "progress.csv"), options.resume), {}, set()
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
                found = judge(mine, c, baseline)
                failed.update(found[:1] if found else ())
                result = "%s: %s" % found if found else "survived"
                progress.add(key, result)
            results[c.id] = result
            if result == "survived":
                print("    not noticed: " + name_of(c), flush=True)
    workers = [threading.Thread(target=work, args=(t,)) for t in tree.duplicates(options.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for suite in sorted(failed):
        tree.confirm(suite, baseline.times[suite])
    return every, results, left_out


def all_changes(paths):
    sources, changes, next_id = [Source(p) for p in paths], [], 2
    for source in sources:
        more, next_id = changes_of(source, next_id)
        changes += more
    return sources, changes


def lists_outdated():
    """How many lines of the lists of --operators are not in the source any more."""
    kept = mutate_operators.kept_list(mutate_operators.KEPT)
    stale = [" ".join(key) for key in mutate_operators.kept_stale(kept)] + mutate_operators.historic_stale()
    for line in stale:
        print("    not in the source: " + line)
    return len(stale)


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
        failed += lists_outdated()
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


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
sys.exit(mutate_operators.operators(options, WORK) if options.operators else conditions())
