#!/usr/bin/env python3
"""number_oracle.py - compares the numbers in compiled blobs with the exact values of their texts.

    number_oracle.py ENTC WORK

Writes a project below WORK, compiles it with ENTC, and searches the blobs for the bits that fractions of
integers give: the f32 next to each decimal, of two the even one. The decimals are random ones, halves
between two f32 exactly and with one digit more or less at the 30th place, numbers below the smallest
normal f32, and numbers around the largest one; as fields of a component in a level, as defaults of
declarations, and in a model as translations of nodes and in extras. Integers have several forms.

Prints one line per difference, then a tally; exit 0 when nothing differs.
"""

import json
import math
import os
import random
import struct
import subprocess
import sys
from fractions import Fraction

LARGEST = Fraction((2**24 - 1) * 2**104)
OVERFLOW = Fraction((2**25 - 1) * 2**103)  # this and all above it are no finite f32


def f32_bits(text):
    """The bits of the f32 next to a decimal; None when it is not finite."""
    value = abs(Fraction(text))
    sign = 0x80000000 if text[0] == "-" else 0
    if value >= OVERFLOW:
        return None
    unit = Fraction(1, 2**149)
    bits = (value / unit).__floor__().bit_length()
    unit *= 2 ** max(bits - 24, 0)
    steps, rest = divmod(value / unit, 1)
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and steps % 2):
        steps += 1
    integer = steps * unit
    return sign | struct.unpack("<I", struct.pack("<f", float(integer)))[0]  # exactly representable


def decimal(value, digits):
    """A positive fraction with a power of two below the line, cut after that many digits: the digits and
    the power of ten of the last one."""
    power = math.floor(math.log10(value)) + 1 - digits
    return int(value / Fraction(10) ** power), power


def forms(r, digits, power):
    """One of the ways to write digits * 10^power."""
    text = str(digits)
    choice = r.randrange(4)
    if choice == 0 and -60 < power < 20:
        if power >= 0:
            return text + "0" * power
        text = text.rjust(1 - power, "0")
        return text[:power] + "." + text[power:]
    if choice == 1:
        return "%s.%sE%+d" % (text[0], text[1:] or "0", power + len(text) - 1)
    if choice == 2:
        return "0.000%se%d" % (text, power + len(text) + 3)
    return "%se%d" % (text, power)


def decimals(r, count):
    texts = ["0", "-0", "0.0", "-0e5", "0.1", "1e-400", "-1e-400", "0.30000001192092896", "3.4028234663852886e38"]
    while len(texts) < count:
        kind = r.randrange(8)
        low = r.randrange(0x7f800000 - 1)
        if kind == 0:
            low = r.randrange(0x800000)
        elif kind == 1:
            low = 0x7f7ffffe - r.randrange(4)
        elif kind < 5:
            low = struct.unpack("<I", struct.pack("<f", r.choice([1, 10, 1000, 2**24]) * r.random()))[0]
        a, b = (Fraction(struct.unpack("<f", struct.pack("<I", low + i))[0]) for i in (0, 1))
        half = (a + b) / 2
        digits, power = decimal(half, 130)  # of which it has fewer
        assert digits * Fraction(10) ** power == half
        form = r.randrange(6)
        if form == 0:
            texts.append(forms(r, *decimal(half, r.choice([5, 9, 15, 16, 17, 18, 19, 20, 25]))))
        elif form == 1:
            cut, place = decimal(half, 30)
            texts.append(forms(r, cut + r.choice([-1, 0, 1]), place))
        elif form == 2:
            texts.append(forms(r, digits + r.choice([-1, 0, 1]), power))
        elif form == 3:
            while digits % 10 == 0:
                digits, power = digits // 10, power + 1
            texts.append(forms(r, digits, power))
        elif form == 4:
            texts.append(repr(float(half) * r.choice([1, 1 + 2**-52, 1 - 2**-53])))
        else:
            texts.append(repr(round(r.uniform(-1000, 1000), r.randrange(8))))
        if r.random() < 0.3 and texts[-1][0] != "-":
            texts[-1] = "-" + texts[-1]
        if f32_bits(texts[-1]) is None:
            texts.pop()
    return texts


INTEGER = [("0", 0), ("-0", 0), ("1e3", 1000), ("1000.0", 1000), ("100e-2", 1), ("16777217", 16777217),
         ("2147483647", 2147483647), ("2147483647.000000000000000000000", 2147483647), ("33554433e0", 33554433),
         ("0.16777217e8", 16777217), ("20000000000000000000000000e-25", 2), ("0.000e400", 0)]
SIGNED = INTEGER + [("-2147483648", -2147483648), ("-16777217", -16777217), ("-2147483648e-0", -2147483648)]
UNSIGNED = INTEGER + [("4294967295", 4294967295), ("42949672950e-1", 4294967295)]
REFUSED = ["1.5", "2147483648", "-2147483649", "1.00000000000000000000001", "1.00000000000000001", "1e-400", "1e10",
           "16777216.9999999999999999999", "2147483647.1"]
