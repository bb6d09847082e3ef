"""Writes tinygsm/train.jsonl: word problems whose solutions are programs, in the form of TinyGSM."""
import json
import os

os.makedirs("tinygsm", exist_ok=True)
with open("tinygsm/train.jsonl", "w") as f:
    for i in range(120):
        a, b, c = 3 + i, 2 + i % 7, 1 + i % 3
        question = f"Mia has {a} shells. She finds {b} and gives {c} to Tom. How many shells are left?"
        f.write(json.dumps({"question": question, "code": f"def simple_math_problem() -> int:\n    return {a} + {b} - {c}\n"}) + "\n")
