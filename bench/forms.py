"""What a schema costs: answers of a served model with one, and as many tokens without, in turns.

    python3 bench/forms.py --parley ./parley --model SmolLM2-135M-Instruct.Q4_1.gguf

Every round asks for a batch of answers at once, first of the schema, then plain ones of the same lengths. It prints the median of the ratios.
"""
import argparse
import concurrent.futures
import json
import os
import re
import statistics
import subprocess
import time
import urllib.request

PERSON = {"type": "object", "properties": {"name": {"type": "string", "minLength": 4, "maxLength": 24}, "age": {"type": "integer", "minimum": 0, "maximum": 120}}, "required": ["name", "age"]}
SCHEMA = {"type": "array", "items": PERSON, "minItems": 3, "maxItems": 8}


def ask(url, token, body):
    request = urllib.request.Request(url + "/v1/completions", json.dumps(body).encode(), {"Content-Type": "application/json", "Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)


def batch(url, token, bodies):
    """The answers to all at once, and the seconds that they took."""
    with concurrent.futures.ThreadPoolExecutor(len(bodies)) as pool:
        begun = time.monotonic()
        answers = list(pool.map(lambda body: ask(url, token, body), bodies))
        return answers, time.monotonic() - begun


def main():
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--parley", required=True)
    flags.add_argument("--model", required=True)
    flags.add_argument("--users", type=int, default=32)
    flags.add_argument("--rounds", type=int, default=5)
    args = flags.parse_args()
    command = [args.parley, "serve", args.model, "--addr", "127.0.0.1:0", "--working", str(args.users)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "PARLEY_TOKEN": ""})
    head = ""
    while "token " not in head or "listening on" not in head:
        line = server.stderr.readline()
        assert line, f"it does not listen: {head}"
        head += line
    url, token = re.search(r"listening on (\S+)", head)[1], re.search(r"token (\S+)", head)[1]
    try:
        ratios = []
        for r in range(-1, args.rounds):  # the first makes what is made once
            plain = [{"model": args.model, "prompt": f"{user} people:", "seed": r * args.users + user, "ignore_eos": True} for user in range(args.users)]
            held = [{**body, "ignore_eos": False, "max_tokens": 160, "structured_outputs": {"json": SCHEMA}} for body in plain]
            answers, with_form = batch(url, token, held)
            for answer in answers:
                people = json.loads(answer["choices"][0]["text"])
                assert 3 <= len(people) <= 8 and all(0 <= p["age"] <= 120 for p in people), people
            lengths = [answer["usage"]["completion_tokens"] for answer in answers]
            _, without = batch(url, token, [{**body, "max_tokens": n} for body, n in zip(plain, lengths)])
            if r >= 0:
                ratios.append(without / with_form)
        print(json.dumps({"users": args.users, "tokens": sum(lengths), "speed with a schema over without": [round(x, 3) for x in ratios], "median": round(statistics.median(ratios), 3)}))
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
