"""Compares log-probabilities and gradients of all families with transformers and peft, over many configurations of each.

    python check.py --parley ./parley [--verbose] [NAME...]

For each variant of variants.py a tiny random checkpoint is made. transformers and peft compute in float64, parley in float32: the
log-probabilities of two sequences, and the gradient of their sum through adapters on all projections. A variant that changes
config.json without changing shapes must change the numbers too, or it would prove nothing. What parley does not support it must
refuse, with the name of the key. Configurations drawn at random may be refused for any reason; what both sides take must be equal.

Prints what is off and a summary, and exits with 1 where something is off. NAME picks variants by the beginning of their names.
"""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

import peft
import torch
from safetensors.torch import load_file, save_file

import tiny
import variants

LOGPROB, GRADIENT, EFFECT = 1e-4, 1e-3, 1e-3
SEQUENCES = [[(7 * i * i + 3 * i + 5) % 64 for i in range(40)], [(11 * i + 9) % 64 for i in range(9)]]
REFUSED = 2  # the exit code of a model that parley does not read


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--parley", required=True, help="the program")
    p.add_argument("--random", type=int, default=0, metavar="N", help="draw N configurations too")
    p.add_argument("--seed", type=int, default=1, help="of the configurations that are drawn")
    p.add_argument("--verbose", action="store_true", help="print every variant")
    p.add_argument("names", nargs="*", metavar="NAME", help="variants; all where none is given")
    args = p.parse_args()
    torch.set_num_threads(1)
    parley = str(pathlib.Path(args.parley).resolve())
    chosen = [v for v in variants.every() if not args.names or any(v.name.startswith(n) for n in args.names)]
    chosen += variants.drawn(args.random, args.seed)
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        # Python computes one variant while parley, a process of its own, computes the one before.
        results = [pool.submit(answer, parley, made) for made in (make(v, pathlib.Path(scratch) / str(i)) for i, v in enumerate(chosen))]
        results = [r.result() for r in results]
    bad = [r for r in results if r["bad"]]
    for r in results if args.verbose else bad:
        print(json.dumps(r))
    worst = {k: max((r.get(k, 0) for r in results), default=0) for k in ("logprob", "gradient")}
    print(json.dumps({"variants": len(results), "refused": sum("refused" in r for r in results), "beyond transformers": sum("beyond" in r for r in results), "worst": worst, "bad": len(bad)}))
    return 1 if bad or not results else 0


class Made:
    """A checkpoint, and what transformers makes of it; error: why transformers does not take it."""

    def __init__(self, variant, folder):
        self.variant, self.folder, self.error = variant, folder, None
        self.logprobs, self.effect, self.gradients = None, None, {}


def make(v, folder):
    made = Made(v, folder)
    try:
        compute(made)
    except Exception as e:  # what transformers refuses, parley must refuse: for whatever reason
        made.error = f"{type(e).__name__}: {e}"
        stand_in(v.config, folder)
    return made


def stand_in(config, folder):
    """Weights for a config.json that transformers does not take: those of the family as it is."""
    tiny.write(tiny.build(folder, tiny.family(config["model_type"]), seed=0), folder)
    (folder / "config.json").write_text(json.dumps(config))


def compute(made):
    """Makes the checkpoint and what transformers computes."""
    v, folder = made.variant, made.folder
    model = tiny.build(folder, v.config, seed=len(v.name))
    tiny.write(model, folder, renaming(v.prefix))
    if v.refused:
        return
    with tiny.exact():
        exact = tiny.in_float64(model, folder)
        with torch.no_grad():
            made.logprobs = [tiny.logprobs(tiny.logits(exact, ids), ids) for ids in SEQUENCES]
            if v.without is not None:
                made.effect = effect(model, v.without, folder / "without", made.logprobs)
        if not v.prefix:
            made.gradients = gradients(exact, folder / "adapter")


def renaming(prefix):
    """From transformers' names of a wrapper's weights to those of the Hub's checkpoints."""
    if prefix != "hub":
        return lambda name: name

    def rename(name):
        name = name.removeprefix("model.")
        if name.startswith("language_model."):
            return "language_model.model." + name.removeprefix("language_model.")
        return "language_model." + name if name.startswith("lm_head.") else name

    return rename


