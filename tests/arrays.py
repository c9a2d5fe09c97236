"""Local arrays of a fixed size that a function writes at an index which it does not bound.

    arrays.py [FILE...]     the .c files of formats, compiler and runtime; or these

An index is bounded where the array is written, not by what a caller or a reader of another format has checked. A
line is printed for `T name[BOUND]` in a function that contains `name[index] = `, `&name[index]` or `name[index++]`,
unless the index is a constant, a remainder or a loop variable that is below the bound; or an assert names the array,
its bound or the index; or a comparison names the bound, COUNT_OF(name) or sizeof name. Two examples are tested first.
"""
import glob
import re
import sys

GOOD = r"""
static u32 fill(u32 count) {
    u32 a[16], b[CAPACITY], c[8], d[4][2], e[8], f[32], g[CAPACITY + 1], used = 0;
    for (u32 i = 0; i < COUNT_OF(a); i++) a[i] = 0;
    for (u32 i = 0; i < count && used < CAPACITY; i++) b[used++] = i;
    for (u32 i = 0; i < 8; i++) c[i] |= b[0];
    d[3][1] = 1;
    e[count % 8] = e[count & 7] = 2;
    for (u32 i = 0; i < CAPACITY; i++) g[i + 1] = i;
    assert(count < 32 && "the caller has few");
    f[count] = 1; /* h[count] = 1 */
    return a[count];
}
"""
BAD = r"""
static u32 texts_read(const Field* field, u32 count) {
    const char* texts[CAPACITY];
    u32         used = 0, row[4] = {0}, seen[8];
    for (u32 i = 0; i < count; i++) texts[used++] = field[i].text;
    row[count] = 1;
    for (u32 i = 0; i < count; i++) take(&seen[i]);
    return used;
}
"""

WORD = r"[A-Za-z_]\w*"
NOT_TYPES = {"return", "goto", "case", "else", "typedef", "sizeof", "extern"}


def without_comments(text):
    """Comments and texts are replaced, with the same number of lines."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\''
    return re.sub(pattern, lambda m: " " + "\n" * m[0].count("\n") if m[0][0] == "/" else '""' if m[0][0] == '"' else "0",
                  text, flags=re.S)


def functions(text):
    """(line of the first brace, body) of every function; a body begins and ends at the margin."""
    for found in re.finditer(r"^[A-Za-z_][^;{}]*\)\s*\{\n.*?^\}", text, re.M | re.S):
        yield text.count("\n", 0, found.start()) + 1, found[0]


def closing(text, at):
    """The index behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0:
            return i + 1
    return len(text)


def arrays(body):
    """(offset, name, bound) of the arrays that are declared in a function."""
    for line in re.finditer(rf"(?<=[;{{}}])\s*((?:{WORD}\s+)*?)({WORD})\b[\s*]+(?=(?:const\s+)?{WORD}\s*[\[,=;])([^;]*);", body):
        words = line[1].split() + [line[2]]
        if NOT_TYPES & set(words) or ("const" in words and "*" not in body[line.end(2):line.start(3)]):
            continue
        for name in re.finditer(rf"(?:^|,)[\s*]*({WORD})\s*\[", line[3]):
            inside = line[3][:name.start(1)]
            if inside.count("{") != inside.count("}") or inside.count("(") != inside.count(")"):
                continue
            end = closing(line[3], name.end() - 1)
            bound = line[3][name.end():end - 1].strip()
            if bound:
                yield line.start(3) + name.start(1), name[1], bound


def indices(body, name):
    """(offset, index) of each place at which an element is written, or its address taken."""
    for use in re.finditer(rf"(?<![\w.>]){name}\s*\[", body):
        end = closing(body, use.end() - 1)
        index = body[use.end():end - 1].strip()
        rest = re.match(r"(?:\s*\[[^][]*\]|\s*(?:\.|->)\s*\w+)*\s*(?:(?:[-+*/|&^%]|<<|>>)?=(?!=)|\+\+|--)", body[end:])
        before = body[:use.start()].rstrip()
        taken = before.endswith("&") and not re.search(r"[\w)\]&]\s*&$", before)
        if rest or taken or re.search(r"\+\+|--", index):
            yield use.start(), index


