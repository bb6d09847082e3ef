"""Trains a recipe on the embedded engine, and the same by a loop of the official SDK against `parley serve --tinker`: the adapters are the same.

usage: python same.py --parley FILE

The loop reads what was drawn and what advantage it got from the run's episodes. All else it does itself: it makes the models with the run's seeds, weighs
every token, steps with the recipe's optimizer, and fetches the adapters. The recipe shuffles its groups, so gradients are summed in another order; the
optimizer's eps is 1e-6 for both, because AdamW with a smaller one blows up the last bits of gradients that are nearly zero.
"""

import argparse
import io
import json
import os
import struct
import subprocess
import sys
import tarfile
import tempfile
import urllib.request

import numpy
import zstandard
from sdk import KEY, Server, ready

AGENTS, RANK, UPDATES, SEED = 2, 8, 4, 1
ADAM = {"beta1": 0.9, "beta2": 0.95, "eps": 1e-6, "weight_decay": 0.01}
MOST = 1e-5  # that two elements of an adapter are apart


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--parley", required=True)
    args = args.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = os.path.join(folder, "run")
        settings = ["policies.alpha=32", "sampling.temperature=1", "optimizer.eps=1e-6", "eval.problems=4", "training.problems=8"]
        command = [args.parley, "train", "magrpo-tiny", "--seed", str(SEED), "--max-updates", str(UPDATES), "--out", run]
        subprocess.run(command + [x for s in settings for x in ("--set", s)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server = Server(args.parley, folder)
        try:
            worst = compare(run, server.url)
        finally:
            server.stop()
    print("%d updates of %d policies: elements of the adapters %.2g apart at most" % (UPDATES, AGENTS, worst))
    if not worst <= MOST:
        sys.exit("they are not the same")


def derive(root, purpose, *indices):
    """The seed that parley derives for a purpose: FNV-1a, finished as SplitMix64 does."""
    h, mask = 0xCBF29CE484222325, 2**64 - 1
    for byte in struct.pack("<Q", root) + purpose.encode() + b"".join(struct.pack("<q", i) for i in indices):
        h = (h ^ byte) * 0x100000001B3 & mask
    h = h + 0x9E3779B97F4A7C15 & mask
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 & mask
    h = (h ^ h >> 27) * 0x94D049BB133111EB & mask
    return h ^ h >> 31


def compare(run, url):
    import tinker

    service = tinker.ServiceClient()
    clients = [ready(service.create_lora_training_client(base_model="parley-base", rank=RANK, seed=derive(SEED, "policy", i))) for i in range(AGENTS)]
    with open(os.path.join(run, "metrics.jsonl")) as f:
        rates = [json.loads(line)["lr"] for line in f]
    for update, rate in enumerate(rates, 1):
        with open(os.path.join(run, "episodes", "%06d.jsonl.zst" % update), "rb") as f:
            lines = zstandard.ZstdDecompressor().stream_reader(f).read().decode().splitlines()
        data = [batch(tinker, lines, i) for i in range(AGENTS)]
        futures = [c.forward_backward(d, "cross_entropy") for c, d in zip(clients, data)]
        futures += [c.optim_step(tinker.types.AdamParams(learning_rate=rate, **ADAM)) for c in clients]
        for f in futures:
            f.result(timeout=120)
    worst = 0
    for i, client in enumerate(clients):
        path = client.save_weights_for_sampler("trained").result(timeout=60).path
        there, here = fetch(url, path), adapter(os.path.join(run, "adapters", "policy-agent%d" % (i + 1), "adapter_model.safetensors"))
        if there.keys() != here.keys():
            sys.exit("the adapters have other tensors: %s, %s" % (sorted(there)[:3], sorted(here)[:3]))
        worst = max([worst] + [float(numpy.abs(there[k] - here[k]).max()) for k in here])
    return worst


def batch(tinker, lines, agent):
    """What an agent said in an update, each token weighed by its advantage. MAGRPO sums over tokens and averages over completions."""
    said = []
    for line in lines:
        for node in json.loads(line)["nodes"]:
            for a in node["agents"]:
                if a["agent"] == agent:
                    said += [(a["prompt"], c["tokens"], c.get("advantage", 0.0)) for c in a["completions"]]
    out = []
    for prompt, tokens, advantage in said:
        if advantage == 0:
            continue
        whole = prompt + tokens
        weights = [0.0] * (len(prompt) - 1) + [advantage / len(said)] * len(tokens)
        inputs = {"target_tokens": whole[1:], "weights": weights}
        out.append(tinker.types.Datum(model_input=tinker.types.ModelInput.from_ints(whole[:-1]), loss_fn_inputs=inputs))
    return out


def fetch(url, path):
    """The adapter of a checkpoint, from its archive: the newest releases have no call for it."""
    run, kind, name = path.removeprefix("tinker://").split("/")
    request = urllib.request.Request("%s/api/v1/training_runs/%s/checkpoints/%s/%s/archive" % (url, run, kind, name), headers={"X-API-Key": KEY})
    with urllib.request.urlopen(request) as answer, tarfile.open(fileobj=io.BytesIO(answer.read())) as archive:
        return tensors(archive.extractfile("adapter_model.safetensors").read())


def adapter(path):
    with open(path, "rb") as f:
        return tensors(f.read())


def tensors(data):
    """The tensors of a file in safetensors' form, all of float32."""
    size = struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8 : 8 + size])
    head.pop("__metadata__", None)
    return {k: numpy.frombuffer(data[8 + size + v["data_offsets"][0] : 8 + size + v["data_offsets"][1]], dtype="<f4") for k, v in head.items()}


if __name__ == "__main__":
    main()
