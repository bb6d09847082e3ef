"""Describes the functions of a user's file for the host, and calls them or runs snippets, each call once in a sandbox."""

import ast

LONGEST = 2000  # characters of an error


def told(name, error):
    """The error as the model is told it, in one line: what it is, and in which line of the file."""
    if isinstance(error, Late):
        return "no result within the time that a call has"
    if isinstance(error, SystemExit):
        return "it left the interpreter instead of returning"
    if isinstance(error, MemoryError):
        return "MemoryError: it took more memory than a call has"
    text = "; ".join(traceback.format_exception_only(type(error), error)[-1].split("\n")).strip("; ")[:LONGEST]
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == name]
    if isinstance(error, SyntaxError):
        lines = [error.lineno or 0]
    return "%s (line %d)" % (text, lines[-1]) if lines else text


def called(job):
    """Call a function of a file."""
    space = {"__name__": "tools", "__file__": job["name"]}
    exec(compiled(job["source"], job["name"]), space)
    return written(space[job["function"]](**job["arguments"]))


def snippet(source):
    """Run a snippet; what it prints is its result, and the value of a last expression, as at Python's prompt."""
    name = "<snippet>"
    tree = ast.parse(source, name)
    space = {"__name__": "__main__"}
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    compiled(source, name)
    exec(compile(tree, name, "exec"), space)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), name, "eval"), space)
        if value is not None:
            print(repr(value))


def once(job):
    """Answer one job of the host."""
    if job["do"] == "run":
        sys.stderr = sys.stdout
        out = guarded("<snippet>", job["seconds"], lambda: {"result": snippet(job["arguments"]["code"])})
        if "error" in out:
            print("error: " + out["error"])
        sys.stdout.flush()
        return
    with silenced() as out:
        if job["do"] == "describe":
            json.dump(describe(job), out)
        else:
            json.dump(guarded(job["name"], job["seconds"], lambda: {"result": called(job)}), out)
