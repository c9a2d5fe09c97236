#!/usr/bin/env python3
"""merge_oracle.py - random prefabs with structural overrides, against a plain model of merging.

    merge_oracle.py ENTC FOLDER COUNT SEED MOVES

Writes COUNT entity files, each of which may instance earlier ones and override what these contain: components, added
children, removed entities, replaced prefabs; and levels of instances, of which some have a parent inside of another one.
All are compiled, and every entity of every blob is compared with the model: its name, its parent and its light.
Then MOVES entities are renamed with `entc mv`, which must change nothing in the blobs but these names.
Python 3.9, standard library only.
"""
import json
import random
import re
import subprocess
import sys
from pathlib import Path

PREFAB_MAX = 60  # entities of a prefab that others instance


class Node:
    """An entity, with every change that was made to it and to what is below it since its prefab was copied. When the
    prefab is replaced, these changes are repeated; those of entities that the new prefab lacks have no effect."""

    def __init__(self, name, light):
        self.name, self.light, self.children, self.changes = name, light, [], []

    def copy(self, name):
        out = Node(name, self.light)
        out.children = [child.copy(child.name) for child in self.children]
        out.changes = list(self.changes)
        return out

    def count(self):
        return 1 + sum(child.count() for child in self.children)

    def paths(self, before=""):
        for child in self.children:
            yield before + child.name, child
            yield from child.paths(before + child.name + "/")

    def child(self, name):
        return next((child for child in self.children if child.name == name), None)

    def change(self, path, what):
        """Changes the entity at a path below this one; what is not there stays as it is."""
        self.changes.append((path, what))
        if path:
            name, _, rest = path.partition("/")
            child = self.child(name)
            if child and not rest and what.get("removes"):
                self.children.remove(child)
            elif child:
                child.change(rest, what)
            return
        if what.get("prefab"):
            self.replace(what["prefab"])
        if what.get("light") is not None:
            self.light = what["light"]
        self.children += [child.copy(child.name) for child in what.get("children", ())]

    def replace(self, prefab):
        new, changes = prefab.copy(self.name), self.changes
        self.light, self.children, self.changes = new.light, new.children, []
        for k, (path, what) in enumerate(changes):
            if not path:
                what = {key: value for key, value in what.items() if key != "prefab"}
            if k + 1 < len(changes):
                self.change(path, what)
            else: # the one that replaces: its caller does the rest
                self.changes.append((path, what))


class Writer:
    def __init__(self, seed):
        self.random, self.prefabs, self.names = random.Random(seed), [], 0

    def name(self):
        self.names += 1
        return "n%d" % self.names

    def light(self, chance):
        return self.random.randint(1, 999) if self.random.random() < chance else None

    def components(self, light):
        return {} if light is None else {"light": {"intensity": light}}

    def prefab(self):
        small = [k for k, prefab in enumerate(self.prefabs) if prefab.count() <= PREFAB_MAX]
        return self.random.choice(small[-40:]) if small else None

    def override(self, root, source, deep):
        """A change of one entity below `root`; what is below a removed one is not changed."""
        paths = [path for path, _ in root.paths() if path not in source and
                 not any(path.startswith(gone + "/") for gone, value in source.items() if value is None)]
        if not paths:
            return
        path, which = self.random.choice(paths), self.prefab()
        is_last = not any(other.startswith(path + "/") for other in source)
        if self.random.random() < 0.25 and is_last:
            source[path] = None
            root.change(path, {"removes": True})
            return
        what, text, light = {}, {}, self.light(0.7)
        if which is not None and self.random.random() < 0.3 and is_last:
            what["prefab"] = self.prefabs[which]
            text["prefab"] = "p%d" % which
        if light is not None:
            what["light"] = light
            text["components"] = self.components(light)
        if self.random.random() < 0.5:
            added = [self.node(deep + 1) for _ in range(self.random.randint(1, 2))]
            what["children"] = [child for child, _ in added]
            text["children"] = [child for _, child in added]
        root.change(path, what)
        source[path] = text

    def node(self, deep, is_root=False):
        """A node of the model, and its source."""
        label, light = self.name(), self.light(0.4)
        node, text, which = Node(label, None), {"name": label}, self.prefab()
        if which is not None and self.random.random() < (0.8 if is_root else 0.35):
            node = self.prefabs[which].copy(label)
            node.changes = []
            text["prefab"] = "p%d" % which
            overrides = {}
            for _ in range(self.random.choice((0, 0, 1, 2, 4))):
                self.override(node, overrides, deep)
            if overrides:
                text["overrides"] = overrides
        what = {"light": light}
        if light is not None:
            text["components"] = self.components(light)
        if deep < 4:
            more = [self.node(deep + 1) for _ in range(self.random.choice((0, 0, 1, 2, 3)))]
            what["children"] = [child for child, _ in more]
            if more:
                text["children"] = [child for _, child in more]
        node.change("", what)
        return node, text

    def level(self):
        """Entries, and their sources in any order; an entry may have a parent anywhere in an earlier one."""
        top, texts, places = [], [], []
        for _ in range(self.random.randint(1, 8)):
            node, text = self.node(2, True)
            here = [(node.name, node)] + [(node.name + "/" + path, child) for path, child in node.paths()]
            if top and self.random.random() < 0.6:
                text["parent"], parent = self.random.choice(self.random.choice(places))
                parent.children.append(node)
            else:
                top.append(node)
            places.append(here)
            texts.append(text)
        return top, texts


