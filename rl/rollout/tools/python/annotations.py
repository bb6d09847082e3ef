"""Reads functions as tools: their docstrings, and their annotations as JSON schemas. Wheels of the package parley have this file too, for functions that stay in the user's process."""

import ast
import json
from typing import Any, Optional, Sequence, Union

Schema = dict[str, Any]

PLAIN = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object", "None": "null"}


def schema(node: ast.expr) -> Optional[Schema]:
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


def inside(node: ast.expr) -> Sequence[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def either(nodes: Sequence[ast.expr]) -> Optional[Schema]:
    """The schema of a union. What may also be None may be left out; its type is the other one."""
    all_of_them = [schema(n) for n in nodes if ast.unparse(n) != "None"]
    some = [s for s in all_of_them if s is not None]
    if len(some) < len(all_of_them) or not some:
        return None
    return some[0] if len(some) == 1 else {"anyOf": some}


def generic(name: str, args: Sequence[ast.expr]) -> Optional[Schema]:
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


def described(doc: str) -> tuple[str, dict[str, str]]:
    """A docstring's text, and what its section Args says of each parameter."""
    text: list[str] = []
    params: dict[str, str] = {}
    within: Optional[bool] = False
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


def function(node: ast.FunctionDef) -> Union[Schema, str]:
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
    properties: Schema = {}
    for p in named:
        if p.annotation is None:
            return "its parameter %s has no annotation" % p.arg
        s = schema(p.annotation)
        if s is None:
            return "its parameter %s is annotated %s, expected str, int, float, bool, list, dict, Optional, Union or Literal of these" % (p.arg, ast.unparse(p.annotation))
        properties[p.arg] = dict(s, description=what[p.arg]) if p.arg in what else s
    return {"name": node.name, "description": text, "parameters": {"type": "object", "properties": properties, "required": required}}


def describe(job: dict[str, Any]) -> dict[str, Any]:
    """The tools of a file, and why other functions of it are none."""
    try:
        tree = ast.parse(job["source"], job["name"])
    except SyntaxError as e:
        return {"error": "line %s: %s" % (e.lineno, e.msg)}
    tools: list[Schema] = []
    others: list[str] = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            tool = function(node) if isinstance(node, ast.FunctionDef) else "it is asynchronous"
            if isinstance(tool, dict):
                tools.append(tool)
            else:
                others.append("def %s, line %d: %s" % (node.name, node.lineno, tool))
    return {"functions": tools, "others": others}


def written(value: Any) -> str:
    """A value as the model reads it."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "replace")
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(value)
