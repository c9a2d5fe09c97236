"""The long forms of all sweeps, one after the other: a table, and tests/long.csv.

    python3 tests/sweeps/long.py               all rows, many hours
    python3 tests/sweeps/long.py --quick       each in a reduced form, some minutes in all
    python3 tests/sweeps/long.py --list        the names and the commands
    python3 tests/sweeps/long.py --only NAME   this row; may be given several times

The output of every command ends with the line `N passed, N failed`; an exit code other than 0, no such line, or
a row that exceeds its time counts as one more failure. After a failed row the others still run.
tests/long.csv is written after each row: name, count (of checks, or from a line `counted: ..` of the command),
duration in seconds, findings. Rows that did not run keep their lines. Not with --quick."""
import argparse
import csv
import os
import re
import signal
import subprocess
import sys
import time

FAULTS = ("make -s all build/release/fault_shim.so build/release/case_shim.so build/release/tool_host && "
          "python3 tests/faults/faults_all.py build/release build/faults_all")
HISTORIES = ("make -s all build/release/tests/plugins/plugin_wind.so build/release/case_shim.so && "
             "python3 tests/faults/histories.py build/release build/histories --jobs 2")
WATCHES = "make -s all && python3 tests/faults/watches.py build/release build/watches --jobs 2"

# name, description, command, its reduced form (None: there is none), the bound in hours
ROWS = (
    ("sweep", "every value of every byte of blobs, under sanitizers", "make sweep", None, 2),
    ("simulate", "worlds under random steps beside a naive model", "make simulate seed=1 steps=8000000",
     "make simulate seed=1 steps=20000", 2),
    ("simulate-sanitize", "the same under sanitizers", "make config=sanitize simulate seed=2 steps=1000000",
     "make config=sanitize simulate seed=2 steps=5000", 4),
    ("scenes", "all tests under sanitizers, with the scenes that vary those of other suites",
     "make config=sanitize test complete=1", "make config=sanitize test complete=1 filter=water_light", 4),
    ("overrides", "10,000 random prefabs with structural overrides beside a plain model, and 300 renamed entities",
     "make -s all build/release/tests/run && TEST_FULL=1 TEST_SECONDS=7200 build/release/tests/run overrides",
     "make -s all build/release/tests/run && build/release/tests/run overrides", 2),
    ("evolution", "random chains of ten changes of a declaration: saves of each age under each later declaration",
     "make evolution seed=1 chains=100000", "make evolution seed=1 chains=2000", 2),
    ("walls", "20,000 steps of a column of fluid at rest, and the front of a dam break with 87,120 particles",
     "make -s all build/release/tests/run && TEST_FULL=1 build/release/tests/run sph_walls",
     "make -s all build/release/tests/run && build/release/tests/run sph_walls", 1),
    ("town", "200 frames of a town with shadow maps that are kept, and with all drawn anew",
     "make -s all build/release/tests/run && TEST_FULL=1 build/release/tests/run meshes_town && TEST_FULL=1 build/release/tests/run meshes_drops",
     "make -s all build/release/tests/run && build/release/tests/run meshes_town", 1),
    ("watch", "random edits of a folder that is watched", "make test-watch", None, 1),
    ("faults", "kills, errors and edits around builds; the same bytes everywhere", "make faults parts=builds", None, 2),
    ("histories", "random histories of a project: after each step the result of a build from nothing",
     f"{HISTORIES} --seed 1 --steps 100000", f"{HISTORIES} --seed 1 --steps 200", 8),
    ("histories-case", "the same on a file system that ignores case",
     f"{HISTORIES} --ignore-case --seed 2 --steps 20000", f"{HISTORIES} --ignore-case --seed 2 --steps 80", 4),
    ("watches", "random edits of a folder that `entc build --watch` follows: each build that of a new program",
     f"{WATCHES} --seed 1 --steps 20000", f"{WATCHES} --seed 1 --steps 80", 4),
    ("commands", "each call of the system that a command makes fails once, or a kill comes before it",
     f"{FAULTS} imports trace calls kills", f"{FAULTS} --short imports calls kills", 8),
    ("allocations", "each allocation fails: it alone, and it and all later ones", f"{FAULTS} memory",
     f"{FAULTS} --short memory", 8),
    ("fuzz", "coverage-guided inputs for each reader", "make fuzz-all seconds=120", "make fuzz-all seconds=5", 4),
    ("moves", "every resource moved and moved back; a move killed at every call",
     "make -s test-built && TEST_FULL=1 TEST_SECONDS=14400 build/release/tests/run move",
     "make -s test-built && build/release/tests/run move", 2),
    ("growth", "instructions per doubling of the input", "make -s all && python3 tests/sweeps/growth.py build/release", None, 4),
    ("mutate", "conditions of the readers negated or removed", "make mutate", None, 24),
    ("operators", "single operators changed at random places of code that changed since 2026-11-22",
     "make mutate-operators sample=200 seed=1 since=2026-11-22 resume=1",
     "make mutate-operators sample=2 seed=1 since=2026-11-22 resume=1", 12),
    ("environments", "all tests under nohup, without stdin, as another user, without HOME, with umask 077",
     "tests/sweeps/environments.sh", "tests/sweeps/environments.sh simulate", 4),
)
CSV = "tests/long.csv"
COLUMNS = ("name", "what", "how many", "seconds", "findings")

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--only", action="append", default=[], metavar="NAME", choices=[row[0] for row in ROWS])
parser.add_argument("--quick", action="store_true")
parser.add_argument("--list", action="store_true")
options = parser.parse_args()


