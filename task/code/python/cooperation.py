"""How a main function uses the partner's function: rules on its syntax tree."""

import ast

from parley_structure import FUNCTIONS, parsed

AUX = "aux"

# What binds a name that is no node of its own; patterns are there from Python 3.10 on.
CAPTURES = tuple(getattr(ast, kind) for kind in ("ExceptHandler", "MatchAs", "MatchStar", "MatchMapping") if hasattr(ast, kind))


def is_aux(node):
    return isinstance(node, ast.Name) and node.id == AUX


def is_call(node):
    return isinstance(node, ast.Call) and is_aux(node.func)


def is_passing(node):
    """Whether a call has aux itself among its arguments."""
    return isinstance(node, ast.Call) and any(is_aux(a) for a in list(node.args) + [k.value for k in node.keywords])


def rebinds(main):
    """Whether main gives the name aux another meaning."""
    for n in ast.walk(main):
        if isinstance(n, ast.Name) and n.id == AUX and not isinstance(n.ctx, ast.Load):
            return True
        if isinstance(n, FUNCTIONS + (ast.ClassDef,)) and n.name == AUX:
            return True
        if isinstance(n, ast.arg) and n.arg == AUX:
            return True
        if isinstance(n, ast.alias) and (n.asname or n.name) == AUX:
            return True
        if isinstance(n, CAPTURES) and AUX in (getattr(n, "name", None), getattr(n, "rest", None)):
            return True
    return False


def body_of(main):
    body = main.body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
        return body[1:]
    return body


def is_wrapper(main):
    body = body_of(main)
    if not body:
        return True
    if len(body) == 1 and isinstance(body[0], ast.Return):
        return any(is_call(n) for n in ast.walk(body[0]))
    if len(body) == 2 and isinstance(body[1], ast.Return) and isinstance(body[1].value, ast.Name):
        names, value = assignment(body[0])
        return value is not None and is_call(value) and names == [body[1].value.id]
    return False


def assignment(statement):
    """The names that a statement assigns, where it assigns to nothing else, and the value."""
    targets, value = [], None
    if isinstance(statement, ast.Assign):
        targets, value = statement.targets, statement.value
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
        targets, value = [statement.target], statement.value
    names = []
    for t in targets:
        for n in t.elts if isinstance(t, (ast.Tuple, ast.List)) else [t]:
            if isinstance(n, ast.Starred):
                n = n.value
            if not isinstance(n, ast.Name):
                return [], None
            names.append(n.id)
    return names, value


