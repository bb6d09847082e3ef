# A verifier that needs no right answers. It scores an answer by its work: every sum in it must hold, only numbers of the question may be
# used, each of them at least once, and the box must have the last result. docs/verifier.md has the protocol.
import json
import re
import sys

SUM = re.compile(r"(\d+(?:[+*-]\d+)+)=(\d+)")
NUMBER = re.compile(r"\d+")


def value(expression):
    terms = re.findall(r"[+-]?[^+-]+", expression)
    total = 0
    for term in terms:
        product = -1 if term[0] == "-" else 1
        for factor in term.lstrip("+-").split("*"):
            product *= int(factor)
        total += product
    return total


def score(question, answer):
    known = set(NUMBER.findall(question))
    missing = set(known)
    result = None
    for expression, result in SUM.findall(answer):
        used = set(NUMBER.findall(expression))
        if value(expression) != int(result) or not used <= known:
            return 0.0
        missing -= used
        known.add(result)
    box = re.search(r"\\boxed\{(\d+)\}", answer)
    return float(box is not None and box.group(1) == result and not missing)


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], "score": score(asked["question"], asked["answer"])}), flush=True)
