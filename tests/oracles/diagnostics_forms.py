"""Runs entc on the invalid inputs of tests/cases and compares its machine-readable output with the
published formats: every JSON line with formats/diagnostics.schema.json, SARIF with the rules of its
2.1.0 specification that a viewer depends on, GitHub's commands with what GitHub shows.

    diagnostics_forms.py ENTC SCHEMA FOLDER CASES...
"""
import json
import os
import re
import subprocess
import sys
from urllib.parse import unquote

from jsonschema import Draft7Validator

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from case_files import cases_of  # noqa: E402

ENTC, SCHEMA, FOLDER = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
# RFC 3986: a relative reference whose first segment has no colon, or an absolute path.
URI = re.compile(r"^(?!//)(?:[A-Za-z0-9\-._~/!$&'()*+,;=@]|%[0-9A-F]{2})*$")
COMMAND = re.compile(r"^::(error|warning|notice) (?:file=[^,:\r\n]*,(?:line=[1-9]\d*,col=[1-9]\d*,)?)?title=[^,:\r\n]+::[^\r\n]+$")


def write(files, folder):
    for name, text in files.items():
        path = os.path.join(os.fsencode(folder), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(text)


def run(source, form):
    return subprocess.run([ENTC, "build", source, "-o", "out_" + source, "--diag-format", form], cwd=FOLDER,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=120)


def check(holds, *what):
    if not holds:
        sys.exit("wrong: " + " ".join(str(w) for w in what))


def has_place(row):
    """A diagnostic about the content of a binary file has no position, unless its JSON is not valid."""
    grammar = row["code"] in ("E0101", "E0102", "E0103", "E0104", "E0105", "E0109")
    return bool(row["file"]) and (grammar or not row["file"].lower().endswith(".glb"))


def check_sarif(text, rows, where):
    """ROWS: the same diagnostics in the form of JSON lines, in the same order."""
    log = json.loads(text)
    check(set(log) == {"version", "$schema", "runs"} and log["version"] == "2.1.0", where, "top")
    check(len(log["runs"]) == 1, where, "runs")
    one = log["runs"][0]
    driver = one["tool"]["driver"]
    check(set(one) == {"tool", "columnKind", "results"}, where, "run")
    check(one["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints"), where, "columnKind")
    check(driver["name"] == "entc" and re.match(r"^\d+\.\d+\.\d+$", driver["version"]), where, "driver")
    rules = [rule["id"] for rule in driver["rules"]]
    check(len(set(rules)) == len(rules) and all(r["shortDescription"]["text"] for r in driver["rules"]),
          where, "rules")
    check(len(one["results"]) == len(rows), where, "SARIF has", len(one["results"]), "JSON", len(rows))
    for result, row in zip(one["results"], rows):
        check(set(result) <= {"ruleId", "level", "message", "locations", "relatedLocations"}, where, result)
        check(result["ruleId"] == row["code"] and result["ruleId"] in rules, where, result)
        check(result["level"] == row["severity"], where, result)
        loose = [note["message"] for note in row["notes"] if not note["file"]]  # without a position
        wanted = row["message"] + "".join(f" ({text})" for text in loose)
        check(result["message"]["text"] == wanted, where, result)
        check(len(result["locations"]) == (1 if row["file"] else 0), where, result)
        for place in result["locations"] + result["relatedLocations"]:
            physical = place["physicalLocation"]
            check(URI.match(physical["artifactLocation"]["uri"]), where, place)
            if not has_place({"code": row["code"], "file": physical["artifactLocation"]["uri"]}):
                check("region" not in physical, where, place)
                continue
            region = physical["region"]
            check(set(region) == {"startLine", "startColumn", "byteOffset", "byteLength"}, where, place)
            check(all(isinstance(n, int) for n in region.values()), where, place)
            check(region["startLine"] >= 1 and region["startColumn"] >= 1, where, place)
            check(region["byteOffset"] >= 0 and region["byteLength"] >= 0, where, place)
        for place in result["relatedLocations"]:
            check(place["message"]["text"], where, place)
        for place in result["locations"]:
            names = [(o["name"], o["fullyQualifiedName"], o["kind"]) for o in place.get("logicalLocations", [])]
            of = row.get("object")
            check(names == ([(of["name"], "%s[%d]" % (of["list"], of["index"]), "object")] if of else []), where, place)
            physical = place["physicalLocation"]
            check(physical.get("region", {"startLine": 0})["startLine"] == row["line"], where, place)
            uri = unquote(physical["artifactLocation"]["uri"], errors="replace")
            check("?" in row["file"] or uri == row["file"], where, uri, row["file"])


def check_github(text, rows, where):
    lines = text.decode().splitlines()
    # A file that nothing reads is reported apart from the summary of many diagnostics.
    commands = [line for line in lines if line.startswith("::") and " not read (" not in line]
    check(all(COMMAND.match(line) for line in commands), where, commands)
    reported = [line for line in commands if not line.startswith("::notice ")]
    check(len(reported) == min(10, len(rows)), where, len(reported), "annotations of", len(rows))
    check(len(commands) - len(reported) == (1 if len(rows) > 10 else 0), where, "summaries", commands)
    if len(rows) > 10:
        errors = sum(row["severity"] == "error" for row in rows)
        first = f"::{errors} error" if errors else f"::{len(rows)} warning"
        check(first in commands[-1], where, commands[-1])
    for index, row in enumerate(rows[:100]):
        check(index >= 10 or reported[index].startswith(f"::{row['severity']} "), where, reported[index:])
        texts = "\n".join(reported) if index < 10 else "\n".join(l for l in lines if not l.startswith("::"))
        check(row["code"] in texts, where, row["code"], "is not reported")


def main():
    validator = Draft7Validator(json.load(open(SCHEMA)))
    Draft7Validator.check_schema(validator.schema)
    for wrong in ({}, {"severity": "error", "code": "E1", "file": "", "line": 0, "column": 0, "message": "x",
                       "notes": []}):
        check(not validator.is_valid(wrong), "the schema takes anything")
    codes, count, runs = set(), 0, 0
    for path in sys.argv[4:]:
        stem = os.path.basename(path)[:-4]
        for number, (name, files) in enumerate(cases_of(path)):
            source = f"{stem}{number}"
            write(files, os.path.join(FOLDER, source))
            done = run(source, "json")
            where = f"{path}: {name}"
            check(done.returncode in (0, 3), where, done.returncode, done.stderr)
            rows = [json.loads(line) for line in done.stderr.decode().splitlines()]
            severities = [row["severity"] for row in rows]
            check(("error" in severities) == (done.returncode == 3), where, done.returncode, rows)
            check(severities == sorted(severities), where, "warnings among errors")
            for row in rows:
                faults = [error.message for error in validator.iter_errors(row)]
                check(not faults, where, faults)
                by_code = "warning" if row["code"].startswith("W") else "error"
                is_set = by_code == "warning" and '"diagnostics"' in str(files)
                check(is_set or row["severity"] == by_code, where, row)
                check(row["line"] >= 1 and row["column"] >= 1 if has_place(row) else row["line"] == 0, where, row)
            codes |= {row["code"] for row in rows}
            count += len(rows)
            runs += 1
            if number % 8 == 0 or len(rows) > 1:
                check_sarif(run(source, "sarif").stderr.decode(), rows, where)
                check_github(run(source, "github").stderr, rows, where)
    print(f"{runs} runs, {count} diagnostics, {len(codes)} codes")


main()
