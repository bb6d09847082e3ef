"""Policies: low-rank adapters beside the projections of the base, value heads, and their optimizer. All of it is float32."""
import contextlib, math

import torch

from pipe import Bad, NotFinite

PREFIX, A, B = "base_model.model.", ".lora_A.weight", ".lora_B.weight"


class Policy:
    def __init__(self, names, values, scales, step, m, v):
        self.names, self.values, self.step, self.m, self.v = names, values, step, m, v
        self.grads = None  # what was added up since the last step; None: zeros
        at = dict(zip(names, values))
        self.adapters = {n: (at[PREFIX + n + A], at[PREFIX + n + B], s) for n, s in scales.items()}
        self.value = [at[n] for n in names if n.startswith("value_head.")]  # in the order of Policies.head

    def head(self, states):
        """The values of states [n, hidden]."""
        x = states.float()
        if len(self.value) == 4:
            hidden, bias, w, b = self.value
            x = torch.tanh(x @ hidden.t() + bias)
        else:
            w, b = self.value
        return x @ w[0] + b

    def add(self, grads):
        self.grads = grads if self.grads is None else [a + b for a, b in zip(self.grads, grads)]


class Policies:
    def __init__(self, base):
        self.base, self.all, self.active, self.shape = base, {}, [], (0, 0)
        for name, (module, _, _) in base.modules.items():
            module.register_forward_hook(self._hook(name))

    def _hook(self, name):
        def hook(module, inputs, out):
            for policy, rows in self.active:
                if policy is not None and name in policy.adapters:
                    out = self._add(out, inputs[0], policy.adapters[name], rows)
            return out
        return hook

    def _add(self, out, x, adapter, rows):
        a, b, scale = adapter
        if rows is None:
            return out + (x @ a.t().to(x.dtype)) @ (b.t() * scale).to(x.dtype)
        if x.dim() == 2:  # a layer that has all tokens in one dimension
            x = x.reshape(*self.shape, -1)
        delta = (x[rows] @ a.t().to(x.dtype)) @ (b.t() * scale).to(x.dtype)
        return out.reshape(*x.shape[:2], -1).index_add(0, rows, delta).reshape(out.shape)

    @contextlib.contextmanager
    def over(self, names, length):
        """Lets row i of a batch be computed under the policy names[i]. Pass it again around the way back where layers compute again."""
        before, self.shape = self.active, (len(names), length)
        self.active = self.groups(names)
        try:
            yield self.active
        finally:
            self.active = before

    def groups(self, names):
        """[(policy, rows of it)]; rows None: all."""
        distinct = list(dict.fromkeys(names))
        if len(distinct) == 1:
            return [(self.find(distinct[0]), None)]
        at = lambda d: torch.tensor([i for i, n in enumerate(names) if n == d], device=self.base.device)
        return [(self.find(d), at(d)) for d in distinct]

    def find(self, name):
        if name and name not in self.all:
            raise Bad("there is no policy %r" % name)
        return self.all.get(name)

    def load(self, call):
        """Adds a policy, or replaces one."""
        h, device = call.head, self.base.device
        take = lambda kind: [call.tensor(kind + n).to(device, copy=True) for n in h["params"]]
        w = [t.requires_grad_() for t in take("w.")]
        m, v = (take("m."), take("v.")) if h["moments"] else (None, None)
        for n in h["scales"]:
            if n not in self.base.modules:
                raise Bad("the model has no projection %s" % n)
        self.all[h["policy"]] = Policy(h["params"], w, h["scales"], h["step"], m, v)
        return {}

    def save(self, call):
        p = self.find(call.head["policy"])
        m, v = (p.m, p.v) if p.m else ([torch.zeros_like(t) for t in p.values],) * 2
        tensors = {}
        for kind, list_ in (("w.", p.values), ("m.", m), ("v.", v)):
            tensors.update({kind + n: t for n, t in zip(p.names, list_)})
        return {"step": p.step}, tensors

    def drop(self, call):
        self.find(call.head["policy"])
        del self.all[call.head["policy"]]
        return {}

    def clear(self, call):
        for name in call.head["policies"]:
            self.find(name).grads = None
        return {}

    def gradients(self, call):
        """What was added up for a policy, one tensor behind the other; it is taken out, for a sum over several workers."""
        p = self.find(call.head["policy"])
        return {}, {"gradients": flat(p.grads, p.values)}

    def step(self, call):
        """AdamW, as the embedded engine takes it: the clipped gradient is g·min(1, clip/(norm+1e-6))."""
        h, p = call.head, self.find(call.head["policy"])
        if "gradients" in call.frame.raw:
            whole = call.tensor("gradients").to(self.base.device)
            grads = [g.reshape(t.shape) for g, t in zip(whole.split([t.numel() for t in p.values]), p.values)]
        else:
            grads = p.grads or [torch.zeros_like(t) for t in p.values]
        p.grads = None
        norm = length(grads)
        scale = min(1.0, h["clip_norm"] / (norm + 1e-6)) if h["clip_norm"] > 0 else 1.0
        if not math.isfinite(norm) or norm * scale > 1.8e19:  # whose square is infinite
            raise NotFinite("the gradients have the norm %g" % norm)
        if p.m is None:
            p.m, p.v = [torch.zeros_like(t) for t in p.values], [torch.zeros_like(t) for t in p.values]
        p.step += 1
        b1, b2 = h["beta1"], h["beta2"]
        lr, root = h["lr"] / (1 - b1 ** p.step), 1 / math.sqrt(1 - b2 ** p.step)
        with torch.no_grad():
            before, size = [t.clone() for t in p.values], length(p.values)
            torch._foreach_mul_(grads := [g.clone() for g in grads], scale)
            torch._foreach_mul_(p.m, b1)
            torch._foreach_add_(p.m, grads, alpha=1 - b1)
            torch._foreach_mul_(p.v, b2)
            torch._foreach_addcmul_(p.v, grads, grads, 1 - b2)
            below = torch._foreach_sqrt(p.v)
            torch._foreach_mul_(below, root)
            torch._foreach_add_(below, h["eps"])
            torch._foreach_mul_(p.values, 1 - h["lr"] * h["weight_decay"])
            torch._foreach_addcdiv_(p.values, p.m, below, -lr)
            moved = length(torch._foreach_sub(before, p.values))
        return {"grad_norm": norm, "update_norm": moved, "param_norm": size}


def length(tensors):
    """The norm of all numbers, squared and added up in float64 where the device has it."""
    wide = torch.float32 if tensors[0].device.type == "mps" else torch.float64
    return math.sqrt(sum(torch.stack([t.detach().to(wide).square().sum() for t in tensors]).tolist()))


def flat(grads, values):
    return torch.cat([t.reshape(-1) for t in (grads or [torch.zeros_like(t) for t in values])])