def ended(process):
    """Ends a row in progress, with all programs of its process group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run(command, hours):
    """(exit code or None after a timeout, lines of the output); the output is also printed."""
    process = subprocess.Popen(command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    lines, last = [], time.monotonic() + hours * 3600
    os.set_blocking(process.stdout.fileno(), False)
    rest = b""
    try:
        while True:
            piece = process.stdout.read()
            if piece == b"":
                break
            if piece is None:
                if time.monotonic() > last:
                    ended(process)
                    return None, lines
                time.sleep(0.05)
                continue
            sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
            *complete_lines, rest = (rest + piece).split(b"\n")
            lines = (lines + [line.decode(errors="replace") for line in complete_lines])[-2000:]
        return process.wait(), lines
    except BaseException:
        ended(process)
        raise


def tally_of(code, lines, hours):
    """(passed, failed, skipped, the reason for a failure besides those of the tally)"""
    found = [line for line in lines if line and not re.match(r"make(\[\d+\])?: ", line)]
    match = re.fullmatch(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", found[-1] if found else "")
    passed, failed, skipped = (int(text or 0) for text in match.groups()) if match else (0, 0, 0)
    if code is None:
        return passed, failed + 1, skipped, f"has not ended after {hours} hours"
    if not match:
        return 0, 1, 0, f"exit code {code}, and the last line is not a tally"
    if code != 0 and failed == 0:
        return passed, 1, skipped, f"exit code {code} without a failure in the tally"
    if passed + failed + skipped == 0:
        return 0, 1, 0, "has checked nothing"
    return passed, failed, skipped, ""


def csv_read():
    if not os.path.exists(CSV):
        return {}
    with open(CSV, newline="", encoding="utf-8") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def csv_write(results):
    kept = {**csv_read(), **results}
    with open(CSV + ".new", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        for name, *_ in ROWS:
            if name in kept:
                writer.writerow(kept[name])
    os.replace(CSV + ".new", CSV)


def table_print(results):
    print()
    print(f"{'name':18} {'how many':>22} {'seconds':>8} {'findings':>8}")
    for row in results.values():
        print(f"{row['name']:18} {row['how many']:>22} {row['seconds']:>8} {row['findings']:>8}  {row['why']}")


def main():
    chosen = [row for row in ROWS if not options.only or row[0] in options.only]
    if options.list:
        for name, what, command, little, hours in chosen:
            print(f"{name}: {what}; at most {hours} hours\n    {command}\n    quick: {little or 'left out'}")
        return 0
    passed = failed = skipped = 0
    results = {}
    for name, what, command, little, hours in chosen:
        command = little if options.quick else command
        if command is None:
            continue
        print(f"=== {name}: {command}", flush=True)
        start = time.monotonic()
        code, lines = run(command, hours)
        fine, findings, left, why = tally_of(code, lines, hours)
        passed, failed, skipped = passed + fine, failed + findings, skipped + left
        counted = [line[9:] for line in lines if line.startswith("counted: ")]
        results[name] = {"name": name, "what": what, "how many": counted[-1] if counted else fine + findings,
                         "seconds": round(time.monotonic() - start), "findings": findings, "why": why}
        if not options.quick:
            csv_write(results)
    table_print(results)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


sys.exit(main())
