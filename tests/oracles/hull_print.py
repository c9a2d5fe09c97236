"""Prints compiled meshes for hull_oracle.cpp.

    hull_print.py POINTS FOLDER

The meshes of FOLDER in the order of POINTS: name, number of positions and of indices, and these.
"""
import os
import sys
from pathlib import Path

import format_reader


def main():
    page = format_reader.Page(Path(__file__).resolve().parent.parent.parent / "formats" / "FORMAT.md")
    with open(sys.argv[1], encoding="utf-8") as file:
        names = [line.split()[0] for line in file if len(line.split()) == 2]
    for name in names:
        blob = format_reader.read_blob(page, os.path.join(sys.argv[2], name + ".mesh"))
        positions = [row[0] for row in blob.rows_of("position")]
        indices = [row[0] for row in blob.rows_of("index")]
        print(name, len(positions), len(indices))
        for p in positions:
            print("%.9g %.9g %.9g" % tuple(p))
        print(*indices)


main()
