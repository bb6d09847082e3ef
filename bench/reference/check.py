"""Computes whole updates of parley's learners again in PyTorch, and compares losses, gradients and new parameters.

    python check.py [--recipes DIR] [--keep DIR]

Runs TestReference of package train, which lets parley train for one update of every recipe in DIR and writes down what it did; then
does the same in double precision: from the same adapters, episodes and minibatches to advantages, losses, gradients and AdamW steps.
Prints one JSON object a recipe, and exits with 1 where something is off by more than 1e-4, relatively.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import torch

import iac
import maac
import magrpo
import model
import ppo
import record

TOLERANCE = 1e-4
LEARNERS = {"mappo": ppo.PPO, "magrpo": magrpo.MAGRPO, "iac": iac.IAC, "maac": maac.MAAC}
HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
BASE = REPOSITORY / "train" / "testdata" / "tiny-base"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--recipes", type=pathlib.Path, default=HERE / "recipes", help="folder of recipes")
    p.add_argument("--keep", type=pathlib.Path, help="where to leave what parley wrote down")
    args = p.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        out = args.keep or pathlib.Path(scratch)
        write_down(args.recipes.resolve(), out.resolve())
        results = [check(folder) for folder in sorted(out.iterdir())]
    for r in results:
        print(json.dumps(r))
    return 0 if results and all(r["ok"] for r in results) else 1


def write_down(recipes, out):
    environment = os.environ | {"PARLEY_RECIPES": str(recipes), "PARLEY_REFERENCE": str(out)}
    subprocess.run(["go", "test", "-count=1", "-tags", "reference", "-run", "TestReference", "./train"], cwd=REPOSITORY, env=environment,
                   stdout=sys.stderr, check=True)


def check(folder):
    r = record.Record(folder, model.Base(BASE))
    learner = LEARNERS[r.recipe["algorithm"]](r)
    worst = {"sampled": sampled(r), "loss": 0.0, "gradient": 0.0, "parameters": 0.0}
    losses, steps, moved = [], {}, 0.0
    optimizers = {name: optimizer(r, p) for name, p in r.policies.items()}
    for i, call in enumerate(r.calls):
        policy = r.policies[call["policy"]]
        if call["kind"] == "forward-backward":
            loss = learner.loss(call)
            loss.backward()
            losses.append((call["policy"], loss.item()))
            continue
        norm = clip(r, policy)
        worst["gradient"] = max(worst["gradient"], relative(call["grad_norm"], norm), distance(r.gradient(i, call["adam"]["beta1"]), gradients(policy)))
        before = {name: p.detach().clone() for name, p in policy.parameters.items()}
        step(r, optimizers[call["policy"]], steps, call["policy"])
        after = r.after(i)
        worst["parameters"] = max(worst["parameters"], distance(after, policy.parameters))
        moved = max(moved, distance(before, policy.parameters))
    for name, value in learner.expected(losses).items():
        worst["loss"] = max(worst["loss"], relative(r.metrics[name], value))
    # A step that changes little would prove little.
    ok = all(w <= TOLERANCE for w in worst.values()) and moved > 100 * TOLERANCE
    return {"recipe": r.recipe["name"], "steps": sum(steps.values()), "answers": len(r.answers()), "clip_share": r.metrics["clip_share"], **worst, "moved": moved, "ok": ok}


def sampled(r):
    """The largest difference of the log-probabilities that tokens were drawn with: policies begin as the base."""
    with torch.no_grad():
        return max((a.logprobs(r.base, r.policies[a.policy]) - a.old).abs().max().item() for a in r.answers())


def optimizer(r, policy):
    o = r.recipe["optimizer"]
    return torch.optim.AdamW(policy.parameters.values(), lr=o["lr"], betas=(o["beta1"], o["beta2"]), eps=o["eps"], weight_decay=o["weight_decay"])


def clip(r, policy):
    """Clips the gradient as the recipe says and returns its norm before."""
    limit = r.recipe["optimizer"]["clip_norm"] or float("inf")
    return torch.nn.utils.clip_grad_norm_(policy.parameters.values(), limit).item()


def gradients(policy):
    return {name: torch.zeros_like(p) if p.grad is None else p.grad for name, p in policy.parameters.items()}


def step(r, adam, steps, name):
    """One step at the rate of the first update: only the warm-up counts."""
    o = r.recipe["optimizer"]
    done = steps.get(name, 0)
    adam.param_groups[0]["lr"] = o["lr"] * min(1, (done + 1) / max(1, o["warmup"]))
    adam.step()
    adam.zero_grad()
    steps[name] = done + 1


def distance(a, b):
    """The largest relative distance of two tensors of one name; b is the reference."""
    assert a.keys() == b.keys(), f"{a.keys() ^ b.keys()}"
    return max(relative((a[name] - b[name]).norm().item() + b[name].norm().item(), b[name].norm().item()) for name in b)


def relative(x, reference):
    """How far x is off, as a share of the reference unless that is 0."""
    return abs(x - reference) / (abs(reference) if abs(reference) > 1e-9 else 1)


if __name__ == "__main__":
    sys.exit(main())
