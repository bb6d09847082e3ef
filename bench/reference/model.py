"""A Llama with low-rank adapters and value heads, in double precision: just enough of one to check parley's arithmetic."""

import json

import torch
from safetensors.torch import load_file

PROJECTIONS = {name: f"{part}.{name}_proj" for part, names in {"self_attn": "qkvo", "mlp": ("gate", "up", "down")}.items() for name in names}


class Base:
    """The frozen weights of a checkpoint folder."""

    def __init__(self, folder):
        self.folder = folder
        self.config = json.loads((folder / "config.json").read_text())
        self.weights = {name: w.double() for name, w in load_file(folder / "model.safetensors").items()}

    def hidden(self, tokens, adapter=None):
        """Hidden states [tokens, hidden] after the last norm; an adapter is a Policy or None."""
        x = self.weights["model.embed_tokens.weight"][torch.tensor(tokens)]
        for layer in range(self.config["num_hidden_layers"]):
            name = f"model.layers.{layer}."
            x = x + self.attention(name, self.norm(x, name + "input_layernorm"), adapter)
            x = x + self.feed_forward(name, self.norm(x, name + "post_attention_layernorm"), adapter)
        return self.norm(x, "model.norm")

    def logits(self, hidden):
        return hidden @ self.weights["model.embed_tokens.weight"].T

    def norm(self, x, name):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.config["rms_norm_eps"]) * self.weights[name + ".weight"]

    def project(self, layer, which, x, adapter):
        name = layer + PROJECTIONS[which]
        y = x @ self.weights[name + ".weight"].T
        return y if adapter is None else y + adapter.low_rank(name, x)

    def attention(self, layer, x, adapter):
        d, groups = self.config["head_dim"], self.config["num_attention_heads"] // self.config["num_key_value_heads"]
        q, k, v = (self.project(layer, which, x, adapter).unflatten(-1, (-1, d)).transpose(0, 1) for which in "qkv")
        q, k = self.rotate(q), self.rotate(k)
        k, v = k.repeat_interleave(groups, 0), v.repeat_interleave(groups, 0)
        future = torch.full((len(x), len(x)), -torch.inf, dtype=x.dtype).triu(1)
        mixed = torch.softmax(q @ k.transpose(1, 2) / d**0.5 + future, -1) @ v
        return self.project(layer, "o", mixed.transpose(0, 1).flatten(1), adapter)

    def rotate(self, x):
        """Rotary positions: element i of a head turns with element i + d/2."""
        half = x.shape[-1] // 2
        speed = self.config["rope_theta"] ** -(torch.arange(half, dtype=x.dtype) / half)
        angle = torch.arange(x.shape[1], dtype=x.dtype)[:, None] * speed
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)

    def feed_forward(self, layer, x, adapter):
        gate = torch.nn.functional.silu(self.project(layer, "gate", x, adapter))
        return self.project(layer, "down", gate * self.project(layer, "up", x, adapter), adapter)


class Policy:
    """The parameters of a folder that parley saved: an adapter, and a value head where there is one."""

    def __init__(self, base, folder):
        self.base = base
        config = json.loads((folder / "adapter_config.json").read_text())
        self.scale = config["lora_alpha"] / config["r"]
        self.parameters = {name: w.requires_grad_() for name, w in read_parameters(folder).items()}

    def low_rank(self, name, x):
        a, b = (self.parameters[f"base_model.model.{name}.lora_{part}.weight"] for part in "AB")
        return self.scale * (x @ a.T) @ b.T

    def values(self, tokens, start):
        """Values of the states before token start, before the one after it, ..., and after the last."""
        states = self.base.hidden(tokens, self)[start - 1:]
        if "value_head.hidden.weight" in self.parameters:
            states = torch.tanh(states @ self.parameters["value_head.hidden.weight"].T + self.parameters["value_head.hidden.bias"])
        return (states @ self.parameters["value_head.weight"].T + self.parameters["value_head.bias"])[:, 0]


def read_parameters(folder):
    out = load_file(folder / "adapter_model.safetensors")
    if (folder / "value_head.safetensors").exists():
        out |= load_file(folder / "value_head.safetensors")
    return {name: w.double() for name, w in out.items()}


def logprobs(base, adapter, tokens, start, sampling):
    """Log-probabilities of tokens[start:] under the distribution that they were drawn from."""
    logits = base.logits(base.hidden(tokens, adapter)[start - 1:-1]) / sampling["temperature"]
    rows = torch.arange(len(logits))
    drawn = torch.tensor(tokens[start:])
    kept = cut(logits.detach(), sampling.get("top_k", 0), sampling.get("top_p", 1))
    kept[rows, drawn] = True
    return logits.masked_fill(~kept, -torch.inf).log_softmax(-1)[rows, drawn]


def cut(logits, top_k, top_p):
    """Which tokens the k largest and then the smallest prefix with mass top_p leave. Ties go to the lower id."""
    kept = torch.ones_like(logits, dtype=torch.bool)
    order = logits.argsort(dim=-1, descending=True, stable=True)
    rank = order.argsort(-1)
    if top_k:
        kept &= rank < top_k
    if 0 < top_p < 1:
        sorted_p = logits.masked_fill(~kept, -torch.inf).softmax(-1).gather(-1, order)
        before = sorted_p.cumsum(-1) - sorted_p
        kept &= (before < top_p).gather(-1, rank)
    return kept
