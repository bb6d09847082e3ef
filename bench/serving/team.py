"""What a team's answer costs over `parley serve`, beside its own generations asked for one by one.

    parley train debate-sums --out run
    python3 bench/serving/team.py --parley ./parley --run run

So many users at once ask the team for an answer to questions of its training. Beside that, in turns, as many ask for the generations of the episodes that the
run keeps of these questions: the same prompts and as many tokens, turn after turn, the agents of a turn at once. The figure is the ratio of seconds for a
generated token, the median of the rounds. It needs zstd.
"""
import argparse
import concurrent.futures
import json
import os
import statistics
import subprocess
import time
import urllib.request


def post(base, route, body):
    request = urllib.request.Request(base + route, json.dumps(body).encode(), {"Content-Type": "application/json", "Authorization": "Bearer bench"})
    with urllib.request.urlopen(request, timeout=300) as reply:
        return json.load(reply)["usage"]["completion_tokens"]


def team(base, name, episode):
    """The tokens that a whole answer took."""
    return post(base, "/chat/completions", {"model": name, "messages": [{"role": "user", "content": episode["problem"]["question"]}], "temperature": 0.7})


def alone(base, name, episode):
    """The tokens of its generations, each a request of its own."""
    drawn, node = 0, episode["nodes"][0]
    with concurrent.futures.ThreadPoolExecutor(len(node["agents"])) as agents:
        for node in episode["nodes"]:
            bodies = [{"model": f"{name}/agent-{a['agent'] + 1}", "prompt": a["prompt"], "max_tokens": len(a["completions"][0]["tokens"]), "temperature": 0.7, "ignore_eos": True}
                      for a in node["agents"]]
            drawn += sum(agents.map(lambda body: post(base, "/completions", body), bodies))
    return drawn


def per_token(ask, base, name, episodes):
    """Seconds for a generated token, when all users ask at once."""
    with concurrent.futures.ThreadPoolExecutor(len(episodes)) as users:
        begun = time.monotonic()
        drawn = sum(users.map(lambda e: ask(base, name, e), episodes))
        return (time.monotonic() - begun) / drawn


def main():
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--parley", required=True)
    flags.add_argument("--run", required=True, help="a run that has ended, whose team speaks in turns")
    flags.add_argument("--users", default=[1, 8, 16], type=lambda s: [int(n) for n in s.split(",")])
    flags.add_argument("--rounds", default=9, type=int)
    args = flags.parse_args()
    text = subprocess.run(["zstd", "-dc", os.path.join(args.run, "episodes", "000001.jsonl.zst")], check=True, capture_output=True).stdout
    episodes = [json.loads(line) for line in text.splitlines()]
    server = subprocess.Popen([args.parley, "serve", args.run, "--addr", "127.0.0.1:0", "--working", "64"], stderr=subprocess.PIPE, text=True, env={**os.environ, "PARLEY_TOKEN": "bench"})
    try:
        head = ""
        while "listening on" not in head:
            line = server.stderr.readline()
            assert line, head
            head += line
        base = "http://" + head.split("listening on ")[1].split()[0].removeprefix("http://").rstrip("/") + "/v1"
        name = json.load(urllib.request.urlopen(urllib.request.Request(base + "/models", headers={"Authorization": "Bearer bench"})))["data"][0]["id"]
        print(f"team {name}\n\n| users at once | ms a token, the team | ms a token, its generations | ratio |\n|---|---:|---:|---:|")
        for users in args.users:
            rounds = []
            for number in range(args.rounds + 1):
                some = [episodes[(number * users + i) % len(episodes)] for i in range(users)]
                asks = [team, alone] if number % 2 else [alone, team]
                found = {ask: per_token(ask, base, name, some) for ask in asks}
                if number:  # the first round warms up
                    rounds.append((found[team], found[alone]))
            mine, theirs = (1000 * statistics.median(r[i] for r in rounds) for i in (0, 1))
            print(f"| {users} | {mine:.2f} | {theirs:.2f} | {statistics.median(a / b for a, b in rounds):.2f} |")
    finally:
        server.terminate()
        server.wait(60)


if __name__ == "__main__":
    main()
