"""Programs of frameworks of agents are trained as they are: one update each, over a base whose template prints tools.

    python3 bench/harness/train.py --parley ./parley
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "serving")]
import programs  # noqa: E402
from frameworks import base_with_tools  # noqa: E402

RECIPE = """
name: {name}
model: {model}
task: {{name: sums}}
team:
  protocol: harness
  agents: {{writer: {{}}, critic: {{}}}}
  harness: {{python: {program}, interpreter: {python}, parallel: 2}}
policies: {{sharing: per-agent}}
sampling: {{max_tokens: 300}}
algorithm: magrpo
optimizer: {{lr: 0.001}}
group: {{size: 2}}
training: {{updates: 1, problems: 2}}
eval: {{problems: 1, baselines: []}}
"""


def train(parley, work, name, model):
    recipe = work / f"{name}.yaml"
    recipe.write_text(RECIPE.format(name=name, model=model, program=HERE / "programs.py", python=sys.executable))
    run = work / name
    done = subprocess.run([parley, "train", recipe, "--out", run], env={**os.environ, "FRAMEWORK": name.replace("-", "_")}, capture_output=True, text=True)
    assert done.returncode == 0, f"{name}: {done.stderr[-3000:]}\n{(run / 'harness.log').read_text()[-3000:] if (run / 'harness.log').exists() else ''}"
    verified = subprocess.run([parley, "run", "verify", run], capture_output=True, text=True)
    assert verified.returncode == 0, f"{name}: {verified.stderr}{verified.stdout}"
    metrics = json.loads((run / "metrics.jsonl").read_text())
    counts = metrics["harness"]
    assert set(counts["calls"]) == {"writer", "critic"} and min(counts["calls"].values()) >= 1, counts
    assert not metrics.get("failed_episodes") and metrics["ratio_max"] == 1 and metrics["first_ratio_deviation"] == 0, metrics
    print(f"{name}: {counts['calls']} calls an episode")


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--parley", required=True)
    args.add_argument("--only", nargs="*")
    args = args.parse_args()
    with tempfile.TemporaryDirectory() as work:
        base = base_with_tools(work)
        for program in programs.PROGRAMS:
            name = program.__name__.replace("_", "-")
            if not args.only or name in args.only:
                train(str(pathlib.Path(args.parley).resolve()), pathlib.Path(work), name, base)


if __name__ == "__main__":
    main()
