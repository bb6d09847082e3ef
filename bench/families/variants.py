"""Configurations of all families: what config.json can say, each in a tiny model."""

import dataclasses
import json
import random

from tiny import FAMILIES, LLAMA3, YARN, family, wrapper


@dataclasses.dataclass
class Variant:
    name: str
    config: dict
    without: dict | None = None  # a config.json of the same weights that must give other numbers; None: what is changed changes shapes or nothing
    refused: str = ""  # parley refuses it, and names this
    either: str = ""  # parley gives transformers' numbers, or refuses it and names this
    drawn: bool = False  # drawn at random: equal, or refused for whatever reason, or no configuration of transformers
    prefix: str = ""  # weights of a wrapper: how checkpoints on the Hub call them ("hub") or how transformers does ("own")


def changed(kind, name, refused="", either="", effect=True, **change):
    """A family with changes, which must matter unless effect is False or they change shapes."""
    same = effect and not refused and not either and not set(change) & SHAPES
    return Variant(f"{kind}: {name}", family(kind, **change), family(kind) if same else None, refused, either)


SHAPES = {"num_key_value_heads", "head_dim", "attention_bias", "tie_word_embeddings", "num_hidden_layers", "num_attention_heads"}
DYNAMIC = {"rope_type": "dynamic", "factor": 3.0}
LONGROPE = {"type": "longrope", "short_factor": [1.0, 1.5, 2.0], "long_factor": [1.2, 3.0, 6.0]}


def everywhere(kind):
    """What every family takes."""
    yield Variant(f"{kind}: as it is", family(kind))
    yield changed(kind, "one key head", num_key_value_heads=1)
    yield changed(kind, "a key head each", num_key_value_heads=4)
    yield changed(kind, "large eps", rms_norm_eps=0.3)
    tied = not family(kind)["tie_word_embeddings"]
    yield changed(kind, "tied" if tied else "untied", tie_word_embeddings=tied)


def scalings(kind):
    """The rotary scalings of families with one set of angles."""
    yield changed(kind, "linear", rope_scaling={"type": "linear", "factor": 3.0})
    yield changed(kind, "dynamic", rope_scaling=DYNAMIC, max_position_embeddings=16)
    yield changed(kind, "llama3", rope_scaling=LLAMA3)
    yield changed(kind, "yarn", rope_scaling=YARN)
    yield changed(kind, "yarn in the layout of transformers 5", rope_theta=..., rope_parameters=YARN | {"rope_theta": 500.0})


def llama():
    yield changed("llama", "wide heads", head_dim=10)
    yield changed("llama", "biases", attention_bias=True)
    yield changed("llama", "llama3 without a length", rope_scaling={k: v for k, v in LLAMA3.items() if not k.startswith("original")}, max_position_embeddings=48)
    yield changed("llama", "yarn with its own gain", rope_scaling=YARN | {"attention_factor": 1.7})
    yield changed("llama", "yarn with mscale", rope_scaling=YARN | {"mscale": 2.0, "mscale_all_dim": 0.5})
    yield changed("llama", "yarn with one mscale", rope_scaling=YARN | {"mscale": 2.0})
    yield changed("llama", "yarn, not truncated", rope_scaling=YARN | {"truncate": False})
    yield changed("llama", "yarn, truncate null", rope_scaling=YARN | {"truncate": None})
    yield changed("llama", "yarn with defaults", rope_scaling={"rope_type": "yarn", "factor": 2.0}, max_position_embeddings=4096)
    yield changed("llama", "yarn, a band of nothing", rope_scaling=YARN | {"beta_fast": 1.0, "beta_slow": 1.0, "truncate": False})
    yield changed("llama", "yarn, the length outside", rope_scaling=YARN, original_max_position_embeddings=24)
    yield changed("llama", "longrope, short", rope_scaling=LONGROPE | {"original_max_position_embeddings": 48})
    yield changed("llama", "longrope, long", rope_scaling=LONGROPE | {"original_max_position_embeddings": 16})
    yield changed("llama", "longrope, the length outside", rope_scaling=LONGROPE | {"factor": 4.0}, original_max_position_embeddings=16)
    yield changed("llama", "scalings in both layouts", rope_scaling=YARN, rope_parameters={"rope_type": "linear", "factor": 2.0})
    yield changed("llama", "an empty scaling beside the other layout", rope_scaling={}, rope_parameters={"rope_type": "linear", "factor": 2.0})
    yield changed("llama", "mlp biases", refused="mlp_bias", mlp_bias=True)
    yield changed("llama", "another activation", refused="hidden_act", hidden_act="gelu")
    yield changed("llama", "half of each head turned", refused="partial_rotary_factor", partial_rotary_factor=0.5)
    yield changed("llama", "proportional angles", refused="proportional", rope_scaling={"rope_type": "proportional", "factor": 2.0})
    yield changed("llama", "eps null", either="rms_norm_eps", rms_norm_eps=None)
    yield changed("llama", "eps beyond float32", either="rms_norm_eps", rms_norm_eps=1e308)
    yield changed("llama", "eps too small for float32", either="rms_norm_eps", rms_norm_eps=1e-320)
    yield changed("llama", "an end token below 0", either="token", eos_token_id=-5)


