"""Trains every recipe that the documents print, and says whether it learns or is followed by the warning that says why not.

    python3 bench/documented/check.py --parley ./parley [--updates 6] [--python INTERPRETER] [NAME...]
    python3 bench/documented/check.py --list

A recipe is a block of YAML in README.md or docs that begins with its name. It is trained over three seeds, for few updates, and where these are not
enough for three times as many, with the files that its document shows or names. The mean reward of the last three updates must exceed that of the first three, over all seeds. Where it does not, `parley
recipe check` must warn, or a diagnostic must fire in every run. NAME picks recipes, --list prints the names of all.

Prints a line a recipe, and exits with 1 where one neither learns nor warns.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS, PROBLEMS = 3, 16
RISE = 0.01  # of the mean reward


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--parley", help="the program")
    p.add_argument("--list", action="store_true", help="print the recipes' names")
    p.add_argument("--updates", type=int, default=6, help="of each training")
    p.add_argument("--python", help="an interpreter with clients of OpenAI's protocol, for programs in which teams work")
    p.add_argument("names", nargs="*", metavar="NAME", help="recipes; all where none is given")
    args = p.parse_args()
    documents = [(d, d.read_text()) for d in [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]]
    if args.list:
        print("\n".join(called(r) for _, text in documents for r in recipes(text)))
        return 0
    if not args.parley:
        p.error("--parley says where the program is")
    parley = str(pathlib.Path(args.parley).resolve())
    found, bad = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for document, text in documents:
            for recipe in recipes(text):
                name = called(recipe)
                if args.names and name not in args.names:
                    continue
                found += 1
                folder = pathlib.Path(scratch) / name
                os.environ.pop("PARLEY_PYTHON", None)
                if args.python and "protocol: harness" in recipe:
                    os.environ["PARLEY_PYTHON"] = args.python
                furnish(parley, folder, text, recipe)
                verdict, good = tried(parley, folder, args.updates)
                if not good:  # it may take longer
                    verdict, good = tried(parley, folder, 3 * args.updates)
                bad += not good
                print(f"{document.relative_to(ROOT)}: {name}: {verdict}", flush=True)
    print(f"{found} recipes, {bad} neither learn nor warn")
    return 1 if bad or not found else 0


def blocks(document, language):
    return re.findall(rf"^```{language}\n(.*?)^```", document, re.M | re.S)


def recipes(document):
    return [b for b in blocks(document, "ya?ml") if b.startswith("name:")]


def called(recipe):
    return re.match(r"name: *(\S+)", recipe)[1]


def tried(parley, folder, updates):
    """What becomes of a recipe, in words, and whether it is as it should be."""
    shutil.rmtree(folder / "runs", ignore_errors=True)
    checked = run([parley, "recipe", "check", "recipe.yaml"], folder)
    run([parley, "train", "recipe.yaml", "--json", *sets(f"training.updates={updates}", f"training.problems={PROBLEMS}", "eval.problems=2", "eval.examples=0", "eval.baselines=[]", f"experiment.seeds={list(range(1, SEEDS + 1))}")], folder)
    rewards, warned = [], []
    for metrics in sorted(folder.glob("runs/**/metrics.jsonl")):
        rewards.append([mean_reward(json.loads(line)) for line in metrics.read_text().splitlines()])
        diagnosis = metrics.parent / "diagnostics.json"
        warned.append({d["kind"] for d in json.loads(diagnosis.read_text()).get("diagnostics") or []} if diagnosis.exists() else set())
    if len(rewards) < SEEDS or any(len(r) < updates for r in rewards):
        return f"{len(rewards)} runs of {[len(r) for r in rewards]} updates", False
    first, last = (statistics.mean(x for r in rewards for x in r[part]) for part in (slice(3), slice(-3, None)))
    words = f"{first:.3f} to {last:.3f} over {len(rewards)} runs"
    if last > first + RISE:
        return words, True
    if "warning" in checked:
        return f"{words}; recipe check warns", True
    if all(warned):
        return f"{words}; every run says {', '.join(sorted(set.intersection(*warned) or set.union(*warned)))}", True
    return f"{words}, and nothing says why", False


def mean_reward(update):
    """Of the agents that spoke, one of a list or by name: one that did not has "NaN"."""
    rewards = update["reward"]
    return statistics.mean(r for r in (rewards.values() if isinstance(rewards, dict) else rewards) if r != "NaN")


def furnish(parley, folder, document, recipe):
    """Makes a folder with a recipe and the files that it names."""
    folder.mkdir()
    (folder / "recipe.yaml").write_text(recipe.replace("path/to/another-model", str(ROOT / "model/shipped/model")))
    for data in ROOT.glob("examples/*/*.jsonl"):
        if data.name in recipe:
            shutil.copy(data, folder)
    for program in re.findall(r"\w+\.py\b", recipe):
        shown = re.search(rf"`{program}`[^\n]*(?:\n[^\n`][^\n]*)*\n\n```python\n(.*?)^```", document, re.M | re.S)
        if shown:
            (folder / program).write_text(shown[1])
    for source in blocks(document, "python"):
        if "def reward(" in source and not (folder / "reward.py").exists():
            (folder / "reward.py").write_text(source)
    if "verifier-sums" in recipe:
        run([parley, "verifier", "data", "debate-sums", "--questions", "60", "--paths", "8", "--out", "solutions"], folder)
        run([parley, "verifier", "balance", "solutions", "--trials", "1", "--samples", "2", "--each", "1", "--out", "balanced"], folder)
        run([parley, "verifier", "train", "balanced", "--epochs", "1", "--out", "verifier-sums"], folder)


def sets(*changes):
    return [part for change in changes for part in ("--set", change)]


def run(command, folder):
    """Runs a program and returns what it prints."""
    done = subprocess.run(command, cwd=folder, env=os.environ | {"PARLEY_RUNS": "runs"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
