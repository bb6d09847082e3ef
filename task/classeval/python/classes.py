"""What agents wrote for one class: taken apart, put together, and tested."""

import ast
import os
import re
import textwrap
import unittest

import parley_structure as structure

end_process = os._exit

STARTS = re.compile(r"\s*(?:@|(?:async\s+)?def\s)")


def pieces(text):
    """The functions of a text that does not parse as a whole, by their lines, each with its decorators."""
    above = []
    for block in structure.blocks(text, STARTS):
        if block.startswith("@"):
            above.append(block)
        else:
            yield "\n".join(above + [block])
            above = []


def in_class(tree, class_name):
    """The functions of a response, whether they stand alone or inside the class."""
    for node in tree.body:
        if isinstance(node, structure.FUNCTIONS):
            yield node
        elif isinstance(node, ast.ClassDef) and node.name == class_name:
            yield from (n for n in node.body if isinstance(n, structure.FUNCTIONS))


def definitions(text, class_name):
    """Pairs of name and syntax tree for every function of a response; the tree is None where it does not parse."""
    text = textwrap.dedent(structure.without_fences(text))
    tree = structure.parsed(text)
    if tree is not None:
        return [(n.name, n) for n in in_class(tree, class_name)]
    found = []
    for piece in pieces(text):
        name = re.search(r"def\s+(\w*)", piece)[1]
        tree = structure.parsed(piece)
        found.append((name, tree.body[0] if tree is not None else None))
    return found


def empty_class(job):
    """The module with the class as it is given, and its class statement; None where the item itself is broken."""
    text = "\n".join(job["imports"]) + "\n" + job["constructor"].rstrip()
    tree = structure.parsed(text) or structure.parsed(text + "\n    pass")
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef)] if tree else []
    return (tree, classes[-1]) if classes else (None, None)


def merge(job, found):
    """The program with the first version of every function that parses; what the class itself gives stays."""
    module, statement = empty_class(job)
    if module is None:
        return ""
    taken = {n.name for n in statement.body if isinstance(n, structure.FUNCTIONS)} - set(job["methods"])
    for name, node in found:
        if node is not None and name not in taken:
            taken.add(name)
            statement.body.append(node)
    return ast.unparse(module)


def compiles(program):
    try:
        compile(program, "<program>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return bool(program)


def tests(text):
    """Pairs of class and method for every unit test."""
    tree = structure.parsed(text)
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef)] if tree else []
    return [[c.name, m.name] for c in classes for m in c.body if isinstance(m, structure.FUNCTIONS) and m.name.startswith("test")]


def examine(job):
    """What the syntax of all responses to one item says."""
    found = [definitions(response, job["class"]) for response in job["responses"]]
    agents = []
    for functions in found:
        mine = [(name, node) for name, node in functions if name in job["methods"]]
        agents.append({"methods": [name for name, _ in mine], "valid": [name for name, node in mine if node is not None]})
    program = merge(job, [f for functions in found for f in functions])
    return {"agents": agents, "program": program, "compiles": compiles(program), "tests": tests(job["tests"])}


def test(job):
    """Run one unit test. The exit code of success is one that the program does not know."""
    space = {"__name__": "program"}
    exec(compile(job["program"], "<program>", "exec"), space)
    exec(compile(job["tests"], "<tests>", "exec"), space)
    result = unittest.TestResult()
    unittest.TestSuite([space[job["class"]](job["method"])]).run(result)
    end_process(job["success"] if result.wasSuccessful() else 1)
