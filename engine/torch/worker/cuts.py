"""Distributions: what masks, temperatures, top-k and top-p make of logits."""
import torch

NONE = float("-inf")


class Setting:
    """How a distribution is made of logits, shared by many rows."""

    def __init__(self, spec, vocab, device):
        self.vocab, self.greedy = vocab, spec["temperature"] == 0
        self.temperature = 1.0 if self.greedy else spec["temperature"]
        self.top_k = 0 if self.greedy or spec["top_k"] >= vocab else spec["top_k"]
        self.top_p = 0.0 if self.greedy or spec["top_p"] == 1 else spec["top_p"]
        self.never = self.early = None
        if spec["never"]:
            self.never = torch.zeros(vocab, dtype=torch.bool, device=device)
            for a, b in spec["never"]:
                self.never[max(a, 0):max(b, 0)] = True
        self.least = spec["least"] if spec["early"] else 0
        if self.least:
            self.early = torch.zeros(vocab, dtype=torch.bool, device=device)
            self.early[[t for t in spec["early"] if 0 <= t < vocab]] = True

    def warp(self, z, places, own=None):
        """Unnormalised log-probabilities of rows z [n, vocab], which stand at places [n] of their completions. The tokens own [n, 1] stay in."""
        keep = None if own is None else z.gather(1, own)
        gone = self.never
        if self.early is not None and bool((places < self.least).any()):
            early = self.early & (places < self.least)[:, None]
            gone = early if gone is None else early | gone
        if gone is not None:
            z = z.masked_fill(gone, NONE)
            z = z if keep is None else z.scatter(1, own, keep)
        if self.temperature != 1:
            z = z * (1 / self.temperature)
        if self.top_k or self.top_p:
            z = self.cut(z)
            z = z if keep is None else z.scatter(1, own, keep * (1 / self.temperature))
        return z

    def cut(self, z):
        s, ids = torch.sort(z, descending=True, stable=True)  # of equal ones the lower id is first
        kept = torch.ones_like(s, dtype=torch.bool)
        if self.top_k:
            kept[:, self.top_k:] = False
        if self.top_p:
            p = torch.softmax(s.detach().masked_fill(~kept, NONE).to(wide(z)), -1)
            kept &= (p.cumsum(-1) - p) < self.top_p
            kept[:, 0] = True
        return z.masked_fill(~torch.zeros_like(kept).scatter(1, ids, kept), NONE)

    def logprobs(self, z, places, own):
        """The log-probabilities [n] of the tokens own."""
        own = own[:, None]
        z = self.warp(z, places, own)
        return z.gather(1, own)[:, 0] - torch.logsumexp(z, -1)

    def draw(self, z, places, numbers):
        """Tokens [n], and their log-probabilities: the first at which the cumulative weight over ascending ids passes the number's share of all."""
        z = self.warp(z, places)
        if self.greedy:
            tokens = z.argmax(-1)
        else:
            sums = torch.softmax(z, -1).to(wide(z)).cumsum(-1)
            tokens = torch.searchsorted(sums, numbers.to(sums.dtype)[:, None] * sums[:, -1:], right=True)[:, 0].clamp(max=self.vocab - 1)
        return tokens, z.gather(1, tokens[:, None])[:, 0] - torch.logsumexp(z, -1)


def wide(z):
    return torch.float32 if z.device.type == "mps" else torch.float64


def settings(call, base):
    return [Setting(s, base.vocab, base.device) for s in call.head["settings"]]


def groups(which, device):
    """[(setting, rows of it)] of the settings' numbers of rows; rows None: all."""
    distinct = list(dict.fromkeys(which))
    if len(distinct) == 1:
        return [(distinct[0], None)]
    return [(d, torch.tensor([i for i, w in enumerate(which) if w == d], device=device)) for d in distinct]
