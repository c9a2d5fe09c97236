#!/usr/bin/python3
"""schema_oracle.py - compares the schemas of `entc schema` with what entc accepts.

    schema_oracle.py PART SCHEMAS ENTC WORK       from the root of the repository

PART is one of

    valid      the schemas are draft-07, and accept every source that entc accepts: of assets/, of the
              starting project, and of tests/cases
    cases     entc reports an error for every file of tests/cases that a schema refuses, and no
              error that a schema can detect for a file that no schema refuses
    fields    of each field, values of every kind and on both sides of every bound
    bounds    of each bound of a number that is no integer: exactly the bound of the schema, and the next
              double beyond it; of the types of entc, and of declarations with random bounds
    mutants   sources of assets/ with keys and values removed, duplicated, renamed and changed
    declared  the same with a declaration of a component that has a field of every type

fields, bounds, mutants and declared are compiled by ENTC as files of one folder below WORK. entc must
refuse what a schema refuses; a schema must refuse what entc refuses because of the file alone.

One line per difference, then a tally; exit 0 when nothing differs. Debian's
python3-jsonschema.
"""

import copy
import glob
import json
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
from decimal import Decimal

import jsonschema

# Errors within one file, which its schema can detect: unknown keys and components, kinds, ranges,
# missing keys, enum texts, arrays for single components, names.
LOCAL = {"E0201", "E0202", "E0203", "E0204", "E0205", "E0207", "E0208", "E0301", "E0304"}

failed = 0


def differ(text):
    global failed
    failed += 1
    if failed <= 20:
        print(text)


class Schemas:
    def __init__(self, folder):
        self.validator = {}
        for path in sorted(glob.glob(folder + "/*.schema.json")):
            with open(path, encoding="utf-8") as file:
                schema = json.load(file)
            jsonschema.Draft7Validator.check_schema(schema)
            suffix = os.path.basename(path)[:-len(".schema.json")]
            self.validator[suffix] = jsonschema.Draft7Validator(schema)

    def only(self, suffix):
        some = copy.copy(self)
        some.validator = {key: of for key, of in self.validator.items() if key == suffix}
        return some

    def find(self, path):
        part = os.path.basename(path).split(".")
        if path == "entc.json" or path.endswith("/assets/entc.json"):
            return self.validator.get("entc")
        return self.validator.get(part[-2]) if len(part) > 2 and part[-1] == "json" else None

    def fault(self, path, text):
        """The error of this file according to its schema, or None. Text that is not JSON is not checked by
        a schema."""
        try:
            value = json.loads(text.lstrip("\ufeff"))
        except (ValueError, RecursionError):
            return None
        for error in self.find(path).iter_errors(value):
            return "/".join(map(str, error.absolute_path)) + ": " + error.message[:200]
        return None


def unseen(reported, text):
    """The first message about a file that its schema could also detect, or None."""
    for code, message in reported.items():
        if code in LOCAL and not elsewhere(code, message, reported, text):
            return message
    return None


def elsewhere(code, message, reported, text):
    """An error with a local code that a schema cannot detect: text that is no JSON or has a duplicate key, what
    a prefab contains, the name of a file, the length of a quaternion or in bytes, the rules for a default,
    a newline at the end (which $ in Python also precedes), a declaration that a list of inputs lacks, a number that no 32-bit float represents or that
    is as near to a bound as floats are to each other, or a name that is reserved in C."""
    if reported.keys() & {"E0101", "E0102", "E0103", "E0104", "E0105"}:
        return True
    if code == "E0204" and '"prefab"' in text or code == "E0208" and "the prefab has" in message:
        return True
    if re.search("rename the file to|must have a file with an extension|this file declares|a reserved word of C|of length 1|bytes|the list of inputs|-3.40282347e.38 to|"
                 "^(the )?default|for the default of", message) or r'\n"' in text:
        return True
    number = re.search(r"from (\S+) to (\S+?),? .*not (\S+)$", message) if code == "E0203" else None
    if not number:
        return False
    lo, hi, value = map(float, number.groups())
    return min(abs(value - lo) / max(abs(lo), 1e-30), abs(value - hi) / max(abs(hi), 1e-30)) < 2e-7


