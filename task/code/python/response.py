"""Code in what an agent wrote: whole programs, fenced blocks, definitions among prose."""

import ast
import re
from bisect import bisect_right

from parley_structure import indentation, lines_of, parsed, without_fences

OPENING = re.compile(r"\s*(?:`{3,}|~{3,})[^`]*$|.*(?:`{3,}|~{3,})\s*\w*\s*$")
CLOSING = re.compile(r"(?:`{3,}|~{3,})\s*$")


def readings(text, starts):
    """Ways to read a response, best first. Each is a list of pieces: a program that parses, or a definition, by what its line starts
    matches, that does not."""
    text = "\n".join(lines_of(text))
    if parsed(text) is not None:
        yield [text]
        return
    trials = Trials()
    yield [piece for block in fenced(text.split("\n"), trials) for piece in pieces(block, starts, trials)]
    yield pieces(text, starts, trials)
    yield pieces(without_fences(text), starts, trials)


class Trials:
    """Attempts to parse parts of a response. There is a bound to what they cost: behind it, definitions are told by their lines alone."""

    MOST = 1_000_000  # characters

    def __init__(self):
        self.left = self.MOST

    def wrong_from(self, lines, depth):
        """The line from which lines are wrong, from 1; None: they parse; 0: that cannot be told."""
        self.left -= sum(map(len, lines)) if self.left > 0 else 0
        if self.left <= 0:
            return 0
        try:
            ast.parse(shifted(lines, depth))
        except SyntaxError as e:
            return e.lineno or 0
        except (ValueError, RecursionError, MemoryError):
            return 0
        return None


def shifted(lines, depth):
    """Lines moved to the left by depth; what begins further left, such as the text of a string, stays."""
    return "\n".join(line[min(depth, indentation(line)):] for line in lines)


def fenced(lines, trials):
    """The fenced blocks. A fence may stand in a string of the code, so a block goes on to the last fence up to which it parses; one that
    never parses ends at the next fence."""
    closings = [i for i, line in enumerate(lines) if CLOSING.search(line)] + [len(lines)]
    i = 0
    while i < len(lines):
        if not OPENING.match(lines[i]):
            i += 1
            continue
        depth, end = indentation(lines[i]), end_of_fenced(lines, i, closings, trials)
        yield shifted(between(lines, i, end), depth)
        i = end + 1


def end_of_fenced(lines, opening, closings, trials):
    """The fence that ends a block."""
    first = bisect_right(closings, opening)
    last = len(closings) - 1
    while last >= first and trials.left > 0:
        wrong = trials.wrong_from(between(lines, opening, closings[last]), indentation(lines[opening]))
        if wrong is None:
            return closings[last]
        if wrong == 0:
            break
        last = min(last, bisect_right(closings, opening + wrong)) - 1
    return closings[first]


def between(lines, opening, end):
    """The lines between two fences; the closing one may stand at the end of a line of code."""
    last = CLOSING.sub("", lines[end]) if end < len(lines) else ""
    return lines[opening + 1:end] + ([last] if last.strip() else [])


def pieces(text, starts, trials):
    """The code of a text. Where it does not parse as a whole, each line that starts matches begins a piece: as many lines as parse, else the
    definition as far as its lines tell."""
    if parsed(text) is not None:
        return [text]
    lines, found, above, i = text.split("\n"), [], [], 0
    while i < len(lines):
        if not starts.match(lines[i]):
            i += 1
            continue
        whole = longest(lines, i, trials)
        end = whole or end_of_block(lines, i)
        piece = shifted(lines[i:end], indentation(lines[i])).rstrip()
        i = end
        if not whole and piece.startswith("@"):
            above.append(piece)
            continue
        found.append("\n".join(above + [piece]))
        above = []
    return found


def longest(lines, start, trials):
    """Where the most lines from start on end that parse, statements as deep as the first; 0: none do."""
    depth, end = indentation(lines[start]), len(lines)
    while end > start and trials.left > 0:
        wrong = trials.wrong_from(lines[start:end], depth)
        if wrong is None:
            return end
        if wrong == 0:
            return 0
        end = min(end, start + wrong) - 1
        while end > start and (not lines[end].strip() or indentation(lines[end]) > depth):
            end -= 1
    return 0


MOST_OF_A_HEAD = 50  # lines of a signature


def end_of_block(lines, start):
    """The end of a definition that does not parse: its head, up to where its brackets are closed, and the lines that are blank or deeper."""
    depth, end, opened = indentation(lines[start]), start + 1, balance(lines[start])
    head = end
    while opened > 0 and head < min(len(lines), start + MOST_OF_A_HEAD):
        opened += balance(lines[head])
        head += 1
    if opened == 0:
        end = head
    while end < len(lines) and (not lines[end].strip() or indentation(lines[end]) > depth):
        end += 1
    return end


def balance(line):
    """Brackets opened in a line, less those closed."""
    return sum(line.count(c) for c in "([{") - sum(line.count(c) for c in ")]}")
