"""The function that an agent was asked for, out of all that it wrote."""

import ast
import re

from parley_response import readings
from parley_structure import FUNCTIONS, parsed

ANY_FUNCTION = re.compile(r"\s*(?:async\s+)?def\s")


def extract(text, name):
    """The source of the last function of that name, or an empty text. One that parses goes before one that does not."""
    mine = re.compile(r"(?:async\s+)?def\s+%s\b" % re.escape(name))
    broken = []
    for pieces in readings(text, ANY_FUNCTION):
        whole = []
        for piece in pieces:
            tree = parsed(piece)
            if tree is not None:
                whole += [ast.get_source_segment(piece, n) for n in tree.body if isinstance(n, FUNCTIONS) and n.name == name]
            elif mine.match(piece):
                broken.append(piece)
        if whole:
            return whole[-1]
    return broken[-1] if broken else ""
