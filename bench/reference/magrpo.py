"""MAGRPO: discounted returns through the tree of an episode, a credit for every completion, advantages inside its group."""

import torch


class MAGRPO:
    def __init__(self, record):
        self.record, self.group = record, record.recipe["group"]
        self.answer_of = {(a.policy, tuple(a.sequence)): a for a in record.answers()}
        self.samples = []  # groups of one agent at one node
        for e in record.episodes:
            returns = self.returns(e["nodes"])
            for i, node in enumerate(e["nodes"]):
                for s, seat in enumerate(node["agents"]):
                    self.add(seat, s, node["joint"], returns[i])

    def returns(self, nodes):
        """The return of every joint action: its reward, and the discounted mean of what its child brings."""
        out = [None] * len(nodes)
        for i in reversed(range(len(nodes))):  # parents come before children
            out[i] = list(nodes[i]["rewards"])
            for k, child in enumerate(nodes):
                if child["parent"] == i:
                    out[i][child["parent_action"]] += self.group["discount"] * sum(out[k]) / len(out[k])
        return out

    def add(self, seat, s, joint, returns):
        credits = []
        for k in range(len(seat["completions"])):
            mine = [r for action, r in zip(joint, returns, strict=True) if action[s] == k]
            credits.append(sum(mine) / len(mine))
        sample = []
        for c, credit in zip(seat["completions"], credits, strict=True):
            a = self.answer_of[seat["policy"], tuple(seat["prompt"] + c["tokens"])]
            a.advantage = credit - sum(credits) / len(credits)
            sample.append(a)
        self.samples.append(sample)

    def loss(self, call):
        """The mean over the node samples of a minibatch of -(1/G) Σ A·w·log π, summed over tokens; or of the mean over all of a group's
        tokens. Weights are 1 until the policy has moved."""
        trained = {id(self.answer_of[call["policy"], tuple(d["Tokens"])]) for d in call["data"]}
        batch = [s for s in self.samples if id(s[0]) in trained]
        assert trained == {id(a) for s in batch for a in s}, "a minibatch of parts of groups"
        return torch.stack([self.sample_loss(s) for s in batch]).mean()

    def sample_loss(self, sample):
        policy = self.record.policies[sample[0].policy]
        total = sum(-a.advantage * a.weighted(self.record.base, policy, self.group["ratio_cap"]).sum() for a in sample)
        return total / {"seq_sum": len(sample), "token_mean": sum(a.n for a in sample)}[self.group["reduction"]]

    def expected(self, losses):
        return {"policy_loss": sum(v for _, v in losses) / len(losses)}