def wanted(roots):
    rows = []

    def walk(node, parent):
        rows.append((node.name, parent, node.light))
        label = len(rows) - 1
        for child in node.children:
            walk(child, label)
    for root in roots:
        walk(root, None)
    return rows


def found(text):
    rows = []
    for line in text.splitlines():
        entity = re.match(r"entity \d+ (\S+)(?: \(parent (\d+)\))?", line)
        if entity:
            rows.append([entity[1].rpartition("/")[2], int(entity[2]) if entity[2] else None, None])
        elif line.strip().startswith("intensity:"):
            rows[-1][2] = int(float(line.split(":")[1]))
    return [tuple(row) for row in rows]


def written(text, before=""):
    """The paths of all entities that a source defines."""
    for child in text.get("children", ()):
        yield before + child["name"]
        yield from written(child, before + child["name"] + "/")
    for path, override in text.get("overrides", {}).items():
        yield from written(override or {}, before + path + "/")


def entries(source):
    """The same for a level. A path in "parent" begins with the name of an entry, wherever this entry is."""
    places = {}
    for entry in source["entities"]:
        first, slash, rest = entry.get("parent", "").partition("/")
        before = places[first] + slash + rest + "/" if first else ""
        places[entry["name"]] = before + entry["name"]
        yield places[entry["name"]]
        yield from written(entry, places[entry["name"]] + "/")


def dumps(entc, folder, wants):
    subprocess.run([entc, "build", str(folder / "src"), "-o", str(folder / "out"), "-q"], check=True)
    run = [entc, "dump"]
    texts = {name: subprocess.run(run + [str(folder / "out" / name)], check=True, capture_output=True, text=True).stdout
             for name in wants}
    return {name: "\n".join(line for line in text.splitlines() if not line.startswith("section")) for name, text in texts.items()}


def moves_check(entc, folder, wants, texts, count, chance):
    """Renames entities where they are defined; dumps must differ in their names only."""
    different = 0
    for k in range(count):
        name = chance.choice(sorted(texts))
        paths = list(entries(texts[name]) if "entities" in texts[name] else written(texts[name]))
        if not paths:
            continue
        path, new = chance.choice(paths), "m%d" % k
        old, before = path.rpartition("/")[2], dumps(entc, folder, wants)
        subprocess.run([entc, "mv", str(folder / "src"), name + ":" + path, new, "-q"], check=True)
        after = dumps(entc, folder, wants)
        for blob in wants:
            if before[blob] != re.sub(r"\b%s\b" % new, old, after[blob]):
                different += 1
                print("%s differs after %s:%s got the name %s" % (blob, name, path, new))
        texts = {key: json.loads((folder / "src" / (key + ".json")).read_text()) for key in texts}
    return different


def main(entc, folder, count, seed, moves):
    writer, source, wants, texts = Writer(int(seed)), Path(folder) / "src", {}, {}
    source.mkdir(parents=True, exist_ok=True)
    for k in range(int(count)):
        node, text = writer.node(0, True)
        writer.prefabs.append(node)
        wants["p%d.entity" % k] = wanted([node])
        texts["p%d.entity" % k] = text
    for k in range(int(count) // 2):
        top, listed = writer.level()
        wants["l%d.level" % k] = wanted(top)
        texts["l%d.level" % k] = {"entities": listed}
    for name, text in texts.items():
        (source / (name + ".json")).write_text(json.dumps(text), encoding="ascii")
    subprocess.run([entc, "build", str(source), "-o", str(Path(folder) / "out"), "-q"], check=True)
    entities = different = 0
    for name, want in wants.items():
        dumped = subprocess.run([entc, "dump", str(Path(folder) / "out" / name)], check=True,
                                capture_output=True, text=True).stdout
        have = found(dumped)
        entities += len(want)
        if want != have:
            different += 1
            print("%s: %s, not %s" % (name, [r for r in have if r not in want][:3], [r for r in want if r not in have][:3]))
    different += moves_check(entc, Path(folder), wants, texts, int(moves), random.Random(int(seed)))
    print("%d trees, %d entities, %s renamed, %d different" % (len(wants), entities, moves, different))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
