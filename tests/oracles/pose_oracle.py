"""pose_oracle.py - compares where libent and Blender put the objects of a scene at times of its animations.

    pose_oracle.py times POSES                prints the times of the poses, in seconds
    pose_oracle.py compare POSES FOUND        prints each difference, and at the end the largest deviation
    pose_oracle.py self                       the comparison finds what it has to

POSES: what blender_scenes.py writes, with matrices whose Z axis points upwards. FOUND: what tool_pose prints at these
times. Blender's matrices are converted to the axes of glTF by what its exporter states, not by what was found: the
world is turned by -90 degrees around X. The axes of objects are turned with it; those of cameras and lights are not,
because both formats let them look along -Z, with Y upwards. Armatures and the meshes that they deform only have to be
there: they are a part of the skeleton, which moves vertices and what is attached to it, and not their entities.
After a comparison without differences, the same numbers have to be refused with the poses of other times, with axes
that are not converted, and without each of the objects.
"""
import json
import math
import pathlib
import sys

# Relative to the extent of the scene, in which positions and axes are compared alike.
BOUND = 1e-6
WEIGHT_BOUND = 1e-5
# A wrong comparison has to exceed the bound by this factor in some object.
CLEARLY = 100
GLTF_FROM_BLENDER = [[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]]
BLENDER_FROM_GLTF = [list(row) for row in zip(*GLTF_FROM_BLENDER)]
IDENTITY = [[float(r == c) for c in range(4)] for r in range(4)]


def product(a, b):
    return [[sum(a[r][k] * b[k][c] for k in range(4)) for c in range(4)] for r in range(4)]


def converted(numbers, kind, turn=True):
    """The 12 numbers of a matrix of Blender in the axes of glTF."""
    matrix = [numbers[k:k + 4] for k in (0, 4, 8, 12)]
    if turn:
        matrix = product(product(GLTF_FROM_BLENDER, matrix), IDENTITY if kind == "view" else BLENDER_FROM_GLTF)
    return [v for row in matrix[:3] for v in row]


def compared(scene):
    return [o for o in scene["objects"] if o["kind"] != "skin"]


def wanted_of(scene, turn=True):
    """For each time: {name: 12 numbers}"""
    return [{o["name"]: converted(pose["matrices"][o["name"]], o["kind"], turn) for o in compared(scene)}
            for pose in scene["poses"]]


def weights_of(scene):
    return [pose["weights"] for pose in scene["poses"]]


def found_of(text, what, count):
    """For each time: {name: numbers}, of lines of tool_pose."""
    found = [{} for _ in range(count)]
    for line in text.splitlines():
        time, kind, path, numbers = line.split("\t")
        name = path.split("/")[-1]
        if kind != what:
            continue
        if name in found[int(time)]:
            raise ValueError("two entities are called " + name)
        found[int(time)][name] = [float(v) for v in numbers.split()]
    return found


def extent_of(wanted):
    """The largest side of what contains the origins of all objects at all times."""
    places = [[m[k] for k in (3, 7, 11)] for pose in wanted for m in pose.values()]
    return max(max(axis) - min(axis) for axis in zip(*places))


def deviation(one, other):
    return max(map(abs, (a - b for a, b in zip(one, other)))) if len(one) == len(other) else math.inf


def deviations(wanted, found):
    """[(time, name, deviation)], infinite when the entity is not there."""
    return [(time, name, deviation(numbers, found[time][name]) if name in found[time] else math.inf)
            for time, pose in enumerate(wanted) for name, numbers in pose.items()]


def errors_of(wanted, found, bound, what):
    errors = []
    for time, name, value in deviations(wanted, found):
        if value == math.inf:
            errors.append("%s, %s of pose %d: the entity is not there" % (name, what, time))
        elif not value <= bound:
            errors.append("%s, %s of pose %d deviates by %.3g, and %.3g is the bound:\n        %s\n        %s, expected"
                          % (name, what, time, value, bound, " ".join("%.6g" % v for v in found[time][name]),
                             " ".join("%.6g" % v for v in wanted[time][name])))
    return errors


def unrefuted(scene, found, bound):
    """What has to differ, and does not, as sentences."""
    wanted, errors = wanted_of(scene), []
    turned = wanted_of(scene, False)
    later = wanted[1:] + wanted[:1]
    for entry in compared(scene):
        name = entry["name"]

        def largest(poses):
            return max(v for _, n, v in deviations(poses, found) if n == name)

        if not largest(turned) > CLEARLY * bound:
            errors.append("%s is where it has to be in axes that are not converted, too" % name)
        if entry["moves"] and not largest(later) > CLEARLY * bound:
            errors.append("%s is where it has to be at the next time, too" % name)
        missing = [{n: m for n, m in pose.items() if n != name} for pose in found]
        if not errors_of(wanted, missing, bound, "matrix"):
            errors.append("without %s nothing differs" % name)
    if not any(entry["moves"] for entry in compared(scene)):
        errors.append("nothing moves")
    return errors