# --- tests/cases ----------------------------------------------------------------------------------

ESCAPE = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "\n": ""}


def unescape(text):
    """As bytes; \\xNN is one."""
    out = re.sub(rb"\\(x[0-9a-f]{2}|.)", lambda m: bytes([int(m[1][1:], 16)]) if m[1][:1] == b"x"
                 else ESCAPE[m[1].decode()].encode(), text.encode(), flags=re.S)
    return out.decode("utf-8", "surrogateescape")


def cases_read():
    """(name, exit code, output, {path: text}); files in other forms than text are omitted."""
    for path in sorted(glob.glob("tests/cases/*.txt")):
        with open(path, encoding="utf-8") as file:
            cases_text = file.read()
        for case in re.split(r"^=== ", cases_text, flags=re.M)[1:]:
            title, _, body = case.partition("\n")
            parts = re.split(r"^--- ", body, flags=re.M)[1:]
            files, code, printed = {}, None, ""
            for part in parts:
                head, _, text = part.partition("\n")
                word = re.findall(r'"(?:[^"\\]|\\.)*"|\S+', head)
                if word[0] == "expect":
                    code, printed = int(word[1]), text
                elif word[0] == "file" and word[1][0] != '"' and word[2:] in ([], ["escaped"]):
                    files[word[1]] = unescape(text.rstrip()) if word[2:] else text
            # sources with errors, although the last command succeeds
            if " -k" in body or code == 0 and ": error: " in body:
                code = None
            yield os.path.basename(path)[:-4] + ": " + title, code, printed, files


ERROR = re.compile(r"^src/([^:\n]+):\d+:\d+: error: (.*) \[(E\d+)\]$", re.M)


def errors_reported(printed):
    """{path: {code: message}} expected by a case; of machine-readable formats only the paths."""
    reported = {}
    for path, message, code in ERROR.findall(printed):
        reported.setdefault(path, {})[code] = message
    for path in re.findall(r'(?:"file":|::error file=|"uri":)"?src/([^",]+)', printed):
        reported.setdefault(path, {})
    for path in re.findall(r"^src/([^:\n(]+)\(\d+,\d+\): error ", printed, re.M):
        reported.setdefault(path, {})
    return reported


def case_schemas(schemas, files, entc, work):
    """The schemas with the components that the case declares, if any. There are none for cases with invalid
    declarations."""
    if not any(path.endswith(".component.json") for path in files):
        return schemas
    shutil.rmtree(work, ignore_errors=True)
    for path, text in files.items():
        os.makedirs(os.path.dirname("%s/src/%s" % (work, path)), exist_ok=True)
        with open("%s/src/%s" % (work, path), "w", encoding="utf-8") as file:
            file.write(text)
    run = subprocess.run([entc, "schema", work + "/src", "-o", work + "/schema"],
                         stderr=subprocess.PIPE, check=False, timeout=120)
    return Schemas(work + "/schema") if run.returncode == 0 else schemas.only("component")


def part_cases(schemas, entc, work):
    seen = other = 0
    general = schemas
    for name, code, printed, files in cases_read():
        reported = errors_reported(printed)
        schemas = case_schemas(general, files, entc, work)
        for path, text in files.items():
            if not schemas.find(path) or code not in (0, 3):
                continue
            fault = schemas.fault(path, text)
            if fault and path not in reported:
                differ("%s: entc has nothing against %s, but the schema: %s" % (name, path, fault))
            blind = unseen(reported.get(path, {}), text)
            if blind and not fault:
                differ("%s: the schema has nothing against %s, but entc: %s" % (name, path, blind))
            seen += fault is not None
            other += path in reported and not fault
    print("%u invalid files seen, %u for other reasons not" % (seen, other))
    if seen < 50:
        differ("too few invalid files were seen: nothing was tried")


