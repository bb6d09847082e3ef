"""The line-based rules of the published code, for comparisons with it only."""

import re

from parley_structure import indentation, says_return, without_fences

returns = says_return


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


def examine(aux, main):
    """(used, wrapper, ignored) by regular expressions on lines."""
    used = bool(aux) and re.search(r"\baux\s*\(", main) is not None
    lines = [line.strip() for line in main.splitlines()[1:]]
    body = [line for line in lines if line and not line.startswith("#")]
    wrapper = len(body) == 1 and re.match(r"return\b.*\baux\s*\(", body[0]) is not None
    if len(body) == 2:
        bound = re.match(r"(\w+)\s*=\s*aux\s*\(.*\)$", body[0])
        wrapper = bound is not None and body[1] == "return " + bound[1]
    ignored = any(re.match(r"aux\s+\(", line) for line in body)
    return used, used and wrapper, used and ignored
