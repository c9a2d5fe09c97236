"""picture_oracle.py - numbers of a compiled model and of its picture, one line per model, and their comparison.

    picture_oracle.py line NAME CODE LOG INFO [LIT]      prints the line of a model
    picture_oracle.py compare EXPECTED REPORTED          two files of one line; prints each difference
    picture_oracle.py light LIT DEPTH                    how bright the surfaces are that its lights reach
    picture_oracle.py palette ALBEDO PALETTE             the colours of the two planes of s_pal.py are those of their texture
    picture_oracle.py flat FROM TO                       copies a GLB file, and removes the normal maps of its materials
    picture_oracle.py self                               these checks find what they have to

LOG: what entc printed. INFO: output of `entc info --json`. LIT, DEPTH: pictures of the views of these names; in that of depth,
surfaces are grey and the sky is not. A line ends with the means of 8 x 6 parts of the picture, row by row. Python 3.9.
"""
import collections
import json
import pathlib
import re
import statistics
import struct
import sys

import picture_reader

COLUMNS, ROWS = 8, 6
# Devices differ in the least bits, and in single pixels at edges.
TOLERANCE = 5
MEDIAN_LOW, MEDIAN_HIGH = 0.1, 0.5
WHITE_SHARE = 0.01
# Of a channel: colours that are compressed in blocks of one colour have 5 or 6 bits.
COLOR_TOLERANCE = 8
# Below it, no light of the scene reaches a surface: outside the cone of a spot light.
UNLIT = 0.02
# Fewer pixels than this have no meaningful median.
SURFACE_SHARE = 0.01
WEIGHTS = 0.2126, 0.7152, 0.0722
SECTIONS = ("parent", "entities"), ("position", "vertices"), ("index", "indices")


def picture_of(path):
    return picture_reader.read_png(pathlib.Path(path).read_bytes())


def pixels_of(picture):
    return list(zip(*picture.planes[:3]))


def linear(value):
    value /= 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


LINEAR = [linear(v) for v in range(256)]


