"""Writes model/config/testdata/variants.json: what transformers makes of variants of config.json of every family.

No weights are needed, and no torch: the classes of configurations say it all, and the few lines of the models that read
them are repeated in `derived`. Run it where transformers is installed:

    python bench/configs/make.py model/config/testdata/variants.json
"""

import copy
import json
import logging
import sys

import transformers
from transformers import AutoConfig

logging.disable(logging.CRITICAL)

COMMON = {
    "vocab_size": 29, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 4, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "pad_token_id": None, "bos_token_id": None, "eos_token_id": 1,
}
FAMILIES = {
    "llama": {}, "mistral": {"sliding_window": 7}, "ministral": {"sliding_window": 7, "head_dim": 4}, "qwen2": {}, "qwen3": {"head_dim": 8}, "smollm3": {}, "phi3": {},
    "olmo2": {}, "granite": {}, "gemma2": {"head_dim": 8, "sliding_window": 7, "query_pre_attn_scalar": 8},
    "gemma3_text": {"head_dim": 8, "sliding_window": 7, "query_pre_attn_scalar": 8},
}
ABSENT = "absent"
FULL, SLIDING = "full_attention", "sliding_attention"
MIXED = [SLIDING, FULL, SLIDING, FULL]
CHANGES = [{}]
for key, values in {
    "num_attention_heads": [2, 8, 3, 5, 16, 0, None], "num_key_value_heads": [1, 4, 3, None, ABSENT, 0], "head_dim": [4, 8, None, ABSENT],
    "hidden_size": [None, 0, 18], "num_hidden_layers": [None, 0, 2], "intermediate_size": [None, 0], "vocab_size": [None, 0],
    "max_position_embeddings": [None, 0, 128],
    "rms_norm_eps": [None, ABSENT, 1e-6, 0.5], "tie_word_embeddings": [True, False, None, ABSENT], "attention_bias": [True, False, None],
    "mlp_bias": [False, None], "sliding_window": [None, ABSENT, 5, 1], "use_sliding_window": [True, False, None],
    "max_window_layers": [0, 2, 9, None], "layer_types": [[FULL] * 4, [SLIDING] * 4, MIXED, [FULL], ["other"] * 4, None],
    "rope_theta": [5e5, 500000, None], "rope_scaling": [None, {}, {"type": "linear", "factor": 2.0}, {"rope_type": "linear", "factor": 4.0}],
    "rope_parameters": [None, {}, {"rope_theta": 7e4}, {"rope_type": "default", "rope_theta": 7e4}, {"rope_type": "linear", "factor": 2.0, "rope_theta": 7e4}],
    "partial_rotary_factor": [None, 1.0], "no_rope_layers": [None, [1, 0, 1, 1]], "no_rope_layer_interval": [2, None],
    "query_pre_attn_scalar": [4, None, ABSENT], "sliding_window_pattern": [2, 3], "hidden_act": ["silu", None], "eos_token_id": [None, [1, 2]],
    "attention_dropout": [0.1, None], "rope_local_base_freq": [2e4],
}.items():
    CHANGES += [{key: value} for value in values]
for types in (MIXED, [SLIDING] * 4, [FULL] * 4):
    for use in (True, False):
        CHANGES.append({"layer_types": types, "use_sliding_window": use, "sliding_window": 5})
CHANGES += [
    {"use_sliding_window": True, "sliding_window": 5}, {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 2},
    {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 0}, {"use_sliding_window": True, "sliding_window": ABSENT, "max_window_layers": 1},
    {"use_sliding_window": True, "sliding_window": None, "max_window_layers": 0}, {"use_sliding_window": False, "sliding_window": 5, "max_window_layers": 0},
    {"num_hidden_layers": 40, "use_sliding_window": True, "sliding_window": 5}, {"num_hidden_layers": 7},
    {"rope_scaling": {"type": "linear", "factor": 2.0}, "rope_parameters": {"rope_type": "linear", "factor": 3.0}, "rope_theta": 3e4},
    {"rope_parameters": {"rope_theta": 7e4}, "rope_theta": 3e4}, {"num_attention_heads": ABSENT}, {"num_hidden_layers": ABSENT},
]