def compare(scene, text):
    """(errors, what was measured)"""
    wanted, weights = wanted_of(scene), weights_of(scene)
    found = found_of(text, "matrix", len(wanted))
    extent = extent_of(wanted)
    errors = errors_of(wanted, found, BOUND * extent, "matrix")
    errors += ["%s: there is no such entity" % o["name"]
               for o in scene["objects"] if o["kind"] == "skin" for pose in found if o["name"] not in pose]
    errors += errors_of(weights, found_of(text, "weights", len(wanted)), WEIGHT_BOUND, "weights")
    errors = errors or unrefuted(scene, found, BOUND * extent)
    largest = max(v for _, _, v in deviations(wanted, found))
    return errors, "%d poses of %d objects, %d of which move, at most %.2g of the extent" % (
        len(wanted), len(compared(scene)), sum(o["moves"] for o in compared(scene)), largest / extent)


# --- a scene that is known ---

def known_scene():
    """A box that moves along all axes, and a camera that it carries; weights of a morph target."""
    poses = []
    for time in range(4):
        c, s = math.cos(time * 0.3), math.sin(time * 0.3)
        at = [float(time), 2.0 * time + 1, 3.0 - time]
        box = [c, -s, 0, at[0], s, c, 0, at[1], 0, 0, 1, at[2], 0, 0, 0, 1]
        eye = [c, -s, 0, at[0], s, c, 0, at[1], 0, 0, 1, at[2] + 1, 0, 0, 0, 1]
        poses.append({"frame": time, "time": time / 24, "matrices": {"box": box, "eye": eye}, "weights": {"box": [time / 4]}})
    return {"objects": [{"name": "box", "kind": "object", "moves": True},
                        {"name": "eye", "kind": "view", "moves": True}], "poses": poses}


def known_text(scene, change=lambda time, name, numbers: numbers):
    """What tool_pose prints of it; `change` returns other numbers, or None."""
    lines = []
    for time, (pose, weights) in enumerate(zip(wanted_of(scene), weights_of(scene))):
        for kind, rows in (("matrix", pose), ("weights", weights)):
            for name, numbers in rows.items():
                numbers = change(time, (kind, name), list(numbers))
                if numbers:
                    lines.append("%d\t%s\t#1/%s\t%s" % (time, kind, name, " ".join("%.9g" % v for v in numbers)))
    return "\n".join(lines)


def self_check():
    scene = known_scene()
    wanted = wanted_of(scene)
    assert wanted[0]["box"][3::4] == [0, 3, -1], "the point 0 1 3 has Y upwards"
    assert wanted[0]["eye"] == [1, 0, 0, 0, 0, 0, 1, 4, 0, -1, 0, -1], "a camera without a rotation looks down"
    assert not compare(scene, known_text(scene))[0]
    quiet = 0.5 * BOUND * extent_of(wanted)
    assert not compare(scene, known_text(scene, lambda t, n, m: [v + quiet for v in m] if n[0] == "matrix" else m))[0]

    def changed(time, name, number, by):
        return lambda t, n, m: [v + by * (k == number) for k, v in enumerate(m)] if (t, n) == (time, name) else m

    for number in range(12):
        for name in ("box", "eye"):
            assert compare(scene, known_text(scene, changed(2, ("matrix", name), number, 3 * quiet)))[0], (name, number)
    assert compare(scene, known_text(scene, changed(1, ("weights", "box"), 0, 1e-4)))[0]
    for name in (("matrix", "box"), ("matrix", "eye"), ("weights", "box")):
        assert compare(scene, known_text(scene, lambda t, n, m: None if n == name and t == 3 else m))[0], name
    later = dict(scene, poses=scene["poses"][1:] + scene["poses"][:1])
    assert compare(scene, known_text(later))[0], "poses of other times"
    for kind in ("view", "object"):
        other = dict(scene, objects=[dict(o, kind=kind) for o in scene["objects"]])
        assert compare(scene, known_text(other))[0], "axes of cameras"
    skin = dict(scene, objects=scene["objects"] + [{"name": "rig", "kind": "skin", "moves": True}])
    assert compare(skin, known_text(scene))[0], "an armature without an entity"
    still = dict(scene, poses=scene["poses"][:1] * 4)
    assert compare(still, known_text(still))[0], "an object that moves does not"
    try:
        compare(scene, known_text(scene).replace("eye", "box"))
        raise AssertionError("two entities with a name")
    except ValueError:
        pass


def main(command, *arguments):
    if command == "self":
        self_check()
        return 0
    scene = json.loads(pathlib.Path(arguments[0]).read_text(encoding="utf-8"))
    if command == "times":
        print(" ".join(repr(pose["time"]) for pose in scene["poses"]))
        return 0
    errors, measured = compare(scene, pathlib.Path(arguments[1]).read_text(encoding="utf-8"))
    for error in errors[:20]:
        print("    " + error)
    print(measured)
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
