#!/usr/bin/env python3
"""make_pools.py FOLDER - the pool of make_models.py, whose water moves and refracts, another one whose water does neither, and a
texture for a light. Standard library only."""
import sys
from pathlib import Path

from make_models import png, pool


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("pool", "pool_still"):
        file = pool()
        if name == "pool_still":
            for material in file.json["materials"]:
                for key in ("normal_scroll", "refraction"):
                    material.get("extras", {}).pop(key, None)
        file.write(folder / (name + ".gltf"))
    (folder / "leaves.png").write_bytes(png(64, 64, 2, lambda x, y: (255, 255, 255) if (x // 8 + y // 8) % 2 else (40, 60, 30)))


if __name__ == "__main__":
    main()
