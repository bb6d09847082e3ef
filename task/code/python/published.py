"""The line-based rules of the published code, for comparisons with it only."""

import re

from parley_structure import indentation, without_fences


def returns(source):
    """Whether the word return stands anywhere, be it in a comment."""
    return re.search(r"\breturn\b", source) is not None


def extract(text, name):
    """The last function of that name as its lines; a function inside it takes its end along."""
    lines = without_fences(text).splitlines()
    found = ""
    for i, line in enumerate(lines):
        if not re.match(r"def\s+%s\b" % re.escape(name), line.lstrip()):
            continue
        depth, end = indentation(line), i + 1
        while end < len(lines) and (not lines[end].strip() or indentation(lines[end]) > depth):
            if lines[end].lstrip().startswith("def "):
                depth = indentation(lines[end])
            end += 1
        found = "\n".join(lines[i:end]).rstrip()
        if indentation(line) == 0:
            break
    return found


def tests(text):
    """Every line that is an assertion about the candidate."""
    lines = [line.strip() for line in text.splitlines()]
    return [{"setup": [], "source": line} for line in lines if line.startswith("assert") and "candidate" in line]


TEXT = re.compile(r"""[rRuU]?(?:\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""", re.DOTALL)
NOTHING = re.compile(r"[^\S\n]*(?:#|\n|\Z)")


def body_lines(main):
    """The lines of a function behind its head, without blank lines, comments and texts that stand alone, as a docstring does."""
    at, kept = 0, []
    while at < len(main):
        text = TEXT.match(main, at)
        if text:
            alone = not main[main.rfind("\n", 0, at) + 1:at].strip() and NOTHING.match(main, text.end())
            kept.append("" if alone else text[0])
            at = text.end()
        elif main[at] == "#":
            at = (main + "\n").index("\n", at)
        else:
            kept.append(main[at])
            at += 1
    return [line.strip() for line in "".join(kept).splitlines()[1:] if line.strip()]


def examine(aux, main):
    """(used, wrapper, ignored) by regular expressions on lines."""
    used = bool(aux) and re.search(r"\baux\s*\(", main) is not None
    body = body_lines(main)
    wrapper = len(body) == 1 and re.match(r"return\b.*\baux\s*\(", body[0]) is not None
    if len(body) == 2:
        bound = re.match(r"(\w+)\s*=\s*aux\s*\(.*\)$", body[0])
        wrapper = bound is not None and body[1] == "return " + bound[1]
    ignored = any(re.match(r"aux\s+\(", line) for line in body)
    return used, used and wrapper, used and ignored
