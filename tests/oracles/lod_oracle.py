#!/usr/bin/env python3
"""lod_oracle.py - measures levels of detail of compiled meshes.

    lod_oracle.py BLOB.mesh...

Reads the blob with format_reader.py. For each level:

  error      random points of the full surface, and all its corners, are not farther from the surface of the level than
             error_m. The largest distance found is at least a third of error_m, or below a thousandth of the size: a
             bound that is much too large is an error too.
  borders    of a mesh with more than one part: the open edges of each part, by position, are those of the full part, so
             that no gap opens beside another part.
  sides      no triangle of a closed part is turned around: the volume has the same sign and differs by less than half.

Prints `BLOB: N levels: INDICES error ERROR, ...`, and a line for each mismatch; exit 0 when there is none. Python 3.9,
standard library only.
"""
import random
import sys
from collections import Counter
from pathlib import Path

import format_reader

SAMPLES = 400


def minus(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def to_edge(p, a, b):
    along, to = minus(b, a), minus(p, a)
    length = dot(along, along)
    share = min(max(dot(to, along) / length, 0.0), 1.0) if length else 0.0
    rest = minus(to, tuple(share * v for v in along))
    return dot(rest, rest)


def to_triangle(p, a, b, c):
    """The square of the distance: to the plane when the point is above the triangle, else to an edge."""
    normal = cross(minus(b, a), minus(c, a))
    size = dot(normal, normal)
    if size and all(dot(cross(minus(v, u), minus(p, u)), normal) >= 0 for u, v in ((a, b), (b, c), (c, a))):
        return dot(minus(p, a), normal) ** 2 / size
    return min(to_edge(p, a, b), to_edge(p, b, c), to_edge(p, c, a))


def triangles(positions, indices):
    return [tuple(positions[i] for i in indices[k:k + 3]) for k in range(0, len(indices), 3)]


def point_in(triangle, chance):
    u, v = chance.random(), chance.random()
    if u + v > 1:
        u, v = 1 - u, 1 - v
    a, b, c = triangle
    return tuple(a[i] + u * (b[i] - a[i]) + v * (c[i] - a[i]) for i in range(3))


def distance(full, level, chance):
    """The largest distance that was found."""
    points = [point_in(chance.choice(full), chance) for _ in range(SAMPLES)]
    corners = sorted({corner for triangle in full for corner in triangle})
    points += corners if len(corners) <= SAMPLES else chance.sample(corners, SAMPLES)
    return max(min(to_triangle(p, *t) for t in level) for p in points) ** 0.5


def borders(faces):
    """Edges that belong to one triangle only, as pairs of positions."""
    edges = Counter()
    for a, b, c in faces:
        for edge in ((a, b), (b, c), (c, a)):
            edges[tuple(sorted(edge))] += 1
    return {edge for edge, count in edges.items() if count == 1}


def volume(faces):
    return sum(dot(a, cross(b, c)) for a, b, c in faces) / 6


def examine(page, path):
    """Returns the summary and the list of what is wrong."""
    blob = format_reader.read_blob(page, path)
    positions = [row[0] for row in blob.rows_of("position")]
    indices = [row[0] for row in blob.rows_of("index")]
    lod_indices = [row[0] for row in blob.rows_of("lod_index")]
    parts, ranges, lods = blob.rows_of("mesh_part"), blob.rows_of("lod_range"), blob.rows_of("mesh_lod")
    size = max(max(p[i] for p in positions) - min(p[i] for p in positions) for i in range(3))
    chance, faults, text = random.Random(1), [], []
    for level, row in enumerate(lods):
        error, worst, drawn = row[0], 0.0, 0
        for part, record in enumerate(parts):
            first, count = ranges[level * len(parts) + part]
            drawn += count
            topology, full_first, full_count = record[1], record[2], record[3]
            of_level, of_full = lod_indices[first:first + count], indices[full_first:full_first + full_count]
            if topology:
                if of_level != of_full:
                    faults.append("level %d, part %d: lines and points must be those of the mesh" % (level, part))
                continue
            full, simple = triangles(positions, of_full), triangles(positions, of_level)
            worst = max(worst, distance(full, simple, chance))
            if len(parts) > 1 and borders(full) != borders(simple):
                faults.append("level %d, part %d: another border" % (level, part))
            if not borders(full) and not 0.5 < volume(simple) / volume(full) < 1.5:
                faults.append("level %d, part %d: another volume" % (level, part))
        if worst > error:
            faults.append("level %d: a point is %g m away; error_m is %g" % (level, worst, error))
        if worst < error / 3 and error > size / 1000:
            faults.append("level %d: error_m is %g, but no point is farther than %g m" % (level, error, worst))
        text.append("%d error %.4f" % (drawn, error))
    return "%d levels: %s" % (len(lods), ", ".join(text)), faults


def main():
    page = format_reader.Page(Path(__file__).resolve().parent.parent.parent / "formats" / "FORMAT.md")
    failed = 0
    for path in sys.argv[1:]:
        summary, faults = examine(page, path)
        print("%s: %s" % (path, summary))
        for fault in faults:
            print("  " + fault)
        failed += len(faults)
    print("%d meshes, %d wrong" % (len(sys.argv) - 1, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
