#!/usr/bin/env python3
"""name_oracle.py - compares the names of resources with the names in a model.

    name_oracle.py ENTC WORK

Each name is that of a mesh with one point, at a place of its own. The names consist of a number and one
character: Latin letters with accents, of which the decompositions of Unicode state the base; letters of the
Greek and Cyrillic alphabets; and characters of other writing systems, the names of which end with a hash. Then
the objects of a file are reversed and shuffled: each place must keep its resource, except for equal names.

Prints one line per difference, then a tally; exit 0 when nothing differs.
"""

import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import unicodedata

GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψω", "a v g d e z i th i k l m n x o p r s t y f ch ps o".split()))
CYRILLIC = dict(zip("абвгдеёжзийклмнопрстуфхцчшщъыэюяєіїґўјљњћџђ",
                    "a b v g d e e zh z i i k l m n o p r s t u f kh ts ch sh shch ie y e iu ia "
                    "ie i i g u j lj nj c dz d".split()))
LETTERS = {"ß": "ss", "æ": "ae", "Æ": "ae", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "Œ": "oe", "ı": "i",
           "ﬁ": "fi", "Ａ": "a", "７": "7", "²": "2", "–": "_", "“": "_", "ь": "", "\u200d": "", "\u0301": ""}


def latin(character):
    """The letters for a character; None when there are none; "?" when this oracle does not know."""
    if character in LETTERS:
        return LETTERS[character]
    base = unicodedata.normalize("NFD", character)[0]
    lower = unicodedata.normalize("NFD", character.lower())[0]
    if base.isascii() and base.isalpha():
        return base.lower()
    if character.lower() in CYRILLIC:
        return CYRILLIC[character.lower()]
    if lower in GREEK:
        return GREEK[lower]
    name = unicodedata.name(character, "")
    return None if re.match("CJK UNIFIED|HANGUL|HIRAGANA|KATAKANA L|ARABIC L|HEBREW L|DEVANAGARI L|THAI C", name) \
        or ord(character) >= 0x1F300 else "?"


def write(path, names, places):
    """A model whose mesh number i is called names[i], with its point at x = places[i]."""
    data = b"".join(struct.pack("<3f", place, 0, 0) for place in places)
    with open(path + ".bin", "wb") as file:
        file.write(data)
    numbers = range(len(names))
    point = [{"bufferView": 0, "byteOffset": 12 * i, "componentType": 5126, "count": 1, "type": "VEC3",
              "min": [places[i], 0, 0], "max": [places[i], 0, 0]} for i in numbers]
    with open(path + ".gltf", "w") as file:
        json.dump({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(numbers)}],
                   "nodes": [{"mesh": i} for i in numbers], "accessors": point,
                   "meshes": [{"name": name, "primitives": [{"mode": 0, "attributes": {"POSITION": i}}]}
                              for i, name in enumerate(names)],
                   "bufferViews": [{"buffer": 0, "byteLength": len(data), "byteStride": 12}],
                   "buffers": [{"byteLength": len(data), "uri": os.path.basename(path) + ".bin"}]}, file)


def compiled(entc, work, names, places):
    """{place: name of the resource}"""
    os.makedirs(os.path.join(work, "src"), exist_ok=True)
    write(os.path.join(work, "src", "m"), names, places)
    shutil.rmtree(os.path.join(work, "out"), ignore_errors=True)
    subprocess.run([entc, "build", "src", "-o", "out", "-q"], cwd=work, check=True, stderr=subprocess.DEVNULL)
    found = {}
    folder = os.path.join(work, "out", "m")
    for file in os.listdir(folder):
        with open(os.path.join(folder, file), "rb") as blob:
            data = blob.read()
        at = [place for place in places if struct.pack("<3f", place, 0, 0) in data]
        assert len(at) == 1, (file, at)
        found[at[0]] = file[: -len(".mesh")]
    return found


def letters_compare(entc, work):
    characters = [chr(c) for first, end in ((0xC0, 0x250), (0x370, 0x530), (0x1E00, 0x2000)) for c in range(first, end)]
    characters += list(LETTERS) + list("木鉄한あアعאद") + ["\U0001f600"]
    known = [c for c in dict.fromkeys(characters) if latin(c) != "?"]
    names = ["m%03d%s" % (i, c) for i, c in enumerate(known)]
    found = compiled(entc, work, names, [i + 0.5 for i in range(len(names))])
    wrong = 0
    for i, c in enumerate(known):
        letters = latin(c)
        expected = "m%03d%s" % (i, re.escape(letters)) if letters is not None else "m%03d_[0-9a-f]{8}" % i
        if not re.fullmatch(expected, found[i + 0.5]):
            print("U+%04X %s: %s, not %s" % (ord(c), c, found[i + 0.5], expected))
            wrong += 1
    return len(known), wrong


def orders_compare(entc, work):
    names = ["Ä", "A", "Â", "木", "鉄", "Tree 木", "Tree 鉄", "Дом", "dom", "Größe", "–", "—", "щ" * 150, "щ" * 149 + "ж",
             "木" * 100, "e\u0301", "é", "wall", "ｗａｌｌ"]
    places = [i + 0.5 for i in range(len(names))]
    r = random.Random(1)
    first, wrong = compiled(entc, work, names, places), 0
    for name, place in zip(names, places):
        if not re.fullmatch("[a-z0-9_-]{1,200}", first[place]):
            wrong += 1
    if len(set(first.values())) != len(names) or first[1.5] != "a" or first[9.5] != "grosse":
        wrong += 1
    for turn in range(3):
        pairs = list(zip(names, places))[::-1] if turn == 0 else r.sample(list(zip(names, places)), len(names))
        other = compiled(entc, work, [pair[0] for pair in pairs], [pair[1] for pair in pairs])
        for name, place in pairs:
            if other[place] != first[place]:
                print("%s: %s, and %s in another order" % (name, first[place], other[place]))
                wrong += 1
    return len(names), wrong


def main():
    entc, work = sys.argv[1:3]
    letters, orders = letters_compare(entc, work), orders_compare(entc, work)
    print("%d names compared, %d differ" % (letters[0] + orders[0], letters[1] + orders[1]))
    return 1 if letters[1] + orders[1] else 0


if __name__ == "__main__":
    sys.exit(main())
