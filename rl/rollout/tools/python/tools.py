"""Describes the functions of a user's file for the host, and calls them or runs snippets, each call once in a sandbox."""

import ast

LONGEST = 2000  # characters of an error
PLAIN = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object", "None": "null"}


def schema(node):
    """The JSON schema of an annotation; None: it has none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = ast.parse(node.value, mode="eval").body
    name = ast.unparse(node)
    name = name.removeprefix("typing.")
    if name in PLAIN:
        return {"type": PLAIN[name]}
    if name in ("Any", "object"):
        return {}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return either([node.left, node.right])
    if isinstance(node, ast.Subscript):
        return generic(ast.unparse(node.value).removeprefix("typing."), inside(node.slice))
    return None


def inside(node):
    return node.elts if isinstance(node, ast.Tuple) else [node]


def either(nodes):
    """The schema of a union. What may also be None may be left out; its type is the other one."""
    some = [schema(n) for n in nodes if ast.unparse(n) != "None"]
    if None in some or not some:
        return None
    return some[0] if len(some) == 1 else {"anyOf": some}


def generic(name, args):
    if name in ("list", "List", "tuple", "Tuple", "set", "Set", "Sequence"):
        item = schema(args[0])
        return None if item is None else {"type": "array", "items": item}
    if name in ("dict", "Dict", "Mapping"):
        value = schema(args[-1])
        return None if value is None else {"type": "object", "additionalProperties": value}
    if name == "Optional":
        return schema(args[0])
    if name == "Union":
        return either(args)
    if name == "Literal":
        return {"enum": [ast.literal_eval(a) for a in args]}
    return None


def described(doc):
    """A docstring's text, and what its section Args says of each parameter."""
    text, params, within = [], {}, False
    for line in doc.splitlines():
        bare = line.strip()
        if bare.rstrip(":") in ("Args", "Arguments", "Parameters"):
            within = True
        elif bare.rstrip(":") in ("Returns", "Raises", "Yields", "Example", "Examples"):
            within = None
        elif within and ":" in bare:
            name, _, what = bare.partition(":")
            params[name.split("(")[0].strip()] = what.strip()
        elif within is False:
            text.append(line)
    return "\n".join(text).strip(), params


def function(node):
    """A function as a tool; or a text that says why it is none."""
    doc = ast.get_docstring(node)
    if not doc:
        return "it has no docstring"
    a = node.args
    if a.vararg or a.kwarg or a.posonlyargs:
        return "it has parameters that have no names of their own, such as *args"
    text, what = described(doc)
    named = a.args + a.kwonlyargs
    required = [p.arg for p in a.args[: len(a.args) - len(a.defaults)]]
    required += [p.arg for p, d in zip(a.kwonlyargs, a.kw_defaults) if d is None]
    properties = {}
    for p in named:
        if p.annotation is None:
            return "its parameter %s has no annotation" % p.arg
        s = schema(p.annotation)
        if s is None:
            return "its parameter %s is annotated %s, expected str, int, float, bool, list, dict, Optional, Union or Literal of these" % (p.arg, ast.unparse(p.annotation))
        properties[p.arg] = dict(s, description=what[p.arg]) if p.arg in what else s
    return {"name": node.name, "description": text, "parameters": {"type": "object", "properties": properties, "required": required}}


def describe(job):
    """The tools of a file, and why other functions of it are none."""
    try:
        tree = ast.parse(job["source"], job["name"])
    except SyntaxError as e:
        return {"error": "line %s: %s" % (e.lineno, e.msg)}
    tools, others = [], []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            tool = function(node) if isinstance(node, ast.FunctionDef) else "it is asynchronous"
            if isinstance(tool, dict):
                tools.append(tool)
            else:
                others.append("def %s, line %d: %s" % (node.name, node.lineno, tool))
    return {"functions": tools, "others": others}


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


def written(value):
    """A value as the model reads it."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "replace")
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(value)


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