def part_valid(schemas, entc, work):
    count = 0
    for root in ("assets", "compiler/start/assets"):
        for path in sorted(glob.glob(root + "/**/*.json", recursive=True)):
            if schemas.find(path):
                with open(path, encoding="utf-8") as file:
                    fault = schemas.fault(path, file.read())
                count += 1
                if fault:
                    differ("%s: %s" % (path, fault))
    general = schemas
    for name, code, _, files in cases_read():
        schemas = case_schemas(general, files, entc, work)
        for path, text in files.items():
            if code == 0 and schemas.find(path):
                fault = schemas.fault(path, text)
                count += 1
                if fault:
                    differ("%s: %s: %s" % (name, path, fault))
    print("%u valid sources" % count)


# --- many files, one build ------------------------------------------------------------------------


class Batch:
    """Files that are checked with their schemas, and then compiled together."""

    def __init__(self, schemas, entc, work, beside="assets"):
        self.schemas, self.entc, self.work = schemas, entc, work
        self.fault = {}
        self.text = {}
        shutil.rmtree(work, ignore_errors=True)
        if beside:
            shutil.copytree(beside, work + "/src")

    def add(self, suffix, text):
        path = "try/t%05u.%s.json" % (len(self.fault), suffix)
        os.makedirs(self.work + "/src/try", exist_ok=True)
        with open("%s/src/%s" % (self.work, path), "w", encoding="utf-8") as file:
            file.write(text)
        self.fault[path] = self.schemas.fault(path, text)
        self.text[path] = text

    def compare(self, count):
        """Adds to count how many were refused by which of both."""
        run = subprocess.run([self.entc, "build", self.work + "/src", "-o", self.work + "/out",
                              "--diag-format", "json"], stderr=subprocess.PIPE, check=False, timeout=120)
        assert run.returncode in (0, 3), run.stderr
        codes = {}
        for line in run.stderr.decode().splitlines():
            error = json.loads(line)
            if error["severity"] != "error":
                continue
            path = os.path.relpath(error["file"], self.work + "/src")
            codes.setdefault(path, {})[error["code"]] = error["message"]
        for path, fault in self.fault.items():
            reported = codes.get(path, {})
            if fault and not reported:
                differ("entc accepts, the schema does not: %s\n    %s" % (self.text[path], fault))
            blind = unseen(reported, self.text[path])
            if blind and not fault:
                differ("the schema accepts, entc does not: %s\n    %s" % (self.text[path], blind))
            count["neither" if not reported else "both" if fault else "entc alone"] += 1


def new_count():
    return {"both": 0, "neither": 0, "entc alone": 0}


def print_differences(count):
    print(", ".join("%s %u" % (key, value) for key, value in sorted(count.items())))
    if count["both"] < 300 or count["neither"] < 50:
        differ("too few of a kind: nothing was tried")


# --- values of fields -----------------------------------------------------------------------------

ANY = ["null", "true", "false", "0", "1", "-1", "0.5", "1.0", "1e3", "-0.0", "1e-50", "-1e-50", "1e300",
       "-1e300", "4294967295", "4294967296", '""', '"a"', '"point"', '"a/b"', '"a//b"', '"."', '"#a"',
       '"models/lamp/head"', '"Models/lamp"', '"models/banner/wave"', "[]", "{}", "[0]", "[0, 0]",
       "[0, 1, 0]", "[0, 0, 0, 1]", "[0, 0, 0, 0, 1]", '[0, "1", 0]', "[null, 0, 0]", "[[0, 0, 0]]",
       '"' + "a" * 255 + '"', '"' + "a" * 256 + '"', r'"\u0061"', r'"a\n"', '"é"', '"..."', '".."']


