#!/usr/bin/env python3
"""What scored pads do to a gradient: the published loss of CoMLRL beside the gradient of the return, at the untrained team of `score.py small`.

    bench/.cache/torch/bin/python bench/pads.py --parley ./parley

parley samples groups of answers and writes them down; PyTorch computes the gradients. The published loss scores the pads behind every answer that is
shorter than the longest of its group, and leaves out the last place of every row.
"""

import argparse
import pathlib
import sys
import tempfile
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "peers"))

import torch
from transformers import AutoModelForCausalLM

import score
import torch_model
from common import answers

PARTS = {"exact": (True, False, False), "published": (True, True, True), "pads alone": (False, True, True), "last place left out": (True, False, True)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parley", default="./parley", help="the binary")
    parser.add_argument("--questions", type=int, default=500)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    settings = score.SETTINGS["small"]
    net = torch_model.adapted(AutoModelForCausalLM.from_pretrained(settings["base"], dtype=torch.float32), 8, 16)
    sums = [Sum(net) for _ in range(2)]
    for node in nodes(args, settings):
        rewards = torch.tensor(node["rewards"], dtype=torch.float32)
        for agent, seat in enumerate(node["agents"]):
            sums[agent].add(seat["prompt"], [c["tokens"] for c in seat["completions"]], rewards - rewards.mean())
    print("| agent | part | norm of the mean gradient | cosine with exact | change of log p(end) |\n|---|---|---|---|---|", file=answers)
    for agent, found in enumerate(sums, start=1):
        for name in PARTS:
            print(f"| {agent} | {name} |", " | ".join(f"{x:.2f}" for x in found.row(name)), "|", file=answers)


def nodes(args, settings):
    """Groups of the untrained team: it trains too slowly to change anything."""
    with tempfile.TemporaryDirectory() as scratch:
        race = types.SimpleNamespace(setting="small", parley=str(pathlib.Path(args.parley).resolve()), dtype="f32", threads=1, quick=False, set=[])
        race = score.Race(race, settings, pathlib.Path(scratch))
        run = pathlib.Path(scratch, "run")
        race.train(race.base, race.posts, run, ["optimizer.lr=1e-30", "training.updates=1", f"training.problems={args.questions}"])
        for episode in score.episodes(run):
            yield episode["nodes"][0]


class Sum:
    """Sums an agent's gradients, with respect to the matrices B of its adapter: A has none at first."""

    def __init__(self, net):
        self.net, self.groups = net, 0
        self.parameters = [p for name, p in net.named_parameters() if "lora_B" in name]
        size = sum(p.numel() for p in self.parameters)
        self.mean, self.end = {name: torch.zeros(size) for name in PARTS}, torch.zeros(size)

    def add(self, prompt, rows, advantages):
        end = self.net.config.eos_token_id
        end = end[0] if isinstance(end, list) else end
        longest = max(map(len, rows))
        ids = torch.tensor([prompt + row + [end] * (longest - len(row)) for row in rows])
        logs = torch.log_softmax(self.net(input_ids=ids).logits[:, len(prompt) - 1:-1], -1)
        chosen = logs.gather(2, ids[:, len(prompt):, None])[..., 0]
        real = torch.arange(longest) < torch.tensor([[len(row)] for row in rows])
        self.groups += 1
        self.end += self.gradient((logs[..., end] * real).sum() / real.sum())
        if advantages.any():
            for name, part in PARTS.items():
                self.mean[name] += self.gradient(((chosen * weights(real, *part)).sum(1) * advantages).mean())

    def gradient(self, value):
        return torch.cat([g.flatten() for g in torch.autograd.grad(value, self.parameters, retain_graph=True)])

    def row(self, name):
        """The end token's log-probability is the mean over the answers' places; it changes so much in a step of plain ascent, per unit of learning rate."""
        mean, exact, end = self.mean[name] / self.groups, self.mean["exact"] / self.groups, self.end / self.groups
        return mean.norm(), torch.cosine_similarity(mean, exact, 0), mean @ end


def weights(real, tokens, pads, short):
    w = real.float() * tokens + (~real).float() * pads
    if short:
        w[:, -1] = 0
    return w


if __name__ == "__main__":
    main()
