"""The inputs of tests/cases/*.txt, for tests that need all invalid inputs at once."""
import codecs
import re


def text_of(form, lines):
    text = "\n".join(lines)
    if form == "escaped":
        return codecs.escape_decode(text.replace("\\\n", "").encode())[0]
    return (text + "\n").encode()


def cases_of(path):
    """(name, {file: bytes}) of each case whose files are text; the others are tested elsewhere."""
    for part in re.split(r"^=== ", open(path, encoding="utf-8").read(), flags=re.M)[1:]:
        name, body = part.split("\n", 1)
        files, plain = {}, True
        for piece in re.split(r"^--- ", body, flags=re.M)[1:]:
            head, _, text = piece.partition("\n")
            match = re.match(r'file (?:"((?:[^"\\]|\\.)*)"|(\S+))(.*)$', head)
            if head.split()[0] in ("link", "fifo", "folder"):
                plain = False
            if not match:
                continue
            file = codecs.escape_decode(match[1].encode())[0] if match[1] is not None else match[2].encode()
            form = match[3].strip()
            plain = plain and form in ("", "escaped") and b"\0" not in file
            files[file] = text_of(form, text.rstrip("\n").split("\n"))
        if plain and files:
            yield name, files