def means_of(picture):
    """Of the values as stored, because their differences look alike in dark and bright parts."""
    pixels, width, height = pixels_of(picture), picture.width, picture.height
    means = []
    for row in range(ROWS):
        for column in range(COLUMNS):
            part = [sum(w * v for w, v in zip(WEIGHTS, pixels[y * width + x]))
                    for y in range(row * height // ROWS, (row + 1) * height // ROWS)
                    for x in range(column * width // COLUMNS, (column + 1) * width // COLUMNS)]
            means.append(round(sum(part) / len(part)))
    return means


def line_of(name, code, log, info, lit=None):
    kinds = collections.Counter(re.findall(r"\[([EW][0-9]{4})\]$", pathlib.Path(log).read_text(encoding="utf-8"), re.M))
    text = "%s exit %s diagnostics %s" % (name, code, ",".join("%s*%d" % k for k in sorted(kinds.items())) or "none")
    if code == "0":
        counts = {s["name"]: s["count"] for s in json.loads(pathlib.Path(info).read_text(encoding="utf-8"))["sections"]}
        text += "".join(" %s %d" % (label, counts.get(section, 0)) for section, label in SECTIONS)
    if lit:
        text += " picture " + " ".join(map(str, means_of(picture_of(lit))))
    return text


def differences(expected, reported):
    """Of two lines, as sentences."""
    (expected, _, one), (reported, _, other) = expected.partition(" picture "), reported.partition(" picture ")
    found = [] if expected == reported else ["expected: " + expected, "reported: " + reported]
    one, other = [int(v) for v in one.split()], [int(v) for v in other.split()]
    if len(one) != len(other):
        return found + ["%d means are expected, and %d are there" % (len(one), len(other))]
    return found + ["the mean of column %d, row %d is %d, and %d is expected" % (k % COLUMNS, k // COLUMNS, b, a)
                    for k, (a, b) in enumerate(zip(one, other)) if abs(a - b) > TOLERANCE]


def light_errors(lit, depth):
    """(what is wrong, what was measured)"""
    surfaces = [p for p, (r, g, b) in zip(lit, depth) if r == g == b]
    if len(surfaces) < SURFACE_SHARE * len(depth):
        return [], "no surfaces"
    bright = [v for v in (sum(w * LINEAR[c] for w, c in zip(WEIGHTS, p)) for p in surfaces) if v > UNLIT]
    if not bright:
        return ["no surface is lit"], "no light"
    errors = []
    median = statistics.median(bright)
    white = sum(max(p) == 255 for p in lit) / len(lit)
    if not MEDIAN_LOW <= median <= MEDIAN_HIGH:
        errors.append("the median luminance of lit surfaces is %.3f, not from %g to %g" % (median, MEDIAN_LOW, MEDIAN_HIGH))
    if white >= WHITE_SHARE:
        errors.append("%.1f %% of the pixels have a channel of 255" % (100 * white))
    return errors, "median luminance %.3f, white %.2f %%" % (median, 100 * white)


def palette_errors(albedo, palette):
    """The camera of s_pal.py shows 4.5 m around 1.65 m; its planes are 1 m wide, 1.1 m apart, with 8 x 8 colours."""
    per_m, errors, seen, wanted = albedo.width / 4.5, [], pixels_of(albedo), pixels_of(palette)
    for plane in range(2):
        for k, color in enumerate(wanted):
            x = albedo.width / 2 + (plane * 1.1 - 1.65 - 0.5 + (k % 8 + 0.5) / 8) * per_m
            y = albedo.height / 2 + ((k // 8 + 0.5) / 8 - 0.5) * per_m
            actual = seen[int(y) * albedo.width + int(x)]
            if max(abs(a - b) for a, b in zip(color, actual)) > COLOR_TOLERANCE:
                errors.append("the color %d of plane %d is %s, and %s is right" % (k, plane, actual, color))
    return errors


def flat_write(source, target):
    data = pathlib.Path(source).read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    model = json.loads(data[20:20 + size])
    for material in model["materials"]:
        del material["normalTexture"]
    text = json.dumps(model).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + size:]
    pathlib.Path(target).write_bytes(struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
                                     + text + rest)


def self_check():
    grey, white, black, dim = (150,) * 3, (255,) * 3, (0,) * 3, (60,) * 3
    sky, surface = (34, 40, 50), (90,) * 3
    half = [sky] * 50 + [surface] * 50
    assert not light_errors([sky] * 50 + [grey] * 50, half)[0]
    assert not light_errors([sky] * 50 + [grey] * 10 + [(20,) * 3] * 40, half)[0]
    for wrong in (white, black, dim):
        assert light_errors([sky] * 50 + [wrong] * 50, half)[0], wrong
    assert light_errors([sky] * 50 + [grey] * 48 + [(255, 0, 0)] * 2, half)[0]
    line = "m exit 0 diagnostics W0410*1 entities 3 vertices 8 indices 36 picture " + " ".join(["100"] * COLUMNS * ROWS)
    assert not differences(line, line)
    assert not differences(line, line.replace("100", "%d" % (100 + TOLERANCE), 1))
    for one, other in (("100", "%d" % (101 + TOLERANCE)), (" 100", ""), ("exit 0", "exit 3"), ("*1", "*2"), ("36", "39"), ("8", "9")):
        assert differences(line, line.replace(one, other, 1)), one


def main(command, *arguments):
    if command == "line":
        print(line_of(*arguments))
    elif command == "flat":
        flat_write(*arguments)
    elif command == "self":
        self_check()
    else:
        if command == "compare":
            errors = differences(*(pathlib.Path(a).read_text(encoding="utf-8").strip() for a in arguments))
        elif command == "palette":
            errors = palette_errors(*map(picture_of, arguments))
        else:
            errors, measured = light_errors(*(pixels_of(picture_of(a)) for a in arguments))
            print(measured)
        for error in errors:
            print("    " + error)
        return bool(errors)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