def effect(model, config, folder, want):
    """How far log-probabilities move where config.json is another."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    other = tiny.in_float64(model, folder)
    return max((tiny.logprobs(tiny.logits(other, ids), ids) - w).abs().max().item() for ids, w in zip(SEQUENCES, want))


def gradients(model, folder):
    """Makes an adapter, and returns the gradient of the sum of all log-probabilities by its parameters."""
    torch.manual_seed(5)
    adapted = peft.get_peft_model(model, peft.LoraConfig(r=3, lora_alpha=4, target_modules="all-linear", task_type="CAUSAL_LM"))
    parameters = {n.replace(".default", ""): p for n, p in adapted.named_parameters() if p.requires_grad}
    with torch.no_grad():
        for p in parameters.values():
            p.copy_((torch.randn(p.shape) * 0.15).to(REAL32))
    adapted.save_pretrained(folder)
    file = folder / "adapter_model.safetensors"
    save_file({k: v.to(REAL32) for k, v in load_file(file).items()}, file)
    sum(tiny.logprobs(tiny.logits(adapted, ids), ids).sum() for ids in SEQUENCES).backward()
    return {n: p.grad for n, p in parameters.items()}


REAL32 = torch.float32  # whatever exact() makes of the name


def answer(parley, made):
    """What parley makes of it, beside what transformers does."""
    v, r = made.variant, {"variant": made.variant.name, "bad": []}
    code, out, message = run(parley, "score", made.folder, [{"ids": ids} for ids in SEQUENCES])
    if code == REFUSED and v.drawn:
        return r | {"refused": message.strip()}
    if code == REFUSED and (v.refused or v.either):
        word = v.refused or v.either
        if word not in message:
            r["bad"].append(f"refused without the name {word}: {message}")
        return r | {"refused": message.strip()}
    if code:
        return r | {"bad": [f"exit code {code}: {message.strip()}"]}
    if v.drawn and made.error:
        return r | {"beyond": made.error}
    if v.refused or made.error:
        return r | {"bad": [f"accepted; transformers: {made.error}"]}
    got = [torch.tensor(o["logprobs"][1:], dtype=torch.float64) for o in out]
    r["logprob"] = max((g - w).abs().max().item() for g, w in zip(got, made.logprobs))
    if made.effect is not None:
        r["effect"] = made.effect
        if not made.effect > EFFECT:
            r["bad"].append("the change moves nothing: the comparison proves nothing")
    if not r["logprob"] <= LOGPROB:
        r["bad"].append("log-probabilities")
    if made.gradients:
        compare(parley, made, r)
    return r


def compare(parley, made, r):
    """Adds how far gradients are off, as a share of the largest of each parameter; of one that has none, of the largest of all."""
    lines = [{"ids": ids, "weights": [1] * len(ids)} for ids in SEQUENCES]
    code, out, message = run(parley, "grad", made.folder, lines, "--adapter", made.folder / "adapter")
    if code:
        r["bad"].append(f"grad: exit code {code}: {message.strip()}")
        return
    got = out[0]["grads"]
    if got.keys() != made.gradients.keys():
        r["bad"].append(f"gradients of other parameters: {sorted(got.keys() ^ made.gradients.keys())[:4]}")
        return
    least = max(w.abs().max().item() for w in made.gradients.values()) * 1e-3 or 1
    r["gradient"] = max((torch.tensor(got[n], dtype=torch.float64) - w).abs().max().item() / max(w.abs().max().item(), least) for n, w in made.gradients.items())
    if not r["gradient"] <= GRADIENT:
        r["bad"].append("gradients")


def run(parley, verb, folder, lines, *flags):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    p = subprocess.run([parley, "model", verb, folder, *flags], input=text, capture_output=True, text=True, check=False)
    return p.returncode, [json.loads(line) for line in p.stdout.splitlines()], p.stderr


if __name__ == "__main__":
    sys.exit(main())
