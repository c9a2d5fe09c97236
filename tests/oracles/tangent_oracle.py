"""tangent_oracle.py - tangents of triangles, as a plain model of the method that glTF requires (MikkTSpace).

Corners with equal position, normal and texture coordinates are one vertex. Two triangles with a common edge belong to
the same group at each of its ends when the texture has the same handedness in both. The tangent of a group is the sum
of the directions of u in its triangles, in the plane of the normal, weighted by their angles at the vertex.

What is not unique has no answer: vertices at an edge of more than two triangles, and those of a triangle without area
on the surface or in the texture. Doubles; Python 3.9, standard library only.
"""
import json
import math
import os

FLAT = 1e-5  # less than this part of the squared size is no area


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def unit(a):
    length = math.sqrt(dot(a, a))
    return [x / length for x in a] if length > 0 else a


def in_plane(a, normal):
    return unit([x - dot(a, normal) * n for x, n in zip(a, normal)])


def face_normal(a, b, c):
    u, v = minus(b, a), minus(c, a)
    return unit([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])


class Face:
    def __init__(self, corners):
        """Three of (position, normal, uv)."""
        a, b, c = [position for position, _, _ in corners]
        u = [minus(uv, corners[0][2]) for _, _, uv in corners]
        area = u[1][0] * u[2][1] - u[1][1] * u[2][0]
        size = max(map(abs, u[1] + u[2])) ** 2
        self.corners, self.positive = corners, area > 0
        self.along = [(u[2][1] * p - u[1][1] * q) * (1 if area > 0 else -1)
                      for p, q in zip(minus(b, a), minus(c, a))]
        sides = [dot(minus(p, q), minus(p, q)) for p, q in ((a, b), (b, c), (c, a))]
        d, e = minus(b, a), minus(c, a)
        surface = dot(d, d) * dot(e, e) - dot(d, e) ** 2
        self.thin = surface <= FLAT * FLAT * max(sides) ** 2
        self.unsure = abs(area) <= FLAT * size or self.thin


def tangents_of(triangles):
    """For each corner (x, y, z, w), or None."""
    faces = [Face(corners) for corners in triangles]
    parent = list(range(len(faces) * 3))
    edges, unsure = {}, set()

    def root(i):
        while parent[i] != i:
            i = parent[i]
        return i

    for t, face in enumerate(faces):
        if face.unsure or len(set(face.corners)) < 3:
            unsure.update(face.corners)
        for i in range(3):
            edges.setdefault((face.corners[i], face.corners[(i + 1) % 3]), []).append(t * 3 + i)
    for (a, b), sides in edges.items():
        others = edges.get((b, a), [])
        if len(sides) > 1 or len(others) > 1:
            unsure.update((a, b))
        for side in sides:
            for other in others:
                t, o = side // 3, other // 3
                if faces[t].positive == faces[o].positive:
                    parent[root(side)] = root(o * 3 + (other + 1) % 3)
                    parent[root(t * 3 + (side + 1) % 3)] = root(other)
    sums = {}
    for t, face in enumerate(faces):
        for i, (position, normal, _) in enumerate(face.corners):
            to, back = [in_plane(minus(face.corners[(i + k) % 3][0], position), normal) for k in (1, 2)]
            angle = math.acos(max(-1.0, min(1.0, dot(to, back))))
            total = sums.setdefault(root(t * 3 + i), [0.0, 0.0, 0.0])
            for k, value in enumerate(in_plane(face.along, normal)):
                total[k] += angle * value
    out = []
    for t, face in enumerate(faces):
        for i, corner in enumerate(face.corners):
            total = sums[root(t * 3 + i)]
            known = corner not in unsure and dot(total, total) > 1e-6
            out.append((*unit(total), -1.0 if face.positive else 1.0) if known else None)
    return out


def compare(report, title, triangles, stored, displaced=False):
    """`stored`: the tangent of each corner; `displaced`: of a morph target, without the sign."""
    known = tangents_of(triangles)
    if os.environ.get("TANGENTS"):
        with open(os.environ["TANGENTS"], "a", encoding="utf-8") as out:
            out.write(json.dumps([title, triangles, stored, displaced, [want is not None for want in known]]) + "\n")
    for i, (got, want) in enumerate(zip(stored, known)):
        length = math.sqrt(dot(got[:3], got[:3]))
        report.check("%s, corner %d: the length of the tangent" % (title, i), abs(length - 1) < 1e-4, repr(length))
        if want:
            count = 3 if displaced else 4
            report.check("%s, corner %d: the tangent" % (title, i),
                         all(abs(x - y) < 2e-4 for x, y in zip(got[:count], want)), "%r, expected %r" % (got, want))
