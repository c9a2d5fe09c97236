"""Words that names in the code do not contain, because a reader cannot tell from them what the thing is.

    words.py        from the root of the repository

Each identifier of C, GLSL and Python is divided at underscores and capitals. Comments and texts are not read. A name of
five or more words is a sentence (those of tests are), where these words have their usual meaning. The exceptions are
listed; one that is not needed any more is an error. Exit code 1: a name contains such a word.
"""
import io
import re
import subprocess
import sys
import tokenize

WORDS = {
    "most": "max, limit, capacity",
    "least": "min",
    "wish": "request",
    "wishes": "requests",
    "there": "existing, actual",
    "own": "what it belongs to, such as file, local, source",
    "away": "distance, removed",
    "whole": "complete, full, integer",
    "made": "created, compiled, written, spawned",
}
SENTENCE_WORDS = 5
EXCEPTIONS = {
    "most": "a field of the record declared_field, whose name is part of the layout in each blob",
    "least": "a field of the record declared_field, whose name is part of the layout in each blob",
    "VK_WHOLE_SIZE": "Vulkan",
}
CODE = re.compile(r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+' | ([A-Za-z_]\w*)""", re.S | re.X)


def words_of(name):
    return [word.lower() for part in name.split("_") for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", part)]


def names_of(path, text):
    """(identifier, line or offset in the text)"""
    if path.endswith(".py"):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                yield token.string, token.start[0]
        return
    for match in CODE.finditer(text):
        if match[1]:
            yield match[1], match.start()


def complaints(path, text, used):
    out = {}
    places = dict(reversed(list(names_of(path, text))))  # the first of each name
    for name, at in places.items():
        words = words_of(name)
        wrong = [word for word in words if word in WORDS]
        if not wrong or len(words) >= SENTENCE_WORDS:
            continue
        if name in EXCEPTIONS:
            used.add(name)
        else:
            line = at if path.endswith(".py") else text.count("\n", 0, at) + 1
            out.setdefault(name, "%s:%d: %s: \"%s\" in a name; rather: %s" % (path, line, name, wrong[0], WORDS[wrong[0]]))
    return list(out.values())


def works():
    """The search finds names, and only names."""
    text = 'int was_made; /* most */ const char* s = "own"; f(keyMost); void wishes_of_users_are_made_there(void);'
    found = [line.split(": ")[1] for line in complaints("a.c", text, set())]
    return sorted(found) == ["keyMost", "was_made"] and len(complaints("a.py", "own = 1  # whole\n", set())) == 1


def main():
    if not works():
        return "words.py does not find its own examples"
    listed = subprocess.run(["find", "compiler", "formats", "runtime", "shaders", "tests", "-type", "f"],
                            capture_output=True, text=True, check=True).stdout.split("\n")
    used, found = set(), []
    for path in sorted(listed):
        if re.search(r"\.(c|h|glsl|comp|vert|frag|py)$", path):
            with open(path, encoding="utf-8") as file:
                found += complaints(path, file.read(), used)
    found += ["%s: an exception that is not needed" % name for name in EXCEPTIONS if name not in used]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
