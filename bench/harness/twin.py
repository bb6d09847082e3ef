"""A team in a program and the same team as a workflow: what they learn over seeds, and what an episode costs.

    python3 bench/harness/twin.py --parley ./parley --seeds 1 2 3 4 5     # both trainings of every seed
    python3 bench/harness/twin.py --parley ./parley --overhead 5          # four episodes of eight calls at a time, in turns

The program needs nothing but Python. Costs are ratios of two runs one after the other: of the time of whole rollouts, by timing.jsonl, and of processor time.
"""
import argparse
import json
import math
import pathlib
import resource
import statistics
import subprocess
import tempfile

PROGRAM = '''
import http.client, json, os, urllib.parse

CONNECTIONS = {}


def ask(e, agent, text):
    url = urllib.parse.urlsplit(e["base_url"])
    connection = CONNECTIONS.setdefault(url.netloc, http.client.HTTPConnection(url.netloc))
    body = json.dumps({"model": agent, "messages": [{"role": "user", "content": text}]})
    connection.request("POST", url.path + "/chat/completions", body, {"Content-Type": "application/json", "Authorization": "Bearer " + e["api_key"]})
    return json.loads(connection.getresponse().read())["choices"][0]["message"]["content"]


def episode(e):
    question, text = e["item"]["question"], None
    for turn in range(TURNS):
        if turn % 2 == 0:
            text = ask(e, "writer", "Question: " + question + "\\nSolve step by step. Answer: \\\\boxed{XX}")
        else:
            text = ask(e, "editor", "Question: " + question + "\\nAgent 1 solution: " + text + "\\nOnce again, the question is: " + question)
    return {"answer": text}
'''
RECIPE = """
name: twin
task: {name: sums}
%s
policies: {sharing: per-agent}
sampling: {max_tokens: 48}
algorithm: magrpo
optimizer: {lr: 0.001, warmup: 2}
group: {rollout: episodes, size: 4, discount: 1}
training: {updates: 8, problems: 16}
eval: {problems: 200, baselines: []}
"""
HARNESS = "team: {protocol: harness, agents: {writer: {}, editor: {}}, harness: {python: team.py}}"
WORKFLOW = r"""team:
  protocol: workflow
  agents: {writer: {}, editor: {}}
  workflow:
    - repeat: %d
      steps:
        - {ask: writer, prompt: "Question: {{.Question}}\nSolve step by step. Answer: \\boxed{XX}"}
        - {ask: editor, prompt: "Question: {{.Question}}\nAgent 1 solution: {{.Last.writer}}\nOnce again, the question is: {{.Question}}"}
  answer: editor"""


def recipes(folder, turns):
    (folder / "team.py").write_text(f"TURNS = {turns}\n" + PROGRAM)
    (folder / "program.yaml").write_text(RECIPE % HARNESS)
    (folder / "workflow.yaml").write_text(RECIPE % (WORKFLOW % (turns // 2)))


def train(parley, folder, name, seed, *sets):
    run = folder / f"{name}-{seed}"
    subprocess.run([parley, "train", folder / f"{name}.yaml", "--seed", str(seed), "--out", run, *(f"--set={s}" for s in sets)], check=True, capture_output=True)
    return run


def scores(run):
    return {row["system"]: row["score"] for row in json.loads((run / "report.json").read_text())["rows"]}


def interval(values):
    half = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}.get(len(values), math.nan) * statistics.stdev(values) / math.sqrt(len(values))
    return f"{statistics.mean(values):.3f} ± {half:.3f}"


def learning(parley, folder, seeds):
    recipes(folder, 2)
    trained = {name: [scores(train(parley, folder, name, seed)) for seed in seeds] for name in ("program", "workflow")}
    for name, rows in trained.items():
        assert statistics.mean(r["trained"] - r["off-the-shelf"] for r in rows) > 0, rows
        print(name, [round(r["trained"], 3) for r in rows])
        print(f"{name}: untrained {interval([r['off-the-shelf'] for r in rows])}, trained {interval([r['trained'] for r in rows])}")
    print("program - workflow, by seed:", interval([p["trained"] - w["trained"] for p, w in zip(*trained.values())]))


def rollout_seconds(run):
    rows = [json.loads(line) for line in (run / "timing.jsonl").read_text().splitlines()]
    return sum(row["seconds"] - row["learn_seconds"] - row["save_seconds"] for row in rows[1:])  # the first starts the programs


def overhead(parley, folder, rounds, model):
    recipes(folder, 8)
    small = ["training.updates=2", "training.problems=1", "eval.problems=2", "sampling.min_tokens=48", f"model={model}"]
    ratios, worked = [], []
    for seed in range(1, rounds + 1):
        (program, busy), (workflow, busy_workflow) = (measured(parley, folder, name, seed, small) for name in ("program", "workflow"))
        ratios.append(program / workflow)
        worked.append(busy / busy_workflow)
        print(f"rollouts of 8 calls: program {program:.2f} s, workflow {workflow:.2f} s, ratio {ratios[-1]:.2f}, of processor time {worked[-1]:.2f}", flush=True)
    print(f"median of the ratios: {statistics.median(ratios):.2f}, of processor time {statistics.median(worked):.2f}")


def measured(parley, folder, name, seed, sets):
    """The seconds of the rollouts, and the processor seconds of the whole run and its programs, which other work on the machine changes less."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = rollout_seconds(train(parley, folder, name, seed, *sets))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--parley", required=True, type=pathlib.Path)
    flags.add_argument("--seeds", nargs="+", type=int)
    flags.add_argument("--overhead", type=int, metavar="ROUNDS")
    flags.add_argument("--model", default="parley-base")
    args = flags.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if args.seeds:
            learning(args.parley.resolve(), pathlib.Path(folder), args.seeds)
        if args.overhead:
            overhead(args.parley.resolve(), pathlib.Path(folder), args.overhead, args.model)


if __name__ == "__main__":
    main()
