#!/usr/bin/env python3
"""make_loading.py - writes models and images of many bytes, and a level with all of them.

    make_loading.py FOLDER MODELS SIDE IMAGES

MODELS grids with SIDE x SIDE vertices, whose heights are random, and IMAGES images of 2048 x 2048 random pixels that
are compiled to rgba8. The same bytes on every run. Python 3.9, standard library only.
"""
import array
import json
import random
import struct
import sys
import zlib
from pathlib import Path

from make_features import F32, Model

PIXELS = 2048
U32 = 5125


def positions(side, dice):
    heights = array.array("H", dice.randbytes(side * side * 2))
    return array.array("f", [v for i in range(side * side)
                             for v in (i % side * 0.1, heights[i] / 65536, i // side * 0.1)])


def grid(folder, name, side, dice, faces):
    model = Model()
    rows = positions(side, dice)
    place = model.add("accessors", {"bufferView": model.view(rows.tobytes()), "componentType": F32, "count": side * side,
                                    "type": "VEC3", "min": [min(rows[i::3]) for i in range(3)],
                                    "max": [max(rows[i::3]) for i in range(3)]})
    indices = model.add("accessors", {"bufferView": model.view(faces), "componentType": U32, "count": len(faces) // 4,
                                      "type": "SCALAR"})
    part = {"attributes": {"POSITION": place}, "indices": indices}
    model.add("nodes", {"mesh": model.add("meshes", {"name": "grid", "primitives": [part]})})
    model.save(folder, name)


def squares(side):
    out = array.array("I")
    for z in range(side - 1):
        for x in range(side - 1):
            at = z * side + x
            out.extend((at, at + side, at + 1, at + 1, at + side, at + side + 1))
    return out.tobytes()


def image(path, dice):
    rows = b"".join(b"\0" + dice.randbytes(PIXELS * 4) for _ in range(PIXELS))
    parts = [(b"IHDR", struct.pack(">IIBBBBB", PIXELS, PIXELS, 8, 6, 0, 0, 0)), (b"IDAT", zlib.compress(rows, 0)),
             (b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts))


def main():
    folder, models, side, images = Path(sys.argv[1]), *map(int, sys.argv[2:])
    folder.mkdir(parents=True, exist_ok=True)
    dice, faces, entities = random.Random(5), squares(side), []
    for i in range(images):
        image(folder / f"noise{i}.png", dice)
        (folder / f"noise{i}.texture.json").write_text(json.dumps({"format": "rgba8"}))
        (folder / f"paint{i}.material.json").write_text(json.dumps(
            {"textures": {"base_color": {"texture": f"noise{i}"}}}))
    for i in range(models):
        grid(folder, f"grid{i}", side, dice, faces)
        entities.append({"name": f"e{i}", "components": {"mesh": {"resource": f"grid{i}/grid"}, "transform": {}}})
    for i in range(images):
        entities.append({"name": f"d{i}", "components": {"decal": {"color_texture": f"noise{i}"}, "transform": {}}})
    (folder / "loading.level.json").write_text(json.dumps({"entities": entities}))


if __name__ == "__main__":
    main()
