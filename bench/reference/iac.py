"""IAC: temporal-difference targets over turns, whitened errors, a critic of its own for every policy or a head on it."""

import statistics

import torch


class IAC:
    def __init__(self, record):
        self.record, self.critic = record, record.recipe["critic"]
        self.shared, self.cap = self.critic["head"] == "shared", record.recipe["group"]["ratio_cap"]
        self.move_of = {}  # by what is trained on: a policy's answer, or what its critic reads
        paths, moves_of = {}, {}
        for e in record.episodes:
            for node in e["nodes"]:
                for seat in node["agents"]:
                    paths.setdefault((e["index"], seat["agent"]), []).append((node, seat))
        by_sequence = {(a.policy, tuple(a.sequence)): a for a in record.answers()}
        for path in paths.values():
            ahead = 0.0
            for node, seat in reversed(path):
                a = by_sequence[seat["policy"], tuple(seat["prompt"] + seat["completions"][0]["tokens"])]
                a.reads = self.read(node, seat, a)
                a.value = self.value(a).detach()
                a.target = node["rewards"][0] + record.recipe["group"]["discount"] * ahead
                ahead = a.value
                self.move_of[a.policy, False, tuple(a.sequence)] = self.move_of[self.critic_of(a), True, tuple(a.reads)] = a
                moves_of.setdefault(a.policy, []).append(a)
        for moves in moves_of.values():
            errors = torch.stack([a.target - a.value for a in moves])
            for a, error in zip(moves, errors, strict=True):
                a.advantage = (error - errors.mean()) / torch.sqrt(errors.var(unbiased=True) + 1e-8)

    def read(self, node, seat, a):
        """What the critic reads: v the prompt of the turn, q also the answer."""
        return a.sequence if self.critic["input"] == "q" else seat["prompt"]

    def value(self, a):
        """What is expected after the last token that the critic reads."""
        return self.record.policies[self.critic_of(a)].values(a.reads, len(a.reads))[0]

    def critic_of(self, a):
        return a.policy if self.shared else a.policy.replace("policy", "value")

    def loss(self, call):
        """The mean loss of a minibatch, of a policy, or of its critic, which is asked for values only."""
        values = call["data"][0]["ValuesOnly"]
        moves = [self.move_of[call["policy"], values, tuple(d["Tokens"])] for d in call["data"]]
        return torch.stack([self.critic_loss(a) if values else self.policy_loss(a) for a in moves]).mean()

    def policy_loss(self, a):
        return -a.advantage * a.weighted(self.record.base, self.record.policies[a.policy], self.cap).sum()

    def critic_loss(self, a):
        value, clip = self.value(a), self.critic["clip"]
        error = (value - a.target) ** 2
        if self.shared:
            error = torch.maximum(error, (a.value + (value - a.value).clamp(-clip, clip) - a.target) ** 2)
        return self.critic["coef"] * error

    def expected(self, losses):
        """What the metrics should say. With a shared head the losses of a policy and of its critic come in turns."""
        critic = lambda i, name: i % 2 if self.shared else name.startswith("value")
        mean = lambda which: statistics.mean(v for i, (name, v) in enumerate(losses) if bool(critic(i, name)) == which)
        return {"policy_loss": mean(False), "value_loss": mean(True)}