class Use:
    """Where and how main uses aux."""

    def __init__(self, main):
        self.main = main
        self.parent = {child: n for n in ast.walk(main) for child in ast.iter_child_nodes(n)}
        self.read = {n.id for n in ast.walk(main) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        self.calls = [n for n in ast.walk(main) if is_call(n)]
        self.passings = [n for n in ast.walk(main) if is_passing(n)]
        self.dropped = [c for c in self.calls if self.is_dropped(c)]
        self.used = [c for c in self.calls if c not in self.dropped]

    def is_dropped(self, call):
        """Whether the value of a call is a bare statement or bound only to names that are never read."""
        parent = self.parent[call]
        if isinstance(parent, ast.Expr):
            return True
        names, value = assignment(parent)
        if value is not call or any(n in self.read for n in names):
            return False
        return not isinstance(parent, ast.NamedExpr) or isinstance(self.parent[parent], ast.Expr)

    def values(self):
        """Every value of aux as the list of places where it occurs: a call, or all reads of a name bound directly to one."""
        groups = {}
        for call in self.used:
            parent = self.parent[call]
            names, value = assignment(parent)
            direct = value is call and len(names) == 1 and not isinstance(parent, ast.AugAssign)
            if not direct:
                groups.setdefault(ast.unparse(call), []).append(call)
                continue
            group = groups.setdefault(names[0], [])
            if isinstance(parent, ast.NamedExpr):
                group.append(parent)
            if not group or group == [parent]:
                group.extend(n for n in ast.walk(self.main) if isinstance(n, ast.Name) and n.id == names[0] and isinstance(n.ctx, ast.Load))
        for n, passing in enumerate(self.passings):
            places = [a for a in list(passing.args) + [k.value for k in passing.keywords] if is_aux(a)]
            groups[("passing", n)] = places
        return list(groups.values())

    def in_condition(self, node):
        """Whether a node is part of what decides a branch."""
        while node in self.parent:
            parent = self.parent[node]
            if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)) and parent.test is node:
                return True
            if isinstance(parent, ast.comprehension) and node in parent.ifs:
                return True
            if isinstance(parent, getattr(ast, "Match", ())) and parent.subject is node:
                return True
            if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "filter" and parent.args[:1] == [node]:
                return True
            if isinstance(parent, ast.stmt):
                return False
            node = parent
        return False

    def checks_absence(self, node):
        """Whether a place is only a truth test or a comparison with None."""
        parent = self.parent[node]
        if isinstance(parent, ast.Compare):
            sides = [parent.left] + parent.comparators
            return len(sides) == 2 and any(isinstance(s, ast.Constant) and s.value is None for s in sides)
        while isinstance(parent, ast.BoolOp) or isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
            node, parent = parent, self.parent[parent]
        if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            return parent.test is node
        return isinstance(parent, ast.comprehension) and node in parent.ifs

    def above(self, node):
        """Pairs of (node, parent) from a node up to main."""
        while node in self.parent:
            yield node, self.parent[node]
            node = self.parent[node]

    def guarded(self, node):
        """Whether a try statement whose handlers do more than raise again has the node in its body."""
        for child, parent in self.above(node):
            if isinstance(parent, (ast.Try, getattr(ast, "TryStar", ast.Try))) and child in parent.body:
                if any(not all(isinstance(s, ast.Raise) for s in h.body) for h in parent.handlers):
                    return True
        return False

    def repeated(self, node):
        """Whether a node is evaluated again and again."""
        for child, parent in self.above(node):
            if isinstance(parent, (ast.For, ast.AsyncFor)) and child in parent.body:
                return True
            if isinstance(parent, ast.While) and (child in parent.body or child is parent.test):
                return True
            if isinstance(parent, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
                first = parent.generators[0]
                if child is not first or not any(n is node for n in ast.walk(first.iter)):
                    return True
        return False

    def has_default(self, node):
        """Whether a place is the first of `value or alternative`, outside conditions."""
        parent = self.parent[node]
        return isinstance(parent, ast.BoolOp) and isinstance(parent.op, ast.Or) and node is not parent.values[-1] and not self.in_condition(parent)


def falls_back(use):
    if any(use.guarded(n) for n in use.used + use.passings):
        return True
    for places in use.values():
        if any(use.has_default(n) for n in places):
            return True
        if any(use.checks_absence(n) for n in places) and any(not use.in_condition(n) and not use.checks_absence(n) for n in places):
            return True
    return False


def scheme(aux, main):
    """The label of a pair of functions, given in source."""
    tree = parsed(main) if main else None
    if tree is None or not tree.body:
        return "invalid"
    function = tree.body[0]
    use = Use(function)
    if not aux or not (use.calls or use.passings) or rebinds(function):
        return "none"
    if not use.used and not use.passings:
        return "ignored"
    if is_wrapper(function):
        return "wrapper"
    if falls_back(use):
        return "fallback"
    values = use.values()
    if all(use.in_condition(n) for places in values for n in places):
        return "strategy_filter"
    if len(use.used) >= 2 or use.passings or any(use.repeated(c) for c in use.used):
        return "coordinator"
    return "decorator"


def calls(main):
    """Whether main calls aux or passes it on, be there an aux or not."""
    tree = parsed(main) if main else None
    if tree is None or not tree.body:
        return False
    use = Use(tree.body[0])
    return bool(use.calls or use.passings)


def examine(aux, main):
    """The facts that rewards are made of: (used, wrapper, ignored)."""
    tree = parsed(main) if main else None
    if not aux or tree is None or not tree.body:
        return False, False, False
    function = tree.body[0]
    use = Use(function)
    used = bool(use.calls or use.passings) and not rebinds(function)
    return used, used and is_wrapper(function), used and bool(use.dropped)