def windows():
    yield changed("mistral", "no window", sliding_window=None)
    yield changed("mistral", "another window", sliding_window=3)
    yield changed("mistral", "wide heads", head_dim=10)
    yield changed("mistral", "windows by type of layer", refused="layer_types", layer_types=["sliding_attention", "full_attention", "sliding_attention"])
    yield changed("mistral", "no word on windows", sliding_window=...)
    for kind in ("qwen2", "qwen3"):
        yield changed(kind, "windows not in use", effect=False, sliding_window=5)
        yield changed(kind, "windows from a layer on", use_sliding_window=True, sliding_window=5, max_window_layers=1)
        yield changed(kind, "windows, no layer said", effect=False, use_sliding_window=True, sliding_window=5)
        yield changed(kind, "windows by type of layer", use_sliding_window=True, sliding_window=5,
                      layer_types=["sliding_attention", "full_attention", "sliding_attention"])
        yield changed(kind, "layer types without use of windows", either="sliding", sliding_window=5,
                      layer_types=["sliding_attention", "full_attention", "sliding_attention"])
        yield changed(kind, "windows, no width said", either="sliding_window", use_sliding_window=True, max_window_layers=1)
    yield changed("qwen3", "biases", attention_bias=True)
    yield changed("smollm3", "positions everywhere", no_rope_layers=[1, 1, 1])
    yield changed("smollm3", "positions by interval", no_rope_layers=..., no_rope_layer_interval=3)
    yield changed("smollm3", "windows", either="sliding_window", use_sliding_window=True, sliding_window=5)
    yield changed("smollm3", "biases", attention_bias=True)


def phi3():
    yield changed("phi3", "a window", sliding_window=5)
    yield changed("phi3", "longrope, short", rope_scaling=LONGROPE, original_max_position_embeddings=48)
    yield changed("phi3", "longrope, long", rope_scaling=LONGROPE, original_max_position_embeddings=16)
    yield changed("phi3", "longrope by its first name", rope_scaling=LONGROPE | {"type": "su", "original_max_position_embeddings": 16}, original_max_position_embeddings=16)
    yield changed("phi3", "longrope called yarn", rope_scaling=LONGROPE | {"type": "yarn"}, original_max_position_embeddings=16)
    yield changed("phi3", "part of each head turned", partial_rotary_factor=0.67)
    yield changed("phi3", "linear", refused="linear", rope_scaling={"type": "linear", "factor": 2.0})
    yield changed("phi3", "layer types", either="layer_types", sliding_window=5,
                  layer_types=["sliding_attention", "full_attention", "sliding_attention"])
    yield changed("phi3", "layer types without a window", either="layer_types",
                  layer_types=["sliding_attention", "full_attention", "sliding_attention"])


def gemma():
    nested = {"full_attention": {"rope_type": "linear", "factor": 4.0, "rope_theta": 500.0}, "sliding_attention": {"rope_type": "default", "rope_theta": 50.0}}
    for kind in ("gemma2", "gemma3_text"):
        yield changed(kind, "logits capped", final_logit_softcapping=2.5)
        yield changed(kind, "queries divided by more", query_pre_attn_scalar=20)
        yield changed(kind, "another window", sliding_window=3)
        yield changed(kind, "windows by type of layer", layer_types=["full_attention", "sliding_attention", "full_attention"])
        yield changed(kind, "biases", attention_bias=True)
        yield changed(kind, "narrow heads", head_dim=6)
        yield changed(kind, "no word on windows", either="sliding_window", sliding_window=...)
    yield changed("gemma2", "no caps", attn_logit_softcapping=None, final_logit_softcapping=None)
    yield changed("gemma2", "scores capped", attn_logit_softcapping=1.0)
    yield changed("gemma3_text", "scores capped", refused="attn_logit_softcapping", attn_logit_softcapping=1.0)
    yield changed("gemma2", "the caps of the family", attn_logit_softcapping=..., final_logit_softcapping=...)
    yield changed("gemma2", "a pattern that it does not have", effect=False, sliding_window_pattern=3)
    yield changed("gemma2", "both ways", refused="use_bidirectional_attention", use_bidirectional_attention=True)
    yield changed("gemma3_text", "another pattern", sliding_window_pattern=3)
    yield changed("gemma3_text", "linear", rope_scaling={"rope_type": "linear", "factor": 4.0})
    yield changed("gemma3_text", "angles by type of layer", rope_theta=..., rope_local_base_freq=..., rope_parameters=nested)
    yield changed("gemma3_text", "angles without types of layers", either="rope_parameters", rope_parameters={"rope_type": "linear", "factor": 4.0})
    yield changed("gemma3_text", "yarn", rope_scaling=YARN)
    yield changed("gemma3_text", "llama3", rope_scaling=LLAMA3)
    for prefix in ("hub", "own"):
        yield Variant(f"gemma3: weights named as the {prefix} names them", wrapper(), prefix=prefix)
    yield Variant("gemma3: a head of its own", wrapper(tie_word_embeddings=False), prefix="hub")


