"""Templates drawn at random from the parts of the language that chat templates use."""

import random

LITERALS = ["0", "1", "-1", "2", "3.5", "'a'", "'User'", "' x '", "''", "'a b,c'", "none", "true", "false", "[]", "[1, 2, 3]", "['b', 'a', 'B']", "{}", "{'a': 1, 'b': [2]}", "(1, 'a')"]
NAMES = ["messages", "m", "m.role", "m.content", "m['content']", "m.name", "m.tool_calls", "tools", "bos_token", "x", "x", "y", "zzz", "loop.index0", "loop.last", "loop", "add_generation_prompt", "ns.n", "ns.t", "messages[0].role", "messages[-1]['content']", "m.reasoning_content"]
FILTERS = ["trim", "upper", "lower", "capitalize", "title", "length", "list", "first", "last", "string", "int", "float", "tojson", "join(', ')", "join", "default('d')", "default('d', true)", "reverse", "sort", "unique", "items", "dictsort", "max", "min", "sum", "abs", "e", "safe", "replace('a', 'b')", "indent(2)", "map('upper')", "map(attribute='role')", "select", "reject('none')", "selectattr('role', 'equalto', 'user')", "rejectattr('content')", "tojson(indent=1)", "map('length')", "select('string')", "count"]
TESTS = ["defined", "undefined", "none", "string", "mapping", "iterable", "sequence", "number", "boolean", "integer", "float", "true", "false", "odd", "even", "upper", "lower", "eq(1)", "in ['a', 1]", "equalto 'a'", "callable", "divisibleby 2"]
METHODS = [".strip()", ".split()", ".split(' ')", ".split('a')[0]", ".upper()", ".startswith('a')", ".endswith('x')", ".replace('a', '')", ".items()", ".get('a')", ".get('role', 'r')", ".keys()", ".values() | list", ".title()", ".lstrip('\\n')", ".rstrip()", "[0]", "[-1]", "[1:]", "[:2]", "[::-1]", ".a", "['a']", ".role", "['role']", ".format(1)", ".find('a')", ".count('a')", ".index('a')", ".join(['p', 'q'])", ".splitlines()"]
BINARY = ["+", "-", "*", "/", "//", "%", "~", "~", "~", "==", "!=", "<", ">", "<=", ">=", "and", "or", "in", "not in"]


class Drawer:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def expression(self, depth=3):
        r = self.r
        kind = r.random() if depth else r.random() * 0.4
        if kind < 0.15:
            return r.choice(LITERALS)
        if kind < 0.4:
            return r.choice(NAMES)
        inner = self.expression(depth - 1)
        if kind < 0.55:
            return f"{self.closed(inner)} | {r.choice(FILTERS)}"
        if kind < 0.65:
            return f"{self.closed(inner)}{r.choice(METHODS)}"
        if kind < 0.75:
            return f"{self.closed(inner)} is {r.choice(['', 'not '])}{r.choice(TESTS)}"
        if kind < 0.9:
            return f"{inner} {r.choice(BINARY)} {self.expression(depth - 1)}"
        if kind < 0.94:
            return f"not {inner}"
        if kind < 0.97:
            return f"{inner} if {self.expression(depth - 1)} else {self.expression(depth - 1)}"
        return f"({inner}) if {self.expression(depth - 1)}"

    def closed(self, text):
        return text if text.replace("_", "").replace(".", "").isalnum() else f"({text})"

    def statements(self, depth=2):
        return "".join(self.statement(depth) for _ in range(self.r.randint(1, 4)))

    def statement(self, depth):
        r = self.r
        a, z = r.choice(["", "-", ""]), r.choice(["", "-", ""])
        kind = r.random() if depth else r.random() * 0.6
        if kind < 0.35:
            return f"{{{{{a} {self.expression()} {z}}}}}"
        if kind < 0.5:
            return r.choice(["\n", " ", "text\n", "\n  ", "<|x|>", "  {# c #}\n", "a\n\nb"])
        if kind < 0.55:
            return f"{{%{a} set {r.choice(['x', 'y', 'ns.n', 'ns.t', 'x, y'])} = {self.expression()} {z}%}}"
        if kind < 0.6:
            return f"{{%{a} set x %}}{self.expression(1)} text{{% endset {z}%}}"
        body = self.statements(depth - 1)
        if kind < 0.75:
            tail = f"{{% elif {self.expression(1)} %}}{self.statements(depth - 1)}" * r.randint(0, 1) + f"{{%{z} else %}}{self.statements(depth - 1)}" * r.randint(0, 1)
            return f"{{%{a} if {self.expression(2)} %}}{body}{tail}{{%{a} endif {z}%}}"
        if kind < 0.95:
            over = r.choice(["messages", "messages", "messages", "messages[1:]", "messages[::-1]", "tools", "tools or []", "x", "range(3)", "m.items()", "[1, 2]", self.expression(1)])
            target = r.choice(["m", "m", "m", "x", "k, v"])
            some = r.choice(["", "", f" if {self.expression(1)}"])
            leave = r.choice(["", "", "", f"{{% if {self.expression(1)} %}}{{% {r.choice(['break', 'continue'])} %}}{{% endif %}}"])
            return f"{{%{a} for {target} in {over}{some} {z}%}}{leave}{body}{r.choice(['', '{% else %}none'])}{{%{z} endfor %}}"
        name = r.choice("fg")
        return f"{{% macro {name}(x, y=1) {z}%}}{body}{{% endmacro %}}{{{{ {name}({self.expression(1)}) }}}}"


def templates(n, seed):
    for i in range(n):
        yield "{% set ns = namespace(n=0, t='') %}" + Drawer(seed * 1_000_003 + i).statements(3)
