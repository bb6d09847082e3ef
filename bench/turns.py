#!/usr/bin/env python3
"""How the cost of an episode grows with its turns: 16 agents that each go on with a chat of their own and read one neighbor's last text.

    python3 bench/turns.py --parley ./parley

What is new in a turn, a short prompt and an answer for each agent, is as long in every turn; agents are named in their first prompts, and tokens are
drawn at a high temperature, so that no chat begins as another one does. The table has, for episodes of 2, 4, 8 and 16 turns, relative to those of 2,
what a turn costs: the tokens that go through the model to sample and to learn, and the time of both. The last column has the tokens in prompts, which
would go through the model where prefixes were not shared. Where tokens grow by more than a tenth the script fails.
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
          prompt: "{{{{if .Others}}}}{{{{(index .Others 0).Text}}}}{{{{else}}}}{{{{.Agent}}}}: {{{{.Question}}}}{{{{end}}}}"
  answer: vote
sampling: {{max_tokens: 6, min_tokens: 6, temperature: 2}}
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
    """What an update of episodes of so many turns costs, per turn: tokens of the first one, seconds of the fastest one."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        recipe = folder / "ring.yaml"
        names = ", ".join(f"agent{i + 1}" for i in range(AGENTS))
        recipe.write_text(RECIPE.format(turns=turns, agents=AGENTS, names=names, updates=updates))
        subprocess.run([parley, "train", recipe, "--out", folder / "run"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        timing, metrics = lines(folder / "run" / "timing.jsonl"), lines(folder / "run" / "metrics.jsonl")
    cost = {
        "tokens sampling": timing[0]["computed"]["sampled"],
        "tokens learning": timing[0]["computed"]["trained"],
        "time sampling": min(t["sample_seconds"] for t in timing),
        "time learning": min(t["learn_seconds"] for t in timing),
        "prompts": metrics[0]["prompt_tokens"],
    }
    return {k: v / turns for k, v in cost.items()}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--parley", default="./parley")
    options.add_argument("--turns", default="2,4,8,16")
    options.add_argument("--updates", type=int, default=4)
    options.add_argument("--bound", type=float, default=0, help="fail where sampling and learning of the longest episode cost more per turn than so many times the shortest; 0: never")
    o = options.parse_args()
    costs = {turns: measure(o.parley, turns, o.updates) for turns in map(int, o.turns.split(","))}
    first, last = (costs[turns] for turns in (min(costs), max(costs)))
    columns = list(first)
    print("| turns | answers | " + " | ".join(columns) + " |\n|---|---|" + "---|" * len(columns))
    for turns, cost in costs.items():
        print(f"| {turns} | {turns * AGENTS} | " + " | ".join(f"{cost[c] / first[c]:.2f}" for c in columns) + " |")
    for what in ("tokens sampling", "tokens learning"):
        if last[what] > 1.1 * first[what]:
            raise SystemExit(f"{what}: a turn of the longest episode takes {last[what]:.0f}, one of the shortest {first[what]:.0f}")
    share = (last["time sampling"] + last["time learning"]) / (first["time sampling"] + first["time learning"])
    if o.bound and share > o.bound:
        raise SystemExit(f"a turn of the longest episode costs {share:.2f} times one of the shortest, more than {o.bound}")


if __name__ == "__main__":
    main()
