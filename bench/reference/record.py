"""What parley wrote down about one update: see TestReference in train/reference_test.go."""

import json

import torch
import yaml
from safetensors.torch import load_file

import model


class Record:
    def __init__(self, folder, base):
        self.folder, self.base = folder, base
        self.recipe = yaml.safe_load((folder / "recipe.yaml").read_text())
        self.episodes = read(folder / "episodes.json")
        self.calls = read(folder / "calls.json")
        self.metrics = read(folder / "metrics.json")
        self.policies = {d.name: model.Policy(base, d) for d in sorted((folder / "before").iterdir())}

    def answers(self):
        """All answers of trained policies."""
        return [Answer(self, e, n, s, c) for e in self.episodes for n in e["nodes"] for s in n["agents"] for c in s["completions"] if s["policy"]]

    def gradient(self, step, beta1):
        """The gradient of a step, which AdamW's first moments before and after it tell."""
        name = self.calls[step]["policy"]
        before = next((c for c in reversed(self.calls[:step]) if c["kind"] == "step" and c["policy"] == name), None)
        was = moments(self.folder / before["saved"]) if before else {}
        now = moments(self.folder / self.calls[step]["saved"])
        return {p: (m - beta1 * was.get(p, 0)) / (1 - beta1) for p, m in now.items()}

    def after(self, step):
        return model.read_parameters(self.folder / self.calls[step]["saved"])


class Answer:
    """One answer, with the log-probabilities that it was drawn with."""

    def __init__(self, record, episode, node, seat, completion):
        self.node, self.seat, self.completion = node, seat, completion
        self.agent, self.policy, self.turn = seat["agent"], seat["policy"], node["turn"]
        self.tokens, self.n = completion["tokens"], len(completion["tokens"])
        self.sequence, self.start = seat["prompt"] + self.tokens, len(seat["prompt"])
        self.old = torch.tensor(completion["logprobs"], dtype=torch.float64)
        self.question = episode["nodes"][0]["agents"][seat["agent"]]["prompt"]

    def logprobs(self, base, policy=None):
        """Under a policy, or under the base alone."""
        return model.logprobs(base, policy, self.sequence, self.start, self.seat["sampling"])

    def weighted(self, base, policy, cap):
        """Log-probabilities, each times min(π/π_behaviour, cap), which is held constant; a cap of 0 means no weights."""
        new = self.logprobs(base, policy)
        return new * torch.exp(new.detach() - self.old).clamp(max=cap) if cap else new


def read(path):
    return json.loads(path.read_text())


def moments(folder):
    return {name[2:]: w.double() for name, w in load_file(folder / "optimizer.safetensors").items() if name.startswith("m.")}