def field_values(schema):
    """Texts of values that are worth testing for this schema."""
    yield from ANY
    for text in schema.get("enum", []):
        yield json.dumps(text)
        yield json.dumps(text.upper())
        yield json.dumps(text + " ")
    of = schema.get("items", schema)
    count = schema.get("minItems", 0)
    printed = re.search(r"Range: (\S+) to (\S+)\.", schema.get("description", ""))
    for bound in [float(text) for text in printed.groups()] if printed else []:
        for near in (0, 1e-9, 1e-8, 5.9e-8, 6e-8, 1.2e-7, 1e-6, 1e-3, 1):
            for at in (bound * (1 + near), bound * (1 - near), bound + near, bound - near):
                yield json.dumps([at] * count if count else at)
    for key in ("minimum", "maximum"):
        if key in of:
            yield json.dumps([of[key]] * count if count else of[key])


def fields_of_components(schemas):
    """(component, its fields that a level must state and a value of each, field, schema)"""
    level = schemas.validator["level"].schema
    declared = level["definitions"]["components.own"]["properties"]
    links = {"mesh": "models/lamp/head", "skeleton": "models/banner/banner", "material": "models/lamp/metal"}
    for name, value in level["definitions"]["components"]["properties"].items():
        if value.get("deprecated"):
            continue  # an older name of one of the others
        record = level["definitions"]["component." + name].get("properties", {})
        given = {}
        for key in declared[name].get("required", []):
            of = re.search(r"name of a (\w+)", record[key]["description"])
            given[key] = json.dumps(links[of[1]] if of else "a")
        for key, schema in record.items():
            if schema.get("type") != "object":  # a list of instances of another component, in tests/cases
                yield name, given, key, schema


def level_text(component, given, key, value):
    fields = ", ".join("%s: %s" % (json.dumps(k), v) for k, v in dict(given, **{key: value}).items())
    return '{"entities":[{"name":"a","components":{"%s":{%s}}}]}' % (component, fields)


def part_fields(schemas, entc, work):
    batch = Batch(schemas, entc, work)
    for name, given, key, schema in fields_of_components(schemas):
        for value in field_values(schema):
            batch.add("level", level_text(name, given, key, value))
    for key, schema in schemas.validator["material"].schema["properties"].items():
        for value in field_values(schema):
            batch.add("material", '{"%s": %s}' % (key, value))
    count = new_count()
    batch.compare(count)
    print_differences(count)


# --- exact bounds ---------------------------------------------------------------------------------


def bound_values(schema):
    """(text of a value, is it valid) for each bound of a number that is no integer. The text has all digits: a
    bound can be the middle between two 32-bit floats, and a text with fewer digits be beyond it."""
    of = schema.get("items", schema)
    count = schema.get("minItems", 0)
    if not isinstance(of, dict) or of.get("type") != "number":
        return
    for key, beyond in (("minimum", -math.inf), ("maximum", math.inf)):
        if key in of:
            for value, valid in ((float(of[key]), True), (math.nextafter(of[key], beyond), False)):
                text = str(Decimal(value))
                yield "[" + ", ".join([text] * count) + "]" if count else text, valid


def random_declaration(rng):
    """A component of fields with bounds of every magnitude: 32-bit floats, and decimals between them."""
    fields = {}
    while len(fields) < 16:
        lo, hi = sorted(rng.choice((-1, 1)) * 10 ** rng.uniform(-30, 30) for _ in range(2))
        if len(fields) % 2:
            lo, hi = (struct.unpack("<f", struct.pack("<f", bound))[0] for bound in (lo, hi))
        fields["f%u" % len(fields)] = {"type": "f32", "min": lo, "max": hi, "default": lo / 2 + hi / 2}
    return {"fields": fields}


def out_of_range(entc, work):
    """{path: message} of the sources of a batch that have a value out of its range. What is valid alone may break
    a rule about several fields."""
    run = subprocess.run([entc, "build", work + "/src", "-o", work + "/out", "--diag-format", "json"],
                         stderr=subprocess.PIPE, check=False, timeout=120)
    assert run.returncode == 3, run.stderr
    found = {}
    for line in run.stderr.decode().splitlines():
        error = json.loads(line)
        if error["code"] == "E0203" and re.search(r" from \S+ to \S+", error["message"]):
            found[os.path.relpath(error["file"], work + "/src")] = error["message"]
    return found


