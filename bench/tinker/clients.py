"""Several clients of the official SDK at once against one `parley serve --tinker`: every answer is that which the same client gets alone.

usage: python clients.py --parley FILE [--clients 8] [--seconds 120]
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time

from sdk import Server, datum, ready


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--parley")
    args.add_argument("--clients", type=int, default=8)
    args.add_argument("--seconds", type=float, default=120)
    args.add_argument("--client", type=int)
    args.add_argument("--rounds", type=int, default=1 << 30)
    args = args.parse_args()
    if args.client is not None:
        return client(args.client, args.rounds, args.seconds)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(args.parley, folder)
        try:
            check(server, args.clients, args.seconds)
        finally:
            server.stop()


def check(server, clients, seconds):
    begun = [start(i, "--seconds", str(seconds)) for i in range(clients)]
    for p in begun:
        p.stdout.readline()
    early = server.memory()
    together = [answers(p) for p in begun]
    late = server.memory()
    requests = sum(len(a) for a in together) * 5
    print("%d clients for %.0f s: %d requests, memory %.0f MB after a round of each, %.0f MB at the end" % (clients, seconds, requests, early, late))
    for i, got in enumerate(together):
        alone = answers(start(i, "--rounds", str(len(got)), "--seconds", "100000"))
        if alone != got:
            at = next((k for k, (a, b) in enumerate(zip(alone, got)) if a != b), min(len(alone), len(got)))
            sys.exit("client %d is answered in another way than alone, from round %d of %d" % (i, at, len(got)))
        print("client %d: %d rounds, the same alone" % (i, len(got)))
    if late > 1.5 * early:
        sys.exit("the server's memory grows")


def start(number, *args):
    return subprocess.Popen([sys.executable, __file__, "--client", str(number), *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def answers(process):
    out, _ = process.communicate()
    if process.returncode:
        sys.exit("a client failed: " + out[-300:])
    return json.loads(out.splitlines()[-1])


def client(number, rounds, seconds):
    """Trains, samples from what it trained, and prints a digest of all numbers of each round."""
    import tinker

    end = time.time() + seconds
    service = tinker.ServiceClient()
    model = ready(service.create_lora_training_client(base_model="parley-base", rank=4 + number % 3, seed=number))
    digests = []
    while len(digests) < rounds and time.time() < end:
        tokens = [10 + (number * 7 + len(digests) * 3 + k) % 200 for k in range(12 + number)]
        n = len(tokens)
        first = model.forward_backward([datum(tinker, tokens, weights=[1.0] * n), datum(tinker, tokens[:5], weights=[-0.1] * 5)], "cross_entropy")
        second = model.optim_step(tinker.types.AdamParams(learning_rate=1e-4 * (1 + number), weight_decay=0.1 * number))
        passed, stepped = first.result(timeout=300), second.result(timeout=300)
        sampler = ready(model.save_weights_and_get_sampling_client())
        params = tinker.types.SamplingParams(max_tokens=12, seed=len(digests), temperature=0.5 + 0.25 * (number % 3), stop=[])
        drawn = sampler.sample(tinker.types.ModelInput.from_ints(tokens[:6]), 2, params).result(timeout=300)
        scored = sampler.compute_logprobs(tinker.types.ModelInput.from_ints(tokens)).result(timeout=300)
        seen = [list(o["logprobs"].data) for o in passed.loss_fn_outputs], sorted(passed.metrics.items()), sorted(stepped.metrics.items())
        seen += ([(list(s.tokens), list(s.logprobs)) for s in drawn.sequences], scored)
        digests.append(hashlib.sha256(repr(seen).encode()).hexdigest())
        if len(digests) == 1:
            print("warm", flush=True)  # all that a round needs is in the server's memory now
    print(json.dumps(digests))
    sys.stdout.flush()
    os._exit(0)  # heartbeats are of no interest any more


if __name__ == "__main__":
    main()
