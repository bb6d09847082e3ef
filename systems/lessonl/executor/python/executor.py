"""Programs that a team wrote: their tests, and how fast they are beside a source. Each run has a process of its own."""

import ast
import copy
import json
import random
import statistics
import time
import traceback

LINES = 7  # of what an error says
SPAN = 0.02  # seconds that are measured at once at least: some systems count processor time in steps of milliseconds
MOST = 1024  # calls at once
WALL = 0.1  # seconds by the clock after which no more calls are tried at once: copies of large inputs take time too


def code(text):
    """The Python in a text: what stands in its fences, where it has any."""
    parts = text.split("```")
    if len(parts) < 3:
        return text.strip("\n")
    return "\n".join(part.split("\n", 1)[-1] for part in parts[1::2]).strip("\n")


def asserts(job):
    """The assertions of a text, at most so many, and the imports that they need. A line that does not parse is no test."""
    tests, setup = [], []
    text = code(job["tests"])
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        body = []
        for line in text.split("\n"):
            try:
                body += ast.parse(line.strip()).body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                pass
    for statement in body:
        if isinstance(statement, ast.Assert):
            tests.append(ast.unparse(statement))
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            setup.append(ast.unparse(statement))
    print(json.dumps({"tests": tests[: job["most"]], "setup": "\n".join(setup)}))


def define(program):
    """The names of a program. An error ends the process with the last lines that it says."""
    space = {"__name__": "program"}
    try:
        exec(compile(code(program), "program.py", "exec"), space)
    except BaseException:
        fail("define")
    return space


def fail(stage):
    lines = traceback.format_exc().strip().split("\n")
    own = next((i for i, line in enumerate(lines) if "program.py" in line), max(0, len(lines) - LINES))
    print("\n" + json.dumps({"stage": stage, "error": "\n".join(lines[own:][:LINES])}))
    raise SystemExit(0)


def test(job):
    """Run one assertion on a program."""
    space = define(job["program"])
    try:
        exec(compile(job["setup"] + "\n" + job["test"], "test.py", "exec"), space)
    except BaseException as e:
        print("\n" + json.dumps({"stage": "test", "error": (type(e).__name__ + ": " + str(e)).rstrip(": ")[:200]}))
        return
    print("\n" + json.dumps({"stage": "passed"}))


def plain(value):
    """A result as JSON holds it."""
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    return repr(value)


def measure(job):
    """What a function gives for all inputs, and the processor time that it takes for them: the median of some repeats, each
    of as many calls as take a while. Those before warm up. The clock and the inputs are there before the program is."""
    clock, wall, copied, median, dumps = time.process_time, time.monotonic, copy.deepcopy, statistics.median, json.dumps
    random.seed(1)
    maker = {}
    exec(compile(job["inputs"], "inputs.py", "exec"), maker)
    inputs = [tuple(args) for args in maker["inputs"]()]
    space = define(job["program"])
    function = space.get(job["entry"])
    if not callable(function):
        print("\n" + dumps({"stage": "define", "error": "it defines no function " + job["entry"]}))
        return

    def span(times):
        calls = [copied(inputs) for _ in range(times)]
        begin = clock()
        for call in calls:
            results = [function(*args) for args in call]
        return clock() - begin, results

    try:
        times, taken, begun = 1, span(1)[0], wall()
        while times < MOST and taken < SPAN and wall() - begun < WALL:
            times *= 2
            taken = span(times)[0]
        seconds = []
        for _ in range(job["repeats"]):
            taken, outputs = span(times)
            seconds.append(taken / times)
        said = dumps({"stage": "measured", "seconds": median(seconds), "outputs": outputs}, default=plain)
    except BaseException:
        fail("run")
    print("\n" + said)
