"""Scoring and training: sequences sorted by length into batches, logits at the asked positions alone."""
import torch
from torch.utils.checkpoint import checkpoint

import base as bases
from cuts import groups, settings
from pipe import NoMemory, NotFinite

CHUNK = 1 << 26  # logits at a time


class Datum:
    def __init__(self, index, spec, tokens, asked, at, value_at):
        self.index, self.policy, self.setting = index, spec["policy"], spec["setting"]
        self.tokens, self.asked = tokens, asked
        self.logprobs = None if spec["values_only"] else slice(at, at + len(asked))
        self.values = slice(value_at, value_at + len(asked) + 1) if spec["values"] else None
        self.soft = None  # how many tokens each place is trained towards, 0: its own; these tokens; their masses


class Pass:
    """The data of one call, and their outputs in the order of the call."""

    def __init__(self, call, worker):
        self.call, self.base, self.policies = call, worker.base, worker.policies
        self.settings = settings(call, self.base)
        tokens, asked = call.tensor("tokens").long(), call.tensor("asked").long()
        self.data, t, a, at, value_at = [], 0, 0, 0, 0
        for i, spec in enumerate(call.head["data"]):
            d = Datum(i, spec, tokens[t:t + spec["tokens"]], asked[a:a + spec["asked"]], at, value_at)
            t, a = t + spec["tokens"], a + spec["asked"]
            at += 0 if d.logprobs is None else spec["asked"]
            value_at += 0 if d.values is None else spec["asked"] + 1
            self.data.append(d)
        if "counts" in call.frame.raw:
            self.soften(call.tensor("counts").long(), call.tensor("targets").long(), call.tensor("masses"))
        self.outputs = {"logprobs": torch.zeros(at), "values": torch.zeros(value_at)}

    def soften(self, counts, tokens, masses):
        a = t = 0
        for d, spec in zip(self.data, self.call.head["data"]):
            if spec["soft"]:
                own = counts[a:a + len(d.asked)]
                n = int(own.sum())
                d.soft = own, tokens[t:t + n], masses[t:t + n]
                a, t = a + len(own), t + n

    def batches(self):
        """The data, longest first, cut where a batch with its padding passes the budget; within a batch by policy."""
        out, most = [], self.base.budget()
        for d in sorted(self.data, key=lambda d: -len(d.tokens)):
            if not out or (len(out[-1]) + 1) * len(out[-1][0].tokens) > most:
                out.append([])
            out[-1].append(d)
        return [sorted(b, key=lambda d: d.policy) for b in out]

    def write(self, batch, logprobs, values):
        for name, all_ in (("logprobs", logprobs), ("values", values)):
            at, all_ = 0, all_.detach().float().cpu()
            for d in batch:
                to = getattr(d, name)
                if to is not None:
                    self.outputs[name][to] = all_[at:at + to.stop - to.start]
                    at += to.stop - to.start

    def read(self, batch, frame):
        """The slopes of a batch's outputs, in the order in which run returns these."""
        slopes = []
        for name in ("logprobs", "values"):
            parts = [frame.tensor(name)[getattr(d, name)] for d in batch if getattr(d, name) is not None]
            slopes.append((torch.cat(parts) if parts else torch.zeros(0)).to(self.base.device))
        return slopes

    def run(self, batch):
        """Log-probabilities and values of a batch, one datum's behind the other's."""
        states, n = self.states(batch, [d.policy for d in batch])
        return self.logprobs(batch, states, n), self.values(batch, states, n)

    def states(self, batch, names):
        """The states of a batch under some policies: [rows·length, hidden], and the length."""
        n = max(len(d.tokens) for d in batch)
        ids = torch.zeros(len(batch), n, dtype=torch.long)
        for i, d in enumerate(batch):
            ids[i, :len(d.tokens)] = d.tokens
        with self.policies.over(names, n):
            states = self.base.body(ids.to(self.base.device))  # padding is to the right of everything, where causal attention never looks
        return states.reshape(-1, states.shape[-1]), n

    def logprobs(self, batch, states, n):
        device = states.device
        scored = [(i, d) for i, d in enumerate(batch) if d.logprobs is not None and len(d.asked)]
        if not scored:
            return states.new_zeros(0, dtype=torch.float32)
        rows = torch.cat([i * n + d.asked - 1 for i, d in scored]).to(device)
        own = torch.cat([d.tokens[d.asked] for _, d in scored]).to(device)
        places = torch.cat([torch.arange(len(d.asked)) for _, d in scored]).to(device)
        goals = self.goals([d for _, d in scored])
        parts, order = [], []
        for s, at in groups([(d.setting, d.soft is not None) for _, d in scored for _ in range(len(d.asked))], device):
            at = torch.arange(len(rows), device=device) if at is None else at
            order.append(at)
            for some in at.split(max(1, CHUNK // self.base.vocab)):
                parts.append(self.chunk(states[rows[some]], places[some], own[some], self.settings[s[0]], some if s[1] else None, goals, len(rows)))
        out = torch.cat(parts)
        return out if len(order) == 1 else out.new_zeros(len(rows)).index_copy(0, torch.cat(order), out)

    def goals(self, data):
        """The distributions that places are trained towards, as rows, tokens and masses; a place without one has its own token."""
        rows, tokens, masses, at = [], [], [], 0
        for d in data:
            if d.soft is not None:
                counts, t, m = d.soft
                alone = counts == 0
                rows += [at + torch.arange(len(counts)).repeat_interleave(counts), at + alone.nonzero()[:, 0]]
                tokens += [t, d.tokens[d.asked][alone]]
                masses += [m, torch.ones(int(alone.sum()))]
            at += len(d.asked)
        return [torch.cat(x).to(self.base.device) for x in (rows, tokens, masses)] if rows else None

    def chunk(self, states, places, own, setting, soft, goals, rows):
        """Log-probabilities of some rows. Where there are many, their logits are forgotten and computed again on the way back."""
        def compute(states):
            z = self.base.head(states)
            if soft is None:
                return setting.logprobs(z, places, own)
            z = torch.log_softmax(setting.warp(z, places), -1)
            at = torch.full((rows,), -1, dtype=torch.long, device=z.device).index_copy(0, soft, torch.arange(len(soft), device=z.device))[goals[0]]
            here = at >= 0
            return z.new_zeros(len(soft)).index_add(0, at[here], z[at[here], goals[1][here]] * goals[2][here])
        if torch.is_grad_enabled() and rows * self.base.vocab > CHUNK:
            return checkpoint(compute, states, use_reentrant=False)
        return compute(states)

    def values(self, batch, states, n):
        parts = []
        for i, d in enumerate(batch):
            if d.values is not None:
                rows = torch.cat([d.asked - 1, torch.tensor([len(d.tokens) - 1])]) + i * n
                parts.append(self.policies.find(d.policy).head(states[rows.to(states.device)]))
        return torch.cat(parts) if parts else states.new_zeros(0, dtype=torch.float32)

    def score(self, batch):
        with torch.no_grad():
            self.write(batch, *self.run(batch))

    def back(self, batch, frame, made=None):
        """The gradients of a batch by policy. made are its outputs, where they were kept."""
        names = sorted({d.policy for d in batch})
        params = [t for n in names for t in self.policies.find(n).values]
        pairs = [(o, g) for o, g in zip(made or self.run(batch), self.read(batch, frame)) if o.requires_grad and o.numel()]
        found = [None] * len(params)
        if pairs:
            with self.policies.over([d.policy for d in batch], max(len(d.tokens) for d in batch)):
                found = torch.autograd.grad([o for o, _ in pairs], params, [g for _, g in pairs], allow_unused=True)
        out, at = {}, 0
        for n in names:
            values = self.policies.find(n).values
            out[n] = [torch.zeros_like(t) if g is None else g for t, g in zip(values, found[at:at + len(values)])]
            at += len(values)
        return out

    def halving(self, batch, work, done):
        """Does work on a batch, or on its halves where memory is short, down to one sequence whose layers are computed twice."""
        try:
            done(work(batch))
        except (RuntimeError, MemoryError) as e:
            if not bases.is_out_of_memory(e) and not isinstance(e, MemoryError):
                raise
            error = str(e).split("\n")[0]
        else:
            self.call.check()
            return
        bases.forget(self.base)
        if len(batch) > 1:
            for half in (batch[:len(batch) // 2], batch[len(batch) // 2:]):
                self.halving(half, work, done)
            return
        if not self.base.checkpointing:
            with bases.checkpointed(self.base, True):
                return self.halving(batch, work, done)
        total, free = bases.memory(self.base.device)
        raise NoMemory("a sequence of %d tokens does not fit: %.1f of %.1f GB are free on %s (%s)" % (
            len(batch[0].tokens), free / 1e9, total / 1e9, self.base.device, error))


def forward(call, worker):
    p = Pass(call, worker)
    for batch in p.batches():
        p.halving(batch, p.score, lambda _: None)
    return {}, p.outputs


def divergence(call, worker):
    """KL(base‖policy) of the distributions at the asked places."""
    p = Pass(call, worker)

    def compare(batch):
        with torch.no_grad():
            states, n = p.states(batch, [d.policy for d in batch])
            frozen, _ = p.states(batch, [""] * len(batch))
            out = []
            for i, d in enumerate(batch):
                for at in (i * n + d.asked - 1).to(states.device).split(max(1, CHUNK // p.base.vocab)):
                    own, base = (torch.log_softmax(p.settings[d.setting].warp(p.base.head(s[at]), None), -1) for s in (states, frozen))
                    out.append((base.exp() * (base - own)).sum(-1).clamp(min=0))
            p.write(batch, torch.cat(out) if out else torch.zeros(0), p.values(batch, states, n))

    for batch in p.batches():
        p.halving(batch, compare, lambda _: None)
    return {}, p.outputs


def distributions(call, worker):
    """Whole distributions at the asked places, or their most probable tokens, in the order of the call."""
    p, k = Pass(call, worker), min(call.head["k"], worker.base.vocab)
    for d in p.data:
        with torch.no_grad():
            states, _ = p.states([d], [d.policy])
            for at in (d.asked - 1).to(states.device).split(max(1, CHUNK // 8 // p.base.vocab)):
                z = torch.log_softmax(p.settings[d.setting].warp(p.base.head(states[at]), None), -1)
                tensors = {"logprobs": z}
                if k:
                    z, ids = torch.sort(z, descending=True, stable=True)
                    tensors = {"logprobs": z[:, :k], "tokens": ids[:, :k]}
                call.check()
                call.say({"burst": True}, tensors)
    return {}


def forward_backward(call, worker):
    """Outputs go out, their slopes come in. The gradients wait for the call keep, so that nothing is half applied."""
    p = Pass(call, worker)
    batches, made = p.batches(), None
    worker.pending = {}
    if len(batches) == 1:  # the graph is kept, instead of computing everything twice
        try:
            made = p.run(batches[0])
            p.write(batches[0], *made)
        except RuntimeError as e:
            if not bases.is_out_of_memory(e):
                raise
            made = None
    if made is None:
        for batch in batches:
            p.halving(batch, p.score, lambda _: None)
    call.say({"more": True}, p.outputs)
    frame = call.more()

    def add(grads):
        for name, g in grads.items():
            old = worker.pending.get(name)
            worker.pending[name] = g if old is None else [a + b for a, b in zip(old, g)]

    graphs, made = [made], None  # taken out by the one batch that it is of, and not held while that is halved

    def back(batch):
        return p.back(batch, frame, graphs.pop() if graphs else None)

    try:
        for batch in batches:
            p.halving(batch, back, add)
    except BaseException:
        worker.pending = {}
        raise
    return {}


def keep(call, worker):
    """Adds the gradients of the last forward_backward to those of their policies."""
    pending, worker.pending = worker.pending, {}
    for name, grads in pending.items():
        worker.policies.find(name).add(grads)
    return {}


def take(call, worker):
    """The gradients of the last forward_backward without value heads, for who asks for gradients alone. Nothing is added."""
    pending, worker.pending = worker.pending, {}
    parts = [g.reshape(-1) for n, grads in pending.items()
             for name, g in zip(worker.policies.find(n).names, grads) if not name.startswith("value_head.")]
    out = torch.cat(parts) if parts else torch.zeros(0)
    if not torch.isfinite(out).all():
        raise NotFinite("a gradient is not finite")
    return {}, {"gradients": out}