def part_bounds(schemas, entc, work):
    """Nothing is tolerated here: `elsewhere` permits differences that are small."""
    batch = Batch(schemas, entc, work)
    rng = random.Random(22)
    for i in range(12):
        with open("%s/src/bounded%u.component.json" % (work, i), "w", encoding="utf-8") as file:
            json.dump(random_declaration(rng), file)
    subprocess.run([entc, "schema", work + "/src", "-o", work + "/schema"], check=True, timeout=120)
    batch.schemas = Schemas(work + "/schema")
    valid = {}
    for name, given, key, schema in fields_of_components(batch.schemas):
        for value, is_valid in bound_values(schema):
            valid["try/t%05u.level.json" % len(batch.fault)] = is_valid
            batch.add("level", level_text(name, given, key, value))
    for key, schema in batch.schemas.validator["material"].schema["properties"].items():
        for value, is_valid in bound_values(schema):
            valid["try/t%05u.material.json" % len(batch.fault)] = is_valid
            batch.add("material", '{"%s": %s}' % (key, value))
    errors = out_of_range(entc, work)
    for path, is_valid in valid.items():
        if is_valid != (batch.fault[path] is None):
            differ("the schema: %s\n    %s" % (batch.text[path], batch.fault[path] or "accepted"))
        if is_valid != (path not in errors):
            differ("entc: %s\n    %s" % (batch.text[path], errors.get(path, "accepted")))
    print("%u values at bounds" % len(valid))
    if len(valid) < 300:
        differ("too few bounds were found: nothing was tried")


# --- mutants --------------------------------------------------------------------------------------


class Pairs(list):
    """An object that may contain duplicate keys."""


def dump(value):
    if isinstance(value, Pairs):
        return "{%s}" % ", ".join(json.dumps(k) + ": " + dump(v) for k, v in value)
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(dump, value))
    return json.dumps(value)


def places(value, found):
    """Every (container, index) of a tree."""
    for i, item in enumerate(value):
        found.append((value, i))
        child = item[1] if isinstance(value, Pairs) else item
        if isinstance(child, list):
            places(child, found)
    return found


KEYS = ["name", "parent", "prefab", "components", "children", "overrides", "entities", "light", "mesh",
        "transform", "position", "color", "kind", "range_m", "lights", "Name", "", "a/b", "/a", "bulb",
        "$comment", "$schema", "$id", "resource"]
VALUES = [None, True, 0, 1, -1, 0.5, 1e9, "", "a", "/", "props/street_lamp", "nature/pond", "Props/x", [],
          Pairs(), [None], [Pairs()], [1, 2, 3], Pairs([("light", None)]), Pairs([("light", Pairs())]),
          Pairs([("light", [])]), Pairs([("mesh", Pairs())]), Pairs([("a", Pairs())])]


def mutate(root, rng):
    container, i = rng.choice(places(root, []))
    item = container[i]
    keyed = isinstance(container, Pairs)
    kind = rng.randrange(8 if keyed else 5)
    value = copy.deepcopy(item[1] if keyed else item)

    def put(new):
        container[i] = (item[0], new) if keyed else new

    if kind == 0:
        del container[i]
    elif kind == 1:
        container.insert(i, copy.deepcopy(item))
    elif kind == 2:
        put(copy.deepcopy(rng.choice(VALUES)))
    elif kind == 3:
        put([value] if rng.randrange(2) else value[0] if isinstance(value, list) and value and
            not isinstance(value, Pairs) else Pairs([("light", value)]))
    elif kind == 4:
        chosen, k = rng.choice(places(root, []))
        put(copy.deepcopy(chosen[k][1] if isinstance(chosen, Pairs) else chosen[k]))
    elif kind == 5:
        container[i] = (rng.choice(KEYS), item[1])
    elif kind == 6:
        container.insert(i, (rng.choice(KEYS), copy.deepcopy(rng.choice(VALUES))))
    else:
        at = rng.randrange(len(item[0]) + 1)
        container[i] = (item[0][:at] + rng.choice(["", "s", "_", "A"]) + item[0][at + 1:], item[1])


