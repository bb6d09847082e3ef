"""Tiny random models of every family, as transformers has them."""

import contextlib
import json
import warnings

import torch
import transformers
from safetensors.torch import save_file

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()

# What every family's config.json begins with. Windows, grouped heads and heads that are wider than hidden_size/heads matter in it.
BASE = {
    "vocab_size": 64, "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "rope_theta": 1000.0, "eos_token_id": 2,
    "bos_token_id": 1, "pad_token_id": 0, "tie_word_embeddings": False,
}
GEMMA = {"head_dim": 8, "query_pre_attn_scalar": 5, "sliding_window": 5, "hidden_activation": "gelu_pytorch_tanh", "tie_word_embeddings": True}
FAMILIES = {
    "llama": {},
    "mistral": {"sliding_window": 5},
    "qwen2": {},
    "qwen3": {"head_dim": 8},
    "smollm3": {"no_rope_layers": [1, 0, 1]},
    "phi3": {},
    "gemma2": GEMMA | {"attn_logit_softcapping": 2.0, "final_logit_softcapping": 4.0},
    "gemma3_text": GEMMA | {"sliding_window_pattern": 2, "rope_local_base_freq": 100.0},
    "olmo2": {},
    "granite": {"embedding_multiplier": 3.0, "attention_multiplier": 0.3, "residual_multiplier": 0.4, "logits_scaling": 0.7},
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "beta_fast": 2.0, "beta_slow": 0.3}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32}


def family(name, **change):
    """The config.json of a tiny model, with changes; what is changed to ... is left out."""
    return {k: v for k, v in ({"model_type": name} | BASE | FAMILIES[name] | change).items() if v is not ...}


def wrapper(**change):
    """The config.json of a tiny Gemma 3 that reads images."""
    text = {k: v for k, v in family("gemma3_text").items() if k not in ("eos_token_id", "tie_word_embeddings")}
    vision = {"model_type": "siglip_vision_model", "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
              "image_size": 8, "patch_size": 4}
    return {"model_type": "gemma3", "text_config": text, "vision_config": vision, "eos_token_id": [2, 3], "mm_tokens_per_image": 4,
            "boi_token_index": 60, "eoi_token_index": 61, "image_token_index": 62} | change


def build(folder, config, seed, dtype=torch.float32):
    """Writes config.json and random weights into a folder, and returns transformers' model of it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    model = load(folder)
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            p.copy_(draw(name, p, config["model_type"]).to(dtype))
    return model


def load(folder):
    """transformers' model of a config.json, with weights of its own making."""
    config = transformers.AutoConfig.from_pretrained(folder)
    auto = transformers.AutoModelForImageTextToText if config.model_type == "gemma3" else transformers.AutoModelForCausalLM
    return auto.from_config(config, attn_implementation="eager").eval()


def draw(name, p, kind):
    """Values that make everything matter: attention that looks somewhere, norms that are not 1, biases that are not 0."""
    x = torch.randn(p.shape)
    if name.endswith("bias"):
        return x * 0.3
    if p.dim() == 1:
        return x * 0.2 + (0 if kind.startswith("gemma") else 1)
    if "embed_tokens" in name or "lm_head" in name:
        return x * 0.6
    return x * (1.5 if "q_proj" in name or "k_proj" in name or "qkv" in name else 1) / p.shape[-1] ** 0.5


def write(model, folder, rename=lambda name: name):
    """Writes the weights; a head that is the embedding is written once."""
    tensors = {rename(k): v.contiguous().clone() for k, v in model.state_dict().items()}
    if model.config.tie_word_embeddings:
        tensors = {k: v for k, v in tensors.items() if not k.endswith("lm_head.weight")}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


@contextlib.contextmanager
def exact():
    """Lets transformers compute in float64 throughout: its norms, softmax and rotary angles ask for float32 by name."""
    names, default, cast = (torch.float32, torch.float), torch.get_default_dtype(), torch.Tensor.float
    torch.set_default_dtype(torch.float64)
    torch.float32 = torch.float = torch.float64
    torch.Tensor.float = torch.Tensor.double
    try:
        yield
    finally:
        torch.float32, torch.float = names
        torch.Tensor.float = cast
        torch.set_default_dtype(default)


def in_float64(model, folder):
    """The model once more, in float64; inside of exact()."""
    twin = load(folder).double()
    twin.load_state_dict({k: v.double() for k, v in model.state_dict().items()})
    return twin


def logits(model, ids):
    """Of one sequence, [tokens, vocabulary]."""
    return model(input_ids=torch.tensor([ids]), use_cache=False).logits[0]


def logprobs(z, ids):
    """Of each next token, given logits."""
    return z.log_softmax(-1)[:-1].gather(1, torch.tensor(ids[1:])[:, None])[:, 0]
