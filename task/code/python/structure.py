"""The syntax of functions, prompts and tests."""

import ast
import re

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def parsed(text):
    """The syntax tree of text, or None."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def lines_of(text):
    """The lines of source: other separators, such as a form feed, may stand inside a string."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def without_fences(text):
    return "\n".join(line for line in lines_of(text) if not line.lstrip().startswith("```"))


def indentation(line):
    return len(line) - len(line.lstrip())


def own_nodes(function):
    """The nodes of a function that are not inside functions or classes of its own."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, FUNCTIONS + (ast.Lambda, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(node))


def says_return(source):
    """Whether the word return stands outside comments."""
    return any(re.search(r"\breturn\b", line.split("#")[0]) for line in lines_of(source))


def returns(source):
    """Whether a function has a return statement; if it does not parse, whether the word is there."""
    tree = parsed(source)
    if tree is None:
        return says_return(source)
    return any(isinstance(n, ast.Return) for function in tree.body for n in own_nodes(function))


def prelude(prompt, names):
    """What of the prompt comes first in the program: its imports once each, and its functions other than names."""
    tree = parsed(prompt)
    if tree is None:
        imports = [line for line in lines_of(prompt) if re.match(r"(import|from)\s+\w", line) and parsed(line)]
        return "\n".join(dict.fromkeys(imports))
    imports = [ast.unparse(n) for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    helpers = [ast.unparse(n) for n in tree.body if isinstance(n, FUNCTIONS) and n.name not in names]
    return "\n".join(list(dict.fromkeys(imports)) + helpers)


def bound_names(statement):
    """The names that a statement assigns; imports do not count."""
    names = set()
    for n in ast.walk(statement):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            names.add(n.id)
        elif isinstance(n, FUNCTIONS + (ast.ClassDef,)):
            names.add(n.name)
    return names


def names_in(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def has_assert(node):
    return any(isinstance(n, ast.Assert) for n in ast.walk(node))


def checks(tree):
    """The function check(candidate), or None."""
    for n in reversed(tree.body):
        if isinstance(n, FUNCTIONS) and n.name == "check" and n.args.args:
            return n
    return None


def tests(text):
    """The name that tests call, and the tests: each with the set-up that runs before it. Tests that share names run in order in one state, as
    they would in one program: what went before one of them is part of its set-up."""
    tree = parsed(text)
    if tree is None:
        return "candidate", []
    check = checks(tree)
    if check is None:
        candidate, statements = "candidate", tree.body
    else:
        candidate = check.args.args[0].arg
        around = [n for n in tree.body if n is not check and not isinstance(n, (ast.Expr, ast.Assert))]
        statements = around + check.body
    found, setup, assigned = {}, [], set()
    for n in statements:
        source = ast.unparse(n)
        if isinstance(n, FUNCTIONS + (ast.ClassDef,)) or not has_assert(n):
            setup.append((source, None))
            assigned |= bound_names(n)
            continue
        shared = names_in(n) & assigned
        if candidate in names_in(n) or shared:
            steps = [step for step, of in setup if of is None or of & shared]
            key = (source, tuple(steps)) if shared else (source,)
            found.setdefault(key, {"setup": steps, "source": source})
        if shared and any(isinstance(x, ast.Call) for x in ast.walk(n)):
            setup.append((went_before(n), shared))
    return candidate, list(found.values())


def went_before(test):
    """A test as what comes before another one that shares names with it: what it changes stays changed, and it counts for itself."""
    handler = ast.ExceptHandler(type=ast.Name("Exception", ast.Load()), name=None, body=[ast.Pass()])
    return ast.unparse(ast.Try(body=[test], handlers=[handler], orelse=[], finalbody=[]))
