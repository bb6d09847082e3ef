#!/usr/bin/env python3
"""How the cost of an episode grows with its turns: 16 agents that each go on with a chat of their own and read one neighbor's last text.

    python3 bench/turns.py --parley ./parley

What is new in a turn, a short prompt and an answer for each agent, is as long in every turn. The table has the time of sampling and of learning a turn
for episodes of 2, 4, 8 and 16 turns, relative to that with 2 turns, and in its last column what prompts hold in all. Where a turn cost only what is new
in it, the first two would stay at 1.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

AGENTS = 16
RECIPE = """
name: ring-{turns}
task: {{name: sums}}
team:
  protocol: workflow
  agents: {agents}
  workflow:
    - repeat: {turns}
      steps:
        - ask: [{names}]
          chat: continue
          prompt: "{{{{if .Others}}}}{{{{(index .Others 0).Text}}}}{{{{else}}}}{{{{.Question}}}}{{{{end}}}}"
  answer: vote
sampling: {{max_tokens: 6, min_tokens: 6}}
policies: {{sharing: shared}}
reward: {{source: user, user: {{expression: "len(responses[0]) % 7 / 7.0"}}}}
algorithm: magrpo
group: {{rollout: episodes, size: 2, discount: 1}}
training: {{updates: {updates}, problems: 4}}
eval: {{problems: 2, baselines: []}}
"""


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def measure(parley, turns, updates):
    """Seconds of sampling and learning of the fastest update, and its tokens."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        recipe = folder / "ring.yaml"
        names = ", ".join(f"agent{i + 1}" for i in range(AGENTS))
        recipe.write_text(RECIPE.format(turns=turns, agents=AGENTS, names=names, updates=updates))
        subprocess.run([parley, "train", recipe, "--out", folder / "run"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        timing, metrics = lines(folder / "run" / "timing.jsonl"), lines(folder / "run" / "metrics.jsonl")
    return (
        min(t["sample_seconds"] for t in timing),
        min(t["learn_seconds"] for t in timing),
        metrics[0]["tokens"],
        metrics[0]["prompt_tokens"],
    )


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--parley", default="./parley")
    options.add_argument("--turns", default="2,4,8,16")
    options.add_argument("--updates", type=int, default=4)
    options.add_argument("--bound", type=float, default=0, help="fail where sampling and learning of the longest episode cost more per turn than so many times the shortest; 0: never")
    o = options.parse_args()
    base = None
    print("turns   answers   sampling per turn   learning per turn   tokens in prompts per turn")
    for turns in map(int, o.turns.split(",")):
        sampling, learning, tokens, prompts = (x / turns for x in measure(o.parley, turns, o.updates))
        base = base or (sampling, learning, prompts)
        print(f"{turns:5d}   {turns * AGENTS:7d}   {sampling / base[0]:17.2f}   {learning / base[1]:17.2f}   {prompts / base[2]:26.2f}")
    share = (sampling + learning) / (base[0] + base[1])
    if o.bound and share > o.bound:
        raise SystemExit(f"a turn of the longest episode costs {share:.2f} times one of the shortest, more than {o.bound}")


if __name__ == "__main__":
    main()
