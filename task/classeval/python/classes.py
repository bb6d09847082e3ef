"""What agents wrote for one class: taken apart, put together, and tested."""

import ast
import importlib
import os
import re
import sys
import textwrap
from os import _exit as end_process
from time import time as now

import parley_fault
import parley_remote
import parley_structure as structure
from parley_response import readings
from parley_together import AGAIN, CODES, FAILED, PASSED, claim, defined
from parley_wire import Channel

STARTS = re.compile(r"\s*(?:@|(?:async\s+)?def\s)")


def in_class(tree, class_name):
    """The functions of a response, whether they stand alone or inside the class."""
    for node in tree.body:
        if isinstance(node, structure.FUNCTIONS):
            yield node
        elif isinstance(node, ast.ClassDef) and node.name == class_name:
            yield from (n for n in node.body if isinstance(n, structure.FUNCTIONS))


def definitions(text, class_name):
    """For every function of a response its name, its syntax tree, None where it does not parse, and why it does not. Of several readings
    the first counts that has the most functions that parse."""
    found = [functions(pieces, class_name) for pieces in readings(textwrap.dedent(text), STARTS)]
    return max(found, key=lambda list: (len({name for name, node, _ in list if node}), len(list)))


def functions(pieces, class_name):
    """The functions of one reading of a response."""
    found = []
    for piece in pieces:
        tree = structure.parsed(piece)
        if tree is not None:
            found += [(n.name, n, "") for n in in_class(tree, class_name)]
            continue
        named = re.search(r"def\s+(\w+)", piece)
        found += [(named[1], None, parley_fault.syntax(piece))] if named else []
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
    for name, node, _ in found:
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
        mine = [f for f in functions if f[0] in job["methods"]]
        agents.append({"methods": [name for name, _, _ in mine], "valid": [name for name, node, _ in mine if node is not None],
                       "faults": {name: fault for name, node, fault in mine if node is None}})
    program = merge(job, [f for functions in found for f in functions])
    return {"agents": agents, "program": program, "compiles": compiles(program), "fault": parley_fault.syntax(program), "tests": tests(job["tests"])}


def private_unittest():
    """A copy of unittest that programs do not find: its modules by their names."""
    public = taken()
    importlib.import_module("unittest")
    mine = taken()
    sys.modules.update(public)
    return mine


def taken():
    """Take the modules of unittest out of those that are loaded."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "unittest"}


PRIVATE = private_unittest()
unittest = PRIVATE["unittest"]


def define_tests(tests, space):
    """Define the tests over the private copy of unittest."""
    public = taken()
    sys.modules.update(PRIVATE)
    exec(compile(tests, "<tests>", "exec"), space)
    taken()
    sys.modules.update(public)


def run(case, method):
    """Run one unit test; the result, and whether it asks for another try: one that fails within a second, while the clock went on to the
    next. Tests of the benchmark compare times of day that are read twice."""
    began = now()
    result = unittest.TestResult()
    unittest.TestSuite([case(method)]).run(result)
    ended = now()
    return result, not result.wasSuccessful() and ended - began < 1 and int(began) != int(ended)


def test(job, descriptor):
    """Run one unit test in the class's own process, and tell the notary."""
    verdict = FAILED
    try:
        space = {"__name__": "program"}
        _, tests = defined(job, descriptor, space)
        define_tests(tests["tests"], space)
        result, again = run(space[tests["class"]], tests["method"])
        verdict = PASSED if result.wasSuccessful() else AGAIN if again else FAILED
    finally:
        claim(descriptor, verdict)


def judge(job, descriptor):
    """Run one unit test here, about the class in the other sandbox."""
    parley_fault.quietly()
    sys.path[:] = [path for path in sys.path if os.path.isabs(path) and path != os.getcwd()]
    space = {"__name__": "tests"}
    for source in job["imports"] or []:
        try:
            exec(compile(source, "<imports>", "exec"), space)
        except ImportError:
            pass  # a package that tests may do without
    space[job["entry"]] = parley_remote.Remote(Channel(descriptor), sys.stdout).named(job["entry"])
    define_tests(job["tests"], space)
    result, again = run(space[job["class"]], job["method"])
    raise SystemExit(0 if result.wasSuccessful() else CODES[AGAIN] if again else 1)


def report(job):
    """Run one unit test and print how it fails, which is nothing where it passes."""
    out = parley_fault.quietly()
    try:
        space = {"__name__": "program"}
        exec(compile(job["program"], "<program>", "exec"), space)
        define_tests(job["tests"], space)
        result, again = run(space[job["class"]], job["method"])
        if again:
            end_process(CODES[AGAIN])
        found = [text.strip().splitlines()[-1] for _, text in result.errors + result.failures]
        error = "" if result.wasSuccessful() else (found or ["it failed"])[0]
    except BaseException as e:
        error = "%s: %s" % (type(e).__name__, e)
    parley_fault.tell(out, error)