def scaled():
    for key, value in (("embedding_multiplier", 12.0), ("attention_multiplier", 0.9), ("residual_multiplier", 0.22), ("logits_scaling", 8.0)):
        yield changed("granite", key, **{key: value})
        yield changed("granite", f"no {key}", **{key: ...})
    yield changed("granite", "biases", attention_bias=True)
    yield changed("olmo2", "biases", attention_bias=True)
    yield changed("olmo2", "wide heads", head_dim=10)


def every():
    for kind in ("llama", "mistral", "qwen2", "qwen3", "smollm3", "phi3", "gemma2", "gemma3_text", "olmo2", "granite"):
        yield from everywhere(kind)
    for kind in ("llama", "mistral", "qwen2", "qwen3", "smollm3", "gemma2", "olmo2", "granite"):
        yield from scalings(kind)
    for part in (llama, windows, phi3, gemma, scaled):
        yield from part()


def drawn(count, seed):
    """Configurations drawn at random from what people write into config.json, right and wrong."""
    r = random.Random(seed)
    for _ in range(count):
        kind = r.choice(sorted(FAMILIES))
        keys = r.sample(sorted(VALUES), r.choice([1, 1, 2, 2, 3, 4]))
        change = {key: r.choice(VALUES[key]) for key in keys}
        said = {key: "left out" if value is ... else value for key, value in change.items()}
        yield Variant(f"{kind}: {json.dumps(said)}", family(kind, **change), drawn=True)


LAYERS = ["full_attention", "sliding_attention"]
ANGLES = [
    None, {}, {"rope_type": "default"}, {"rope_type": "default", "rope_theta": 77.0}, {"rope_type": "default", "partial_rotary_factor": 0.5},
    {"type": "linear", "factor": 3.5}, {"type": "linear", "factor": None}, {"rope_type": "linear"}, {"factor": 2.0}, {"rope_type": "dynamic", "factor": 2.0},
    {"rope_type": "dynamic", "factor": 1.0}, LLAMA3, YARN, YARN | {"factor": 0.5}, YARN | {"attention_factor": 0.7}, YARN | {"attention_factor": None},
    YARN | {"mscale": 0.7, "mscale_all_dim": 1.0}, YARN | {"mscale": 1.0, "mscale_all_dim": 0}, YARN | {"truncate": False}, YARN | {"truncate": None},
    YARN | {"beta_fast": 0.3, "beta_slow": 2.0}, YARN | {"beta_fast": None, "beta_slow": 0}, {"type": "yarn", "rope_type": "linear", "factor": 2.0},
    LONGROPE, LONGROPE | {"original_max_position_embeddings": 16}, LONGROPE | {"factor": 0.5}, {"rope_type": "su"}, {"rope_type": "proportional", "factor": 2.0},
]
VALUES = {
    "attention_bias": [True, False, ..., None], "attention_chunk_size": [None, 8], "attention_dropout": [0.0], "attention_multiplier": [0.2, 1.0, ...],
    "attn_logit_softcapping": [1.0, 50.0, None, ...], "embedding_multiplier": [12, 1, None, ...], "eos_token_id": [[2, 3], 2, None, ...],
    "final_logit_softcapping": [2.0, 30.0, None, ...], "head_dim": [4, 6, 10, 5, 0, None, ...], "hidden_act": ["silu", "gelu", "swish", None, ...],
    "hidden_activation": ["gelu_pytorch_tanh", "gelu", "silu", None, ...],
    "layer_types": [LAYERS + LAYERS[:1], LAYERS[1:] + LAYERS, LAYERS[:1] * 3, LAYERS[1:] * 3, LAYERS, LAYERS * 2, ["chunked_attention"] * 3, None, ...],
    "layer_norm_eps": [0.5], "logits_scaling": [5.0, 1, ...], "max_position_embeddings": [16, 40, 64, 4096], "max_window_layers": [0, 1, 2, 3, 99, -1, None, ...],
    "mlp_bias": [True, False], "no_rope_layer_interval": [1, 2, 3, None, ...], "no_rope_layers": [[1, 1, 0], [0, 0, 0], [1, 0], [], None, ...],
    "num_attention_heads": [2, 3, 4, 6], "num_key_value_heads": [1, 2, 3, 4, None, ...], "original_max_position_embeddings": [16, 48, None, ...],
    "pad_token_id": [0, None, ...], "partial_rotary_factor": [0.5, 0.67, 1, 1.0, None, ...], "query_pre_attn_scalar": [1, 20, None, ...],
    "residual_multiplier": [0.3, 1, ...], "rms_norm_eps": [1e-3, 0.3, 1e-12, 0, 1, -1e-3, ...], "rope_local_base_freq": [50.0, None, ...],
    "rope_parameters": ANGLES, "rope_scaling": ANGLES, "rope_theta": [100.0, 500, 1e6, 0.5, 1, None, ...],
    "sliding_window": [0, 1, 3, 5, 64, 4096, -1, None, ...], "sliding_window_pattern": [1, 2, 3, 6, None, ...],
    "tie_word_embeddings": [True, False, None, ...], "use_bidirectional_attention": [False, None], "use_sliding_window": [True, False, None, ...],
}
