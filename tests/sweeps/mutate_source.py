"""Reads C as far as mutate.py needs it: tokens, functions, statements, and the places that can be changed."""
import collections
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

TOKEN = re.compile(r"""(?P<space>\s+|/\*.*?\*/|//[^\n]*)
    |(?P<directive>(?<![^\n])[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
    |(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<number>\.?[0-9](?:[eEpP][+-]|[0-9A-Za-z_.])*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<sign>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""", re.X | re.S)
Token = collections.namedtuple("Token", "kind text start end")
CLOSING = {"(": ")", "[": "]", "{": "}"}
COMPARISONS = {"<", ">", "<=", ">=", "==", "!="}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
REFUSAL = re.compile(r"[A-Za-z_]*(refuse|fault|FAULT|not_a_value|missing)[a-z_]*\(.*\)?$")
TEXT_MAX = 90
CONSTANT = {"sizeof", "offsetof", "static_assert", "_Static_assert", "assert", "_Alignas", "__attribute__"}


class Source:
    """A file's tokens, the partner of each bracket, and the functions in it."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            self.text = file.read()
        self.tokens = [Token(m.lastgroup, m.group(), m.start(), m.end()) for m in TOKEN.finditer(self.text)
                       if m.lastgroup not in ("space", "directive")]
        self.partner, self.parent = {}, []  # of each bracket; of each token, the innermost bracket around it
        stack = []
        for i, token in enumerate(self.tokens):
            self.parent.append(stack[-1] if stack else None)
            if token.text in CLOSING and token.kind == "sign":
                stack.append(i)
            elif token.text in CLOSING.values() and token.kind == "sign":
                first = stack.pop()
                self.partner[first], self.partner[i] = i, first

    def functions(self):
        """(name, returns bool, first token of the body, its end)"""
        i, start = 0, 0
        while i < len(self.tokens):
            text = self.tokens[i].text
            if text == "{" and i and self.tokens[i - 1].text == ")":
                opening = self.partner[i - 1]
                before = [t.text for t in self.tokens[start:opening]]
                yield before[-1], before[-2:-1] == ["bool"], i + 1, self.partner[i]
            if text in CLOSING:
                i = self.partner[i]
            if self.tokens[i].text in (";", "}"):
                start = i + 1
            i += 1

    def level(self, first, end):
        """The tokens of a range that are not inside brackets."""
        i = first
        while i < end:
            yield i
            i = self.partner[i] + 1 if self.tokens[i].text in CLOSING and self.tokens[i].kind == "sign" else i + 1

    def find(self, first, end, texts):
        return [i for i in self.level(first, end) if self.tokens[i].text in texts]

    def split(self, first, end, texts):
        for at in self.find(first, end, texts):
            yield first, at
            first = at + 1
        yield first, end

    def is_block(self, i):
        """Whether a bracket begins statements, and not an initializer or a type."""
        if self.tokens[i].text != "{" or self.tokens[i].kind != "sign":
            return False
        before = self.tokens[i - 1].text
        if before == ")":
            opening = self.partner[i - 1]
            return self.parent[i] is None or self.tokens[opening - 1].text in ("if", "for", "while", "switch")
        if before == "{":
            return self.is_block(i - 1)
        return before in (";", "}", "else", "do", ":")

    def statement_of(self, i):
        """A token that is reached whenever token i is, and before which a statement can be inserted."""
        tokens = self.tokens
        while not self.is_block(self.parent[i]):
            i = self.parent[i]
        block = self.parent[i]
        start, is_do = block + 1, False
        for at in self.level(block + 1, self.partner[block]):
            if at >= i:
                break
            is_do = is_do or tokens[at].text == "do"
            end = at if tokens[at].text == ";" else self.partner[at] if self.is_block(at) else None
            if end is None or tokens[end + 1].text == "else" or (is_do and tokens[end].text == "}"):
                continue
            start, is_do = end + 1, False
        while tokens[start].text in ("case", "default"):
            colon = next(iter(self.find(start, self.partner[block], {":"})))
            if colon > i:
                return self.statement_of(block)
            start = colon + 1
        return start

    def code(self, first, end):
        return " ".join(self.text[self.tokens[first].start:self.tokens[end - 1].end].split())


class Conditions:
    """Finds the conditions of a file: `found` holds (function, first token, end, value when removed)."""

    def __init__(self, source):
        self.s = source
        self.found = []
        for self.function, self.returns_bool, first, end in source.functions():
            self.statements(first, end)

    def statements(self, i, end):
        s = self.s
        while i < end:
            text = s.tokens[i].text
            if text == "{":
                self.statements(i + 1, s.partner[i])
                i = s.partner[i] + 1
            elif text in ("if", "while", "switch", "for") and s.tokens[i + 1].text == "(":
                self.head(text, i + 2, s.partner[i + 1])
                i = s.partner[i + 1] + 1
            elif text in ("do", "else"):
                i += 1
            elif text in ("case", "default"):
                i = next(iter(s.find(i, end, {":"}))) + 1
            else:
                stop = next(iter(s.find(i, end, {";"})), end)
                if text == "return":
                    self.value(i + 1, stop, self.returns_bool, "1")
                elif text not in CONSTANT and text != "static":
                    self.simple(i, stop)
                i = stop + 1

    def head(self, keyword, first, end):
        if keyword == "switch":
            return self.value(first, end, False)
        if keyword != "for":
            return self.value(first, end, True)
        begin, condition, step = self.s.split(first, end, {";"})
        self.simple(*begin)
        self.value(*condition, True)
        return self.simple(*step)

    def simple(self, first, end):
        """A declaration or an expression, also with several parts."""
        begin = [t.text for t in self.s.tokens[first:min(end, first + 4)]]
        is_bool = "bool" in begin[:3] and begin[begin.index("bool") + 1:][:1] != ["*"]
        for part, stop in self.s.split(first, end, {","}):
            assigned = self.s.find(part, stop, ASSIGNMENTS)
            if assigned:
                self.groups(part, assigned[-1])
                self.value(assigned[-1] + 1, stop, is_bool, "0")
            else:
                self.groups(part, stop)

    def value(self, first, end, condition, gone="0"):
        s = self.s
        if first >= end:
            return
        question = s.find(first, end, {"?"})
        if question:
            depth, at = 0, question[0]
            for at in s.find(question[0], end, {"?", ":"}):
                depth += 1 if s.tokens[at].text == "?" else -1
                if depth == 0:
                    break
            self.value(first, question[0], True)
            self.value(question[0] + 1, at, condition, gone)
            self.value(at + 1, end, condition, gone)
            return
        for sign, neutral in (("||", "0"), ("&&", "1")):
            if s.find(first, end, {sign}):
                for part in s.split(first, end, {sign}):
                    self.value(*part, True, neutral)
                return
        if s.tokens[first].text == "(" and s.partner[first] == end - 1:
            self.value(first + 1, end - 1, condition, gone)
            return
        if s.tokens[first].text == "!" and s.tokens[first + 1].text == "(" and s.partner[first + 1] == end - 1:
            self.value(first + 2, end - 1, True, "1" if gone == "0" else "0")
            return
        # A comparison that is compared again or negated for its value: one condition.
        if condition or s.tokens[first].text == "!" or s.find(first, end, COMPARISONS):
            single = s.tokens[first]
            constant = end - first == 1 and (single.kind == "number" or single.text in ("true", "false") or
                                             single.text.isupper())
            if not constant:
                self.found.append((self.function, first, end, gone))
        self.groups(first, end)

    def groups(self, first, end):
        """The content of the brackets of an expression."""
        s = self.s
        for i in s.level(first, end):
            if s.tokens[i].text not in CLOSING or s.tokens[i].kind != "sign":
                continue
            if i and s.tokens[i - 1].text in CONSTANT:
                continue
            for part in s.split(i + 1, s.partner[i], {","}):
                assigned = s.find(*part, ASSIGNMENTS)
                self.value(assigned[-1] + 1 if assigned else part[0], part[1], False)


Change = collections.namedtuple("Change", "id file function change text first end gone")


def changes_of(source, first_id):
    """Two for each condition, with an even and the next odd id: negated and removed. The second of the same text in a function ends in #2."""
    changes, seen, conditions = [], collections.Counter(), 0
    for function, first, end, gone in sorted(Conditions(source).found, key=lambda c: (c[1], -c[2])):
        text = source.code(first, end)
        text = text if len(text) <= TEXT_MAX else text[:TEXT_MAX - 3] + "..."
        seen[function, text] += 1
        if seen[function, text] > 1:
            text += " #%d" % seen[function, text]
        span = source.tokens[first].start, source.tokens[end - 1].end
        # A refusal is always false: its only change is not to refuse.
        refusal = REFUSAL.match(text)
        both = ("negated", "removed")
        for change in both if not refusal else both[:1] if gone == "0" else both[1:]:
            number = first_id + 2 * conditions + (change == "removed")
            changes.append(Change(number, source.path, function, change, text, *span, gone))
        conditions += 1
    return changes, first_id + 2 * conditions


