"""Counts the lines of the package that are code: no blank ones, no comments, no docstrings. More than the limit is an error."""

import ast
import io
import pathlib
import sys
import tokenize

LIMIT = 1200
SILENT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def code(source: str) -> int:
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in SILENT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node) is not None:
            lines.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


counts = {p.name: code(p.read_text("utf-8")) for p in sorted((pathlib.Path(__file__).parent.parent / "parley").glob("*.py"))}
print(*(f"{count:6} {name}" for name, count in counts.items()), f"{sum(counts.values()):6} of {LIMIT}", sep="\n")
sys.exit(sum(counts.values()) > LIMIT)
