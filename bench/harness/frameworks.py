"""Programs of frameworks of agents are trained as they are: one update each, over a base whose template knows calls.

    python3 bench/harness/frameworks.py --parley ./parley --model SmolLM2-135M-Instruct.Q4_1.gguf
"""
import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import programs  # noqa: E402

RECIPE = """
name: {name}
model: {model}
task: {{name: sums}}
team:
  protocol: harness
  agents: {{writer: {{}}, critic: {{}}}}
  harness: {{python: {program}, interpreter: {python}, parallel: 2}}
policies: {{sharing: per-agent}}
sampling: {{max_tokens: 24}}
algorithm: magrpo
optimizer: {{lr: 0.001}}
group: {{size: 2}}
training: {{updates: 1, problems: 2}}
eval: {{problems: 1, baselines: []}}
"""


def lines(file):
    with (gzip.open if file.suffix == ".gz" else open)(file, "rt") as f:
        return [json.loads(line) for line in f]


def train(parley, work, name, model):
    recipe = work / f"{name}.yaml"
    recipe.write_text(RECIPE.format(name=name, model=model, program=HERE / "programs.py", python=sys.executable))
    run = work / name
    done = subprocess.run([parley, "train", recipe, "--out", run], env={**os.environ, "FRAMEWORK": name.replace("-", "_")}, capture_output=True, text=True)
    assert done.returncode == 0, f"{name}: {done.stderr[-3000:]}\n{(run / 'harness.log').read_text()[-3000:] if (run / 'harness.log').exists() else ''}"
    verified = subprocess.run([parley, "run", "verify", run], capture_output=True, text=True)
    assert verified.returncode == 0, f"{name}: {verified.stderr}{verified.stdout}"
    (metrics,) = lines(run / "metrics.jsonl")
    counts = metrics["harness"]
    assert set(counts["calls"]) == {"writer", "critic"} and min(counts["calls"].values()) >= 1, counts
    assert not metrics.get("failed"), metrics
    ratio = json.dumps({k: v for k, v in metrics.items() if "ratio" in k})
    print(f"{name}: {counts['calls']} calls an episode, {ratio}")


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--parley", required=True)
    args.add_argument("--model", required=True)
    args.add_argument("--only", nargs="*")
    args = args.parse_args()
    with tempfile.TemporaryDirectory() as work:
        for program in programs.PROGRAMS:
            name = program.__name__.replace("_", "-")
            if not args.only or name in args.only:
                train(str(pathlib.Path(args.parley).resolve()), pathlib.Path(work), name, pathlib.Path(args.model).resolve())


if __name__ == "__main__":
    main()
