"""MAPoRL's PPO: token rewards with a KL term, GAE, whitening, the clipped losses of a policy and of its critic."""

import torch


class PPO:
    def __init__(self, record):
        self.record, self.settings = record, record.recipe["ppo"]
        self.read_by = {}  # (policy, sequence) → answer; a critic reads the question and the answer
        batches = {}
        for a in record.answers():
            critic = a.policy.replace("policy", "value")
            a.read = a.question + a.tokens
            a.values = record.policies[critic].values(a.read, len(a.question))[:-1].detach()
            a.advantage, a.returns = self.estimate(a)
            for key in [(a.policy, tuple(a.sequence)), (critic, tuple(a.read))]:
                assert key not in self.read_by, "two answers are the same"
                self.read_by[key] = a
            batches.setdefault((a.turn, a.agent), []).append(a)
        for batch in batches.values():
            whiten(batch)

    def estimate(self, a):
        """Advantages and returns of the tokens of an answer, by GAE."""
        p = self.settings
        rewards = -p["kl"] * (a.old - a.logprobs(self.record.base).detach())
        rewards[-1] += a.completion["reward"]
        advantage, ahead, value_ahead = torch.zeros(a.n, dtype=torch.float64), 0.0, 0.0
        for x in reversed(range(a.n)):
            delta = rewards[x] + p["gamma_token"] * value_ahead - a.values[x]
            ahead = delta + p["gamma_token"] * p["lambda"] * ahead
            advantage[x], value_ahead = ahead, a.values[x]
        return advantage, advantage + a.values

    def loss(self, call):
        """The loss of a minibatch: the mean over answers of the means over their tokens."""
        name = call["policy"]
        one = self.critic_loss if name.startswith("value") else self.policy_loss
        answers = [self.read_by[name, tuple(d["Tokens"])] for d in call["data"]]
        return torch.stack([one(self.record.policies[name], a) for a in answers]).mean()

    def policy_loss(self, policy, a):
        ratio = torch.exp(a.logprobs(self.record.base, policy) - a.old)
        clip = self.settings["clip"]
        return torch.maximum(-ratio * a.advantage, -ratio.clamp(1 - clip, 1 + clip) * a.advantage).mean()

    def critic_loss(self, critic, a):
        p = self.settings
        values = critic.values(a.read, len(a.question))[:-1]
        near = a.values + (values - a.values).clamp(-p["value_clip"], p["value_clip"])
        return p["value_coef"] / 2 * torch.maximum((values - a.returns) ** 2, (near - a.returns) ** 2).mean()

    def expected(self, losses):
        """What the metrics should say: the mean losses of policies and critics."""
        mean = lambda kind: sum(v for name, v in losses if name.startswith(kind)) / sum(name.startswith(kind) for name, _ in losses)
        return {"policy_loss": mean("policy"), "value_loss": mean("value")}


def whiten(answers):
    everything = torch.cat([a.advantage for a in answers])
    scale = torch.sqrt(everything.var(unbiased=True) + 1e-8)
    for a in answers:
        a.advantage = (a.advantage - everything.mean()) / scale