def number(text):
    """The value of a constant expression of literals, or None."""
    if re.fullmatch(r"[\d\s+*()-]+", re.sub(r"(?<=\d)[uU][lL]*", "", text)):
        return eval(re.sub(r"(?<=\d)[uU][lL]*", "", text))  # digits, brackets and + - * alone
    return None


def is_within(limit, bound):
    """Is the text of a limit the bound, or a smaller literal?"""
    value, bound_value = number(limit), number(bound)
    return limit.strip() == bound or (value is not None and bound_value is not None and value <= bound_value)


def is_bounded_index(body, at, name, bound, index):
    if not re.search(r"[a-z]", re.sub(r"\bsizeof\b|(?<=\d)u\b|0x[\da-f]+", "", index)):
        return True  # constants
    if re.search(rf"\bsizeof {name}\b", index):
        return True
    if re.search(r"\? *\d+ *: *\d+$|^!|[<>=]=|^\w+ [<>] ", index):
        return True  # a truth
    remainder = re.search(r"%\s*(\w+)$|&\s*(\w+)$", index)
    if remainder and (remainder[1] and is_within(remainder[1], bound) or
                      remainder[2] and number(remainder[2]) is not None and number(bound) and number(remainder[2]) < number(bound)):
        return True
    plus = re.fullmatch(r"(.+) \+ (\d+)", index)
    base = re.fullmatch(r"(.+) \+ (\d+)", bound)
    if plus and base and int(plus[2]) <= int(base[2]):  # the loop is below a bound that is smaller by as much
        index, bound = plus[1], base[1]
    for loop in re.finditer(rf"\bfor \([^;]*;([^;]*);", body[:at]):
        below = re.search(rf"\b{re.escape(index)} < ([\w() *+-]+?)(?: &&|$)", loop[1].strip())
        if below and (is_within(below[1], bound) or f"COUNT_OF({name})" in below[1]):
            return True
    return False


def is_checked(body, name, bound, index):
    mentions = [rf"COUNT_OF\({name}\)", rf"sizeof\(?\s*{name}\b", rf"(?<!\w){re.escape(bound)}(?!\w)"]
    words = re.findall(WORD, index) + [name]
    for check in re.finditer(r"\bassert\(", body):
        text = body[check.start():closing(body, check.end() - 1)]
        if any(re.search(mention, text) for mention in mentions) or set(words) & set(re.findall(WORD, text)):
            return True
    compared = [statement for statement in re.split(r"[;{}]", body)
                if re.search(r"[^-<>][<>]=?[^<>]|[!=]=|MIN_OF", statement)]
    return any(re.search(mention, statement) for mention in mentions for statement in compared
               if not re.match(r"\s*for \(", statement) or not bound.isdigit())


def faults(text):
    """(line, name, bound, index)"""
    for line, body in functions(without_comments(text)):
        for declared, name, bound in arrays(body):
            for at, index in indices(body, name):
                if at == declared or is_bounded_index(body, at, name, bound, index) or is_checked(body, name, bound, index):
                    continue
                yield line + body.count("\n", 0, at), name, bound, index
                break


def self_test():
    found = [name for _, name, _, _ in faults(BAD)]
    if found != ["texts", "row", "seen"] or list(faults(GOOD)):
        raise SystemExit(f"arrays.py: of the examples, {found} and {list(faults(GOOD))} were found")


def main():
    self_test()
    paths = sys.argv[1:] or sorted(path for folder in ("formats", "compiler", "runtime")
                                   for path in glob.glob(folder + "/**/*.c", recursive=True))
    count = total = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        total += sum(1 for _, body in functions(without_comments(text)) for _ in arrays(body))
        for line, name, bound, index in faults(text):
            print(f"{path}:{line}: {name}[{bound}] is written at [{index}], which this function does not bound")
            count += 1
    print(f"{total} arrays, {count} without a bound")
    sys.exit(count > 0 or not total)


main()
