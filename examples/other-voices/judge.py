"""The judge says whether two solutions come to the same result. It answers JSON lines."""

import json
import re
import sys


def results(text):
    return re.findall(r"\\boxed\{(-?\d+)\}", text)


for line in sys.stdin:
    ask = json.loads(line)
    first, _, second = ask["messages"][-1]["content"].partition("\n---\n")
    text = "agree" if results(first) == results(second) else "differ"
    print(json.dumps({"id": ask["id"], "text": text}), flush=True)