# --- single operators ---

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-",
         "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "+=": "-=", "-=": "+=",
         "++": "--", "--": "++", "|=": "&=", "&=": "|="}

# `first` to `end` is replaced; `body` is the opening bracket of the function; `context` is the beginning of the source line.
Operator = collections.namedtuple("Operator", "file line function before after context first end body at")


def operators_in(source, body):
    """The single-operator changes of a function: (first token, before, after, end of the text)."""
    tokens = source.tokens
    for i in range(body + 1, source.partner[body]):
        token, before = tokens[i], tokens[i - 1]
        is_binary = before.kind in ("word", "number", "string") and before.text not in ("return", "case") or \
            before.text in (")", "]", "++", "--")
        if token.kind == "sign" and token.text in SWAPS:
            pointer = token.text == "*" and source.text[token.start - 1] != " "
            if (is_binary or token.text in ("++", "--")) and not pointer:
                yield i, token.text, SWAPS[token.text], token.end
        elif token.kind == "number" and re.fullmatch(r"[0-9]+(u|ull)?", token.text):
            number = int(token.text.rstrip("ul"))
            yield i, token.text, str(number + 1), token.end
            if number:
                yield i, token.text, str(number - 1), token.end
        elif before.text in (";", "{", "}") and token.kind == "word":
            stop = next(iter(source.find(i, source.partner[body], {";"})), None)
            text = source.text[token.start:tokens[stop].end] if stop else ""
            if re.match(r"[\w.\[\]>-]+( [|&+*/-]?= |\()", text) and token.text not in ("return", "if", "for", "while", "switch"):
                yield i, text, ";", tokens[stop].end


def operators_of(source):
    """Every single-operator change of a file. Of equal ones in equal lines of a function, the second ends in #2."""
    lines, seen = source.text.split("\n"), collections.Counter()
    for function, _, first, _ in source.functions():
        for i, before, after, end in operators_in(source, first - 1):
            start = source.tokens[i].start
            line = source.text.count("\n", 0, start) + 1
            context = " ".join(lines[line - 1].split())
            context = context if len(context) <= TEXT_MAX else context[:TEXT_MAX - 3] + "..."
            key = function, before, after, context
            seen[key] += 1
            if seen[key] > 1:
                context += " #%d" % seen[key]
            yield Operator(source.path, line, function, before, after, context, start, end, first - 1, i)