def variant(family, change):
    config = {"model_type": family, **COMMON, **FAMILIES[family]}
    change = copy.deepcopy(change)  # transformers fills in what it is given
    for key, value in change.items():
        if value is ABSENT:
            config.pop(key, None)
        else:
            config[key] = value
    return config


def derived(config):
    """What the model that is made of a configuration computes with."""
    kind = config.model_type
    head_dim = getattr(config, "head_dim", config.hidden_size // config.num_attention_heads)
    if kind == "mistral":
        head_dim = head_dim or config.hidden_size // config.num_attention_heads
    if head_dim is None:
        raise ValueError("the model cannot be made: head_dim is None")
    if min(config.vocab_size, config.hidden_size, config.intermediate_size, config.num_hidden_layers, config.num_attention_heads,
           config.num_key_value_heads, config.max_position_embeddings) < 1 or config.num_attention_heads % config.num_key_value_heads:
        raise ValueError("the model cannot be made: sizes")
    n, types, width = config.num_hidden_layers, getattr(config, "layer_types", None), getattr(config, "sliding_window", None)
    if kind in ("llama", "olmo2", "granite"):
        windows = [0] * n
    elif kind in ("mistral", "phi3"):
        windows = [width or 0] * n
    else:
        windows = [(width if types[i] == SLIDING else 0) for i in range(n)]
        if None in windows:
            raise ValueError("the mask cannot be made: a window without a width")
    rope = config.rope_parameters
    ropes = [rope[FULL], rope[SLIDING]] if kind == "gemma3_text" else [rope]
    for r in ropes:
        if r["rope_theta"] is None:
            raise ValueError("the model cannot be made: rope_theta is None")
    no_rope = getattr(config, "no_rope_layers", None) if kind == "smollm3" else None
    eos = config.eos_token_id
    return {
        "heads": config.num_attention_heads, "kv_heads": config.num_key_value_heads, "head_dim": head_dim, "hidden": config.hidden_size,
        "layers": n, "eps": config.rms_norm_eps, "tied": bool(config.tie_word_embeddings), "windows": windows,
        "bias": bool(getattr(config, "attention_bias", False)) if kind in ("llama", "qwen3", "smollm3", "olmo2", "granite", "gemma2", "gemma3_text") else False,
        "ropes": [{"theta": r["rope_theta"], "type": r["rope_type"], "factor": r.get("factor")} for r in ropes],
        "no_rope": [not r for r in no_rope] if no_rope else None, "context": config.max_position_embeddings,
        "scalar": getattr(config, "query_pre_attn_scalar", None) if kind in ("gemma2", "gemma3_text") else None,
        "eos": eos if isinstance(eos, list) else [] if eos is None else [eos],
    }


def main(path):
    out = []
    for family in FAMILIES:
        for change in CHANGES:
            config = variant(family, change)
            entry = {
                "family": family, "set": copy.deepcopy({k: v for k, v in change.items() if v is not ABSENT}),
                "drop": [k for k, v in change.items() if v is ABSENT],
            }
            try:
                entry["want"] = derived(AutoConfig.for_model(**config))
            except Exception as error:  # whatever transformers says, it does not compute
                entry["refused"] = " ".join(str(error).split())[:60] or type(error).__name__
            out.append(entry)
    with open(path, "w") as file:
        bases = {family: variant(family, {}) for family in FAMILIES}
        file.write("{\"transformers\": %s, \"bases\": %s, \"variants\": [\n" % (json.dumps(transformers.__version__), json.dumps(bases)))
        file.write(",\n".join(json.dumps(entry, sort_keys=True, separators=(",", ":")) for entry in out))
        file.write("\n]}\n")
    print(len(out), "variants,", sum("refused" in entry for entry in out), "refused")


if __name__ == "__main__":
    main(sys.argv[1])