def part_mutants(schemas, entc, work, tries=4000):
    batch = Batch(schemas, entc, work)
    rng = random.Random(20)
    sources = []
    for path in sorted(glob.glob("assets/**/*.json", recursive=True)):
        suffix = path.split(".")[-2]
        if suffix in ("entity", "level", "material"):
            with open(path, encoding="utf-8") as file:
                root = json.load(file, object_pairs_hook=Pairs)
            if suffix == "level": # each entity in a separate level: an error in one does not hide those of others
                for _, entities in root[1:]:
                    sources += [(suffix, Pairs([("entities", [item])])) for item in entities]
            else:
                sources.append((suffix, root))
    for i in range(tries):
        suffix, root = sources[i % len(sources)]
        root = copy.deepcopy(root)
        for _ in range(rng.choice((0, 1, 1, 1, 2)) if i >= len(sources) else 0):
            if root:
                mutate(root, rng)
        batch.add(suffix, dump(root))
    count = new_count()
    batch.compare(count)
    print_differences(count)


DECLARED = """{"text": "all of it", "several": true, "order": 2100, "fields": {
    "a": {"type": "f32", "default": 1, "min": 0, "max": 10, "unit": "m", "text": "one"},
    "b": {"type": "f32", "count": 3, "default": [0, 1, 0], "axes": "point"}, "c": {"type": "f32", "required": true},
    "d": {"type": "u32", "default": 7, "min": 1, "max": 9}, "e": {"type": "bool", "default": false},
    "f": {"type": "enum", "enum": ["wood", "stone"], "default": "stone"}, "g": {"type": "entity"},
    "h": {"type": "resource", "resource": "mesh", "required": false}, "i": {"type": "name"},
    "j": {"type": "quat", "default": [0, 0, 0, 1]}, "k": {"type": "quat", "required": true},
    "l": {"type": "persistent"}, "m": {"type": "persistent", "required": true}}}"""
DECLARED_KEYS = ["type", "axes", "count", "default", "min", "max", "unit", "text", "enum", "resource", "required",
                 "several", "order", "fields", "$comment", "_a", "a_", "a__b", "a1", "1a", "Aa"]
DECLARED_VALUES = [None, True, False, 0, 1, 4, 5, 1.5, -1, 1e7, "", "f32", "u32", "quat", "bool", "enum",
                   "persistent", "mesh", "wood", "size", "rotation", "a\tb", [], [0, 0], ["wood"], ["Wood"], ["a", "a"], [1, 2, 3, 4, 5],
                   Pairs(), Pairs([("type", "u32")]), Pairs([("type", "bool"), ("default", True)])]


def part_declared(schemas, entc, work, builds=24):
    """A project has at most 96 components, so this needs many builds."""
    KEYS[:], VALUES[:] = DECLARED_KEYS, DECLARED_VALUES
    rng = random.Random(21)
    count = new_count()
    for i in range(builds):
        batch = Batch(schemas, entc, work, None)
        for _ in range(70):
            root = json.loads(DECLARED, object_pairs_hook=Pairs)
            for _ in range(rng.choice((0, 1, 1, 1, 2)) if i else 1):
                if root:
                    mutate(root, rng)
            batch.add("component", dump(root))
        batch.compare(count)
    print_differences(count)


def main(arguments):
    parts = {"valid": part_valid, "cases": part_cases, "fields": part_fields, "bounds": part_bounds,
             "mutants": part_mutants, "declared": part_declared}
    if len(arguments) != 4 or arguments[0] not in parts:
        print(__doc__)
        return 2
    parts[arguments[0]](Schemas(arguments[1]), *arguments[2:])
    if failed:
        print("%u differ" % failed)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
