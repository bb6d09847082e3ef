"""Checks that parley reads from a GGUF file the model that it reads from the Hugging Face folder.

    python check_gguf.py --parley ./parley FOLDER...

Writes each checkpoint as GGUF with the gguf package, in float32 and with the names that the package gives tensors, scores random
token sequences over both forms with `parley model score`, and compares the log-probabilities. What GGUF has no field for is set to
llama.cpp's constant in a copy of the folder first: SmolLM3's layers without positions, query scales of Gemma, and windows and
local frequencies of Gemma 3. Exits with 1 where they differ by more than --tolerance.
"""

import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import gguf
import ml_dtypes  # noqa: F401: teaches numpy bfloat16
import numpy as np
from safetensors.numpy import load_file

ARCHITECTURES = {"llama": "llama", "mistral": "llama", "qwen2": "qwen2", "qwen3": "qwen3", "smollm3": "smollm3", "phi3": "phi3",
                 "gemma3_text": "gemma3", "gemma2": "gemma2", "olmo2": "olmo2", "granite": "granite"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parley", required=True)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    ok = True
    for folder in args.folders:
        with tempfile.TemporaryDirectory() as scratch:
            error, scores = compare(args.parley, folder, pathlib.Path(scratch))
        print(json.dumps({"model": folder.name, "scores": scores, "error": error}))
        ok = ok and error <= args.tolerance
    sys.exit(not ok)


def compare(parley, folder, scratch):
    config = json.loads((folder / "config.json").read_text())
    fix(config)
    plain = scratch / "folder"
    plain.mkdir()
    tensors = {}
    for file in folder.glob("*.safetensors*"):
        shutil.copy(file, plain / file.name)
        if file.suffix == ".safetensors":
            tensors.update(load_file(file))
    (plain / "config.json").write_text(json.dumps(config))
    file = scratch / "model.gguf"
    write(file, config, tensors)
    random.seed(1)
    lines = "".join(json.dumps({"ids": [random.randrange(config["vocab_size"]) for _ in range(40)]}) + "\n" for _ in range(8))
    a, b = score(parley, plain, lines), score(parley, file, lines)
    return float(np.abs(a - b).max()), len(a)


def score(parley, model, lines):
    out = subprocess.run([parley, "model", "score", str(model)], input=lines, capture_output=True, text=True, check=False)
    if out.returncode:
        sys.exit(f"{model}: {out.stderr}")
    return np.array([x for line in out.stdout.splitlines() for x in json.loads(line)["logprobs"][1:]])


def fix(config):
    """Sets what the file cannot say to what llama.cpp takes it for."""
    if config["model_type"] == "smollm3":
        config.pop("no_rope_layers", None)
        config["no_rope_layer_interval"] = 4
    if config["model_type"] == "gemma2":
        config["query_pre_attn_scalar"] = config["head_dim"]
    if config["model_type"] == "gemma3_text":
        config.update(sliding_window_pattern=6, query_pre_attn_scalar=config["head_dim"], rope_local_base_freq=10000.0)


def write(path, c, tensors):
    name = ARCHITECTURES[c["model_type"]]
    arch = next(a for a, n in gguf.MODEL_ARCH_NAMES.items() if n == name)
    w = gguf.GGUFWriter(str(path), name)
    heads, kv, hidden = c["num_attention_heads"], c["num_key_value_heads"], c["hidden_size"]
    size = c.get("head_dim") or hidden // heads
    rope = c.get("rope_parameters") or c.get("rope_scaling") or {}
    w.add_block_count(c["num_hidden_layers"])
    w.add_context_length(c["max_position_embeddings"])
    w.add_embedding_length(hidden)
    w.add_feed_forward_length(c["intermediate_size"])
    w.add_head_count(heads)
    w.add_head_count_kv(kv)
    w.add_key_length(size)
    w.add_value_length(size)
    w.add_layer_norm_rms_eps(c["rms_norm_eps"])
    w.add_rope_freq_base(rope.get("rope_theta") or c.get("rope_theta", 10000.0))
    w.add_rope_dimension_count(int(size * c.get("partial_rotary_factor", 1)))
    if c["model_type"] in ("mistral", "phi3", "gemma3_text", "gemma2"):
        w.add_sliding_window(c["sliding_window"] or 0)
    kind = rope.get("rope_type") or rope.get("type")
    if kind == "linear":
        w.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        w.add_rope_scaling_factor(rope["factor"])
    if kind == "yarn":
        w.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        w.add_rope_scaling_factor(rope["factor"])
        w.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        w.add_rope_scaling_yarn_beta_fast(rope.get("beta_fast", 32))
        w.add_rope_scaling_yarn_beta_slow(rope.get("beta_slow", 1))
    if c["model_type"] == "gemma2":
        w.add_attn_logit_softcapping(c["attn_logit_softcapping"])
        w.add_final_logit_softcapping(c["final_logit_softcapping"])
    if c["model_type"] == "granite":
        w.add_embedding_scale(c["embedding_multiplier"])
        w.add_attention_scale(c["attention_multiplier"])
        w.add_residual_scale(c["residual_multiplier"])
        w.add_logit_scale(c["logits_scaling"])
    if c["model_type"] == "phi3":
        w.add_rope_scaling_orig_ctx_len(c["original_max_position_embeddings"])
    if kind == "longrope":
        w.add_tensor("rope_factors_long.weight", np.array(rope["long_factor"], np.float32))
        w.add_tensor("rope_factors_short.weight", np.array(rope["short_factor"], np.float32))
    if kind == "llama3":
        w.add_tensor("rope_freqs.weight", llama3(rope, rope.get("rope_theta") or c["rope_theta"], size))
    names = gguf.get_tensor_name_map(arch, c["num_hidden_layers"])
    for key, value in tensors.items():
        value = value.astype(np.float32)
        if name in ("llama", "smollm3", "granite") and ".q_proj." in key:
            value = permute(value, heads)
        if name in ("llama", "smollm3", "granite") and ".k_proj." in key:
            value = permute(value, kv)
        if name in ("gemma2", "gemma3") and key.endswith("norm.weight"):
            value = value + 1
        w.add_tensor(names.get_name(key, try_suffixes=(".weight", ".bias")), value)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def permute(x, heads):
    """The order of llama.cpp's rotation: of each head, the coordinates that one angle turns stand side by side."""
    rows = x.shape[0] // heads // 2
    return np.ascontiguousarray(x.reshape(heads, 2, rows, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape))


def llama3(rope, theta, size):
    """What Llama 3's scaling divides each frequency by."""
    frequencies = 1 / theta ** (np.arange(0, size, 2) / size)
    length = 2 * np.pi / frequencies
    low = rope["original_max_position_embeddings"] / rope["low_freq_factor"]
    high = rope["original_max_position_embeddings"] / rope["high_freq_factor"]
    smooth = (rope["original_max_position_embeddings"] / length - rope["low_freq_factor"]) / (rope["high_freq_factor"] - rope["low_freq_factor"])
    between = 1 / ((1 - smooth) / rope["factor"] + smooth)
    return np.where(length < high, 1, np.where(length > low, rope["factor"], between)).astype(np.float32)


if __name__ == "__main__":
    main()
