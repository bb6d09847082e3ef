"""Makes the goldens of package native for families that the shared goldens do not have: tiny models, and what transformers and peft
compute with them in float64.

    python goldens.py FOLDER            writes them, in the layout of engine/native/testdata/goldens
    python goldens.py --check FOLDER    makes them again and compares them with those in FOLDER

models/NAME is a checkpoint. forward/NAME.safetensors has logits, hidden states and log-probabilities of three sequences, its .json three
greedy completions and how far transformers is off in float32 and in bfloat16. train/lora-NAME is an adapter as peft saves it, and the gradient of
a weighted sum of log-probabilities by its parameters. Exits with 1 where --check finds a difference above 1e-6.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import peft
import torch
from safetensors.torch import load_file, save_file

import tiny

WRAPPED = "gemma3-wrapper"  # a text model whose files are those of a model that reads images
MODELS = {
    "gemma2": tiny.family("gemma2", num_hidden_layers=2),
    "olmo2": tiny.family("olmo2", num_hidden_layers=2),
    "granite": tiny.family("granite", num_hidden_layers=2),
    "yarn": tiny.family("qwen3", num_hidden_layers=2, rope_scaling=tiny.YARN),
    WRAPPED: tiny.family("gemma3_text", num_hidden_layers=2),
}
LENGTHS, NEW_TOKENS, MARGIN = (30, 17, 5), 16, 1e-2
REAL32 = torch.float32  # whatever exact() makes of the name


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--check", action="store_true", help="compare instead of writing")
    p.add_argument("folder", type=pathlib.Path)
    args = p.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) if args.check else args.folder
        for seed, (name, config) in enumerate(MODELS.items()):
            golden(out, name, config, seed)
        return compare(out, args.folder) if args.check else 0


def golden(out, name, config, seed):
    folder = out / "models" / name
    model = tiny.build(folder, config, seed)
    tiny.write(model, folder)
    ids = [torch.randint(3, config["vocab_size"], (n,)).tolist() for n in LENGTHS]
    with tiny.exact():
        exact = tiny.in_float64(model, folder)
        with torch.no_grad():
            arrays, about = forward(exact, ids)
        grad = train(exact, ids, out / "train" / f"lora-{name}", f"models/{name}")
    about["measured"] = {"f32_max_abs_logprob_error": plain_error(model, ids, arrays["logprob_f64"]),
                         "bf16_mean_abs_logit_error": low_error(model, folder, ids, arrays["logits_f64"])}
    save(arrays, out / "forward" / f"{name}.safetensors", about)
    save(grad, out / "train" / f"lora-{name}" / "golden.safetensors", {
        "checkpoint": f"models/{name}", "loss": "L = sum_i weights[i] * logprob[i]", "loss_per_step": [grad.pop("loss").item()]})
    if name == WRAPPED:
        wrap(model, folder)


def wrap(model, folder):
    """Writes the files of a model that reads images around a text model, named as checkpoints on the Hub name them."""
    text = {k: v for k, v in MODELS[WRAPPED].items() if k not in ("eos_token_id", "tie_word_embeddings")}
    (folder / "config.json").write_text(json.dumps(tiny.wrapper(text_config=text), indent=1) + "\n")
    tiny.write(model, folder, lambda name: "language_model." + name)
    tensors = load_file(folder / "model.safetensors") | {"vision_tower.vision_model.post_layernorm.weight": torch.ones(16)}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def save(arrays, file, about):
    file.parent.mkdir(parents=True, exist_ok=True)
    save_file({k: v.contiguous() for k, v in arrays.items()}, file)
    file.with_suffix(".json").write_text(json.dumps(about) + "\n")


def packed(ids):
    starts = [0]
    for s in ids:
        starts.append(starts[-1] + len(s))
    return {"input_ids": torch.tensor(sum(ids, []), dtype=torch.int32), "cu_seqlens": torch.tensor(starts, dtype=torch.int32)}


def plain_error(model, ids, exact):
    """How far log-probabilities of transformers as it is, in float32, are off at most."""
    with torch.no_grad():
        return (torch.cat([after(tiny.logits(model, s).double(), s) for s in ids]) - exact).abs().max().item()


def after(z, ids):
    """At each token the log-probability of the next one, 0 at the end."""
    return torch.cat([tiny.logprobs(z, ids), torch.zeros(1)])


def low_error(model, folder, ids, exact):
    """How far the logits of transformers in bfloat16 are off, on average."""
    low = tiny.load(folder).bfloat16()
    low.load_state_dict(model.state_dict())
    with torch.no_grad():
        return (torch.cat([tiny.logits(low, s).float() for s in ids]) - exact).abs().mean().item()


def forward(exact, ids):
    """Arrays of the sequences, one after another, and what else the .json says."""
    hidden = [exact.model(input_ids=torch.tensor([s]), use_cache=False).last_hidden_state[0] for s in ids]
    logits = [tiny.logits(exact, s) for s in ids]
    arrays = packed(ids) | {
        "hidden_f64": torch.cat(hidden).to(REAL32), "logits_f64": torch.cat(logits).to(REAL32),
        "logprob_f64": torch.cat([after(z, s) for z, s in zip(logits, ids)]),
        "logprob_t07_f64": torch.cat([after(z / 0.7, s) for z, s in zip(logits, ids)])}
    return arrays, {"greedy": [greedy(exact, s[:4]) for s in ids]}


def greedy(model, prompt):
    """The most probable tokens, one after another. Where the first two are close, another prompt is taken."""
    tokens, logprobs = list(prompt), []
    while len(logprobs) < NEW_TOKENS:
        z = tiny.logits(model, tokens)[-1]
        best = z.topk(2)
        if best.values[0] - best.values[1] < MARGIN:
            return greedy(model, prompt[:-1] + [(prompt[-1] + 1) % len(z)])
        tokens.append(best.indices[0].item())
        logprobs.append(z.log_softmax(-1)[tokens[-1]].item())
    return {"prompt": prompt, "new_tokens": tokens[len(prompt):], "logprobs": logprobs}


def train(model, ids, folder, base):
    """Makes an adapter on all projections; its gradients, and the loss."""
    adapted = peft.get_peft_model(model, peft.LoraConfig(r=3, lora_alpha=4, target_modules="all-linear", task_type="CAUSAL_LM"))
    parameters = {n.replace(".default", ""): p for n, p in adapted.named_parameters() if p.requires_grad}
    with torch.no_grad():
        for p in parameters.values():
            p.copy_((torch.randn(p.shape) * 0.15).to(REAL32))
    adapted.peft_config["default"].base_model_name_or_path = base
    adapted.save_pretrained(folder)
    (folder / "README.md").unlink(missing_ok=True)
    config = json.loads((folder / "adapter_config.json").read_text())
    config["target_modules"] = sorted(config["target_modules"])
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=1) + "\n")
    file = folder / "adapter_model.safetensors"
    save_file({k: v.to(REAL32) for k, v in load_file(file).items()}, file)
    weights = torch.randn(sum(map(len, ids)))
    loss, at = 0, 0
    for s in ids:
        loss = loss + (tiny.logprobs(tiny.logits(adapted, s), s) * weights[at : at + len(s) - 1]).sum()
        at += len(s)
    loss.backward()
    none = torch.zeros(len(weights))
    return packed(ids) | {"weights": weights, "returns": none, "value_mask": none.clone(), "loss": loss.detach()} | {
        f"grad.{n}": p.grad.to(REAL32) for n, p in parameters.items()}


def compare(made, kept):
    """Compares all that was made with what is kept."""
    worst, files = 0.0, 0
    for file in sorted(made.rglob("*.safetensors")):
        a, b = load_file(file), load_file(kept / file.relative_to(made))
        if a.keys() != b.keys() or any(a[n].shape != b[n].shape for n in a):
            sys.exit(f"{file.relative_to(made)}: other tensors than in {kept}")
        worst, files = max([worst] + [((a[n] - b[n]).abs().max() / b[n].abs().max().clamp_min(1)).item() for n in a]), files + 1
    print(json.dumps({"files": files, "worst": worst}))
    return 0 if files and worst <= 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
