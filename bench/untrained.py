"""Why an untrained debate gains or loses from turn to turn: the same held-out problems, with one thing taken away at a time.

    python3 bench/untrained.py --seeds 11 12 13 14 15 16 17 18 19 20     # MAPoRL's Experiment 1, small
    python3 bench/untrained.py --seeds 1 2 3 --recipe debate-smollm-sums --arms debate own --set model=SmolLM2-135M-Instruct.Q4_1.gguf

An arm is a list of changes of the recipe. own: nobody reads the others. alone: there is nobody else. no-recheck: no answer begins with C, so that the
shipped base, whose second looks begin with "Check:", cannot work a problem out again. three: three agents. Nothing is trained. Printed are means over
seeds and half of their 95 % interval, by Student's t: of the accuracy of single answers and of votes after each turn, of what the last turn has over
the first one, and of what an arm's gain has over that of the debate.
"""
import argparse
import json
import statistics
import subprocess

BARE = {"maporl-e1-tiny": ["experiment.variants={}", "experiment.seeds=[]", "eval.agents=0", "eval.without_history=false"]}
NO_RECHECK = r"sampling.regex=[^C](.|\n)*"
ARMS = {
    "debate": [],
    "own": ["team.history=own"],
    "alone": ["team.agents=1"],
    "no-recheck": [NO_RECHECK],
    "three": ["eval.agents=3"],
    "three-no-recheck": ["eval.agents=3", NO_RECHECK],
}
T = [0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]  # by the number of seeds less one


def turns(parley, recipe, seed, sets):
    """The accuracy of single answers and of votes after each turn, and the shares of answers that change."""
    sets = ["eval.baselines=[]", f"seed={seed}", *BARE.get(recipe, []), *sets]
    out = subprocess.run([parley, "eval", recipe, "--json", *(f"--set={s}" for s in sets)], check=True, capture_output=True, text=True).stdout
    row = json.loads(out)["rows"][0]
    moves = [(t["answers"]["wr"], t["answers"]["rw"]) for t in row["transitions"]]
    return [t["single_answer"] for t in row["turns"]], [t["voted"] for t in row["turns"]], moves


def interval(values):
    half = T[len(values) - 1] * statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0
    return f"{statistics.mean(values):.3f} ± {half:.3f}"


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--parley", default="parley")
    flags.add_argument("--seeds", nargs="+", type=int, required=True)
    flags.add_argument("--recipe", default="maporl-e1-tiny")
    flags.add_argument("--arms", nargs="+", choices=ARMS, default=list(ARMS))
    flags.add_argument("--set", action="append", default=[])
    args = flags.parse_args()
    debate = None
    for arm in args.arms:
        runs = [turns(args.parley, args.recipe, seed, args.set + ARMS[arm]) for seed in args.seeds]
        gains = [voted[-1] - voted[0] for _, voted, _ in runs]
        debate = debate or gains
        print(f"{arm}: single answers {by_turn(r[0] for r in runs)}; votes {by_turn(r[1] for r in runs)}")
        print(f"  wrong to right {by_turn([m[0] for m in r[2]] for r in runs)}; right to wrong {by_turn([m[1] for m in r[2]] for r in runs)}")
        print(f"  more become right than wrong, by {by_turn([m[0] - m[1] for m in r[2]] for r in runs)}")
        print(f"  the last turn's vote less the first one's: {interval(gains)}; less {args.arms[0]}'s: {interval([a - b for a, b in zip(gains, debate)])}", flush=True)


def by_turn(runs):
    return ", ".join(interval(values) for values in zip(*runs))


if __name__ == "__main__":
    main()
