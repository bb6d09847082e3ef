"""What the solver of recipe.yaml may call."""

import ast
import operator

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


def value(expression: str) -> int:
    """Compute a sum, a difference or a product of whole numbers.

    Args:
        expression: such as 12+30
    """
    return evaluated(ast.parse(expression.strip(), mode="eval").body)


def evaluated(node):
    # Without a docstring and annotations it is no tool.
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](evaluated(node.left), evaluated(node.right))
    raise ValueError("write whole numbers with +, - or *")