OVERFLOWS = ["3.4028235677973366163753939545815e38", "3.4028236e38", "-3.40282356779733661637539395458142568448e38",
             "1e39", "340282356779733661637539395458142568448"]


class Project:
    def __init__(self, entc, work):
        self.entc, self.work, self.compared, self.wrong = entc, work, 0, 0
        os.makedirs(os.path.join(work, "src"), exist_ok=True)

    def write(self, name, text):
        with open(os.path.join(self.work, "src", name), "w") as file:
            file.write(text)

    def build(self):
        return subprocess.run([self.entc, "build", "src", "-o", "out", "-q"], cwd=self.work, capture_output=True,
                              text=True)

    def report(self, text):
        self.wrong += 1
        print(text)

    def has(self, blob, bits, what):
        """Each group of `bits` is somewhere in the blob, as little-endian words."""
        with open(os.path.join(self.work, "out", blob), "rb") as file:
            data = file.read()
        for words, text in zip(bits, what):
            self.compared += len(words)
            if struct.pack("<%dI" % len(words), *words) not in data:
                self.report("%s: no %s for %s" % (blob, " ".join("%08x" % word for word in words), text))

    def refuses(self, component, field, texts):
        """A level with these values has one error for each."""
        rows = ['{ "name": "e%d", "components": { "%s": { "%s": %s } } }' % (i, component, field, text)
                for i, text in enumerate(texts)]
        self.write("refused.level.json", '{ "entities": [\n' + ",\n".join(rows) + "\n] }\n")
        done = self.build()
        lines = {line.split(":")[1] for line in done.stderr.splitlines() if ": error: " in line}
        for i, text in enumerate(texts):
            self.compared += 1
            if str(i + 2) not in lines:
                self.report("%s.%s: %s is accepted" % (component, field, text))
        os.remove(os.path.join(self.work, "src", "refused.level.json"))


def groups(texts, count):
    return [texts[i : i + count] for i in range(0, len(texts) - count + 1, count)]


def main():
    project = Project(*sys.argv[1:3])
    r = random.Random(1)
    write = project.write
    vectors, singles = groups(decimals(r, 6000), 4), decimals(r, 2000)
    moves = groups([t for t in decimals(r, 1500) if abs(Fraction(t)) < 10**6], 3)
    given, defaults = decimals(r, 500), groups(decimals(r, 40), 4)
    # The words of a field are one column of the blob, in the order of the entities.
    write("v.component.json", '{ "fields": { "f": { "type": "f32", "count": 4 } } }')
    write("s.component.json", '{ "fields": { "f": { "type": "f32" } } }')
    write("i.component.json", '{ "fields": { "f": { "type": "i32" } } }')
    write("u.component.json", '{ "fields": { "f": { "type": "u32" } } }')
    for i, row in enumerate(defaults):
        write("d%d.component.json" % i,
              '{ "fields": { "f": { "type": "f32", "count": 4, "default": [%s] } } }' % ", ".join(row))
    values = [("v", "[ %s ]" % " , ".join(row)) for row in vectors[::2]]
    values += [("v", "[%s]" % ",".join(row)) for row in vectors[1::2]]
    values += [("s", text) for text in singles]
    values += [("i", text) for text, _ in SIGNED] + [("u", text) for text, _ in UNSIGNED]
    rows = ['{ "name": "e%d", "components": { "%s": { "f": %s } } }' % (i, *value) for i, value in enumerate(values)]
    rows += ['{ "name": "d%d", "components": { "d%d": {} } }' % (i, i) for i in range(len(defaults))]
    write("l.level.json", '{ "entities": [\n' + ",\n".join(rows) + "\n] }\n")
    nodes = ['{ "name": "n%d", "translation": [%s] }' % (i, ", ".join(row)) for i, row in enumerate(moves)]
    nodes += ['{ "name": "g%d", "extras": { "s": { "f": %s } } }' % (i, text) for i, text in enumerate(given)]
    write("m.gltf", '{ "asset": { "version": "2.0" }, "scene": 0, "scenes": [ { "nodes": %s } ],\n"nodes": [\n%s\n] }\n'
          % (json.dumps(list(range(len(nodes)))), ",\n".join(nodes)))
    done = project.build()
    if done.returncode:
        print(done.stderr, end="")
        return 1
    project.has("l.level", [[f32_bits(text) for text in row] for row in vectors], vectors)
    project.has("l.level", [[f32_bits(text) for text in singles]], ["the numbers"])
    project.has("l.level", [[number & 0xffffffff for _, number in SIGNED]], ["i32"])
    project.has("l.level", [[number for _, number in UNSIGNED]], ["u32"])
    project.has("l.level", [[f32_bits(text) for text in row] for row in defaults], defaults)
    project.has("m.entity", [[f32_bits(text) for text in row] for row in moves], moves)
    project.has("m.entity", [[f32_bits(text) for text in given]], ["extras"])
    project.refuses("i", "f", REFUSED)
    project.refuses("u", "f", ["-1", "4294967296", "4294967295.5", "1.00000000000000001"])
    project.refuses("s", "f", OVERFLOWS)
    print("%d numbers compared, %d differ" % (project.compared, project.wrong))
    return 1 if project.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
