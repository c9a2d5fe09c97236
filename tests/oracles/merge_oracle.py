#!/usr/bin/env python3
"""merge_oracle.py - random prefabs with structural overrides, against a plain model of merging.

    merge_oracle.py ENTC FOLDER COUNT SEED

Writes COUNT entity files, each of which may instance earlier ones and override what these contain: components, added
children, removed entities. All are compiled, and every entity of every blob is compared with the model: its path, its
parent and its light. Python 3.9, standard library only.
"""
import json
import random
import re
import subprocess
import sys
from pathlib import Path

MOST = 60  # entities of a prefab that others instance


class Node:
    def __init__(self, name, light):
        self.name, self.light, self.children = name, light, []

    def copy(self, name):
        out = Node(name, self.light)
        out.children = [child.copy(child.name) for child in self.children]
        return out

    def count(self):
        return 1 + sum(child.count() for child in self.children)

    def paths(self, before=""):
        for child in self.children:
            yield before + child.name, child
            yield from child.paths(before + child.name + "/")

    def find(self, path):
        node = self
        for name in path.split("/"):
            node = next(child for child in node.children if child.name == name)
        return node


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

    def override(self, root, source, deep):
        """A change of one entity below `root`; what is below a removed one is not changed."""
        paths = [path for path, _ in root.paths() if path not in source and
                 not any(path.startswith(gone + "/") for gone, value in source.items() if value is None)]
        if not paths:
            return
        path = self.random.choice(paths)
        if self.random.random() < 0.3 and not any(other.startswith(path + "/") for other in source):
            source[path] = None
            above = root.find(path.rsplit("/", 1)[0]) if "/" in path else root
            above.children = [child for child in above.children if child.name != path.rsplit("/", 1)[-1]]
            return
        node, change = root.find(path), {}
        light = self.light(0.7)
        if light is not None:
            node.light = light
            change["components"] = self.components(light)
        if self.random.random() < 0.6:
            added = [self.node(deep + 1) for _ in range(self.random.randint(1, 2))]
            node.children += [child for child, _ in added]
            change["children"] = [text for _, text in added]
        source[path] = change

    def node(self, deep, is_root=False):
        """A node of the model, and its source."""
        own, light = self.name(), self.light(0.4)
        node, text = Node(own, light), {"name": own}
        small = [k for k, prefab in enumerate(self.prefabs) if prefab.count() <= MOST]
        if small and self.random.random() < (0.8 if is_root else 0.35):
            which = self.random.choice(small[-40:])
            node = self.prefabs[which].copy(own)
            node.light = node.light if light is None else light
            text["prefab"] = "p%d" % which
            overrides = {}
            for _ in range(self.random.choice((0, 0, 1, 2, 4))):
                self.override(node, overrides, deep)
            if overrides:
                text["overrides"] = overrides
        if light is not None:
            text["components"] = self.components(light)
        if deep < 4:
            more = [self.node(deep + 1) for _ in range(self.random.choice((0, 0, 1, 2, 3)))]
            node.children += [child for child, _ in more]
            if more:
                text["children"] = [child for _, child in more]
        return node, text


def wanted(root):
    rows = [("", None, root.light)]

    def walk(node, path, parent):
        for child in node.children:
            own = path + "/" + child.name
            rows.append((own, parent, child.light))
            walk(child, own, len(rows) - 1)
    walk(root, "", 0)
    return rows


def found(text):
    rows = []
    for line in text.splitlines():
        entity = re.match(r"entity \d+ (\S+)(?: \(parent (\d+)\))?", line)
        if entity:
            path = "/".join(entity[1].split("/")[1:])
            rows.append(["/" + path if path else "", int(entity[2]) if entity[2] else None, None])
        elif line.strip().startswith("intensity:"):
            rows[-1][2] = int(float(line.split(":")[1]))
    return [tuple(row) for row in rows]


def main(entc, folder, count, seed):
    writer, source = Writer(int(seed)), Path(folder) / "src"
    source.mkdir(parents=True, exist_ok=True)
    for k in range(int(count)):
        node, text = writer.node(0, True)
        writer.prefabs.append(node)
        (source / ("p%d.entity.json" % k)).write_text(json.dumps(text), encoding="ascii")
    subprocess.run([entc, "build", str(source), "-o", str(Path(folder) / "out"), "-q"], check=True)
    entities = different = 0
    for k, prefab in enumerate(writer.prefabs):
        dumped = subprocess.run([entc, "dump", str(Path(folder) / "out" / ("p%d.entity" % k))], check=True,
                                capture_output=True, text=True).stdout
        want, have = wanted(prefab), found(dumped)
        entities += len(want)
        if want != have:
            different += 1
            print("p%d: %s, not %s" % (k, [r for r in have if r not in want][:3], [r for r in want if r not in have][:3]))
    print("%s trees, %d entities, %d different" % (count, entities, different))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
