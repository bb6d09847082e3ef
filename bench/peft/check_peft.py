"""Checks that Python's peft computes with an adapter of parley's what parley computes with it.

    python check_peft.py --parley ./parley --model model/shipped/model ADAPTER...

Draws token sequences, scores them with `parley model score --adapter` and with transformers and peft in float32, and compares
the log-probabilities. Exits with 1 where they differ by more than --tolerance, or where an adapter changes nothing, which
would prove nothing.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys


def main():
    args = arguments()
    config = json.loads((pathlib.Path(args.model) / "config.json").read_text())
    sequences = draw(config, args.sequences, args.seed)
    # PyTorch is loaded after the arguments are known to be good: it takes seconds.
    plain = reference(args.model, None, sequences)
    ok = True
    for adapter in args.adapters:
        ours = parley(args.parley, args.model, adapter, sequences)
        theirs = reference(args.model, adapter, sequences)
        error, effect = distance(ours, theirs), distance(theirs, plain)
        print(json.dumps({"adapter": adapter, "error": error, "effect": effect, "tolerance": args.tolerance}))
        if not error <= args.tolerance:
            print(f"{adapter}: log-probabilities differ by {error:.2g}", file=sys.stderr)
            ok = False
        if not effect > 10 * args.tolerance:
            print(f"{adapter}: it changes log-probabilities by {effect:.2g} only; train it longer", file=sys.stderr)
            ok = False
    return 0 if ok else 1


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--parley", default="parley", help="the program")
    p.add_argument("--model", required=True, help="the base model, a folder in Hugging Face layout")
    p.add_argument("--sequences", type=int, default=16)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--tolerance", type=float, default=1e-4)
    p.add_argument("adapters", nargs="+", metavar="ADAPTER", help="a folder with adapter_config.json")
    return p.parse_args()


def draw(config, count, seed):
    """Sequences of 2 to 64 random token ids."""
    rng = random.Random(seed)
    longest = min(64, config["max_position_embeddings"])
    return [[rng.randrange(config["vocab_size"]) for _ in range(rng.randint(2, longest))] for _ in range(count)]


def parley(program, model, adapter, sequences):
    """Log-probabilities of all tokens but the first of each sequence, as parley has them."""
    lines = "".join(json.dumps({"ids": ids}) + "\n" for ids in sequences)
    command = [program, "model", "score", str(model), *([] if adapter is None else ["--adapter", str(adapter)])]
    done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}")
    answers = [json.loads(line)["logprobs"] for line in done.stdout.splitlines()]
    for ids, logprobs in zip(sequences, answers, strict=True):
        if len(logprobs) != len(ids) or logprobs[0] is not None:
            sys.exit(f"{len(logprobs)} log-probabilities for {len(ids)} tokens, the first {logprobs[0]}")
    return [logprobs[1:] for logprobs in answers]


def reference(model, adapter, sequences):
    """The same, as transformers has them, with peft where there is an adapter."""
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    net = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32, attn_implementation="eager")
    if adapter is not None:
        net = PeftModel.from_pretrained(net, adapter)
    net.eval()
    result = []
    with torch.no_grad():
        for ids in sequences:
            row = torch.tensor([ids])
            logprobs = net(row).logits[0, :-1].double().log_softmax(-1)
            result.append(logprobs.gather(1, row[0, 1:, None])[:, 0].tolist())
    return result


def distance(a, b):
    """The largest difference of two lists of lists of numbers."""
    return max(abs(x - y) for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True))


if __name__ == "__main__":
    sys.exit(main())
