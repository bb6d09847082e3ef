"""Several clients of the official SDK at once against one `parley serve --tinker`: every answer is that which the same client gets alone.

usage: python clients.py --parley FILE [--clients 8] [--seconds 120]

No request is lost: a client that waits for one longer than 300 s fails. Memory is looked at once the server has begun to forget: it keeps results for two
minutes after they were given out, and the newest 16 samplers of a model.
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

SETTLE = 125  # seconds and
KEPT = 20  # rounds after which the server forgets as much as it learns
REQUESTS = 5  # of a round


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--parley")
    args.add_argument("--clients", type=int, default=8)
    args.add_argument("--seconds", type=float, default=120)
    args.add_argument("--client", type=int)
    args.add_argument("--settle", type=float, default=0)
    args.add_argument("--rounds", type=int)
    args = args.parse_args()
    if args.client is not None:
        return client(args.client, args.rounds, args.settle, args.seconds)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(args.parley, folder, GODEBUG="gctrace=1")
        try:
            check(server, args.clients, args.seconds)
        finally:
            server.stop()


def check(server, clients, seconds):
    together = [start(i, "--settle", str(SETTLE), "--seconds", str(seconds)) for i in range(clients)]
    for p in together:
        p.stdout.readline()
    settled = time.time() - server.began
    early = server.memory()
    together = [answers(p) for p in together]
    ended, late = time.time() - server.began, server.memory()
    rounds = [len(a) for a in together]
    print("%d clients: %d requests in %.0f s before memory was looked at and %.0f s after" % (clients, sum(rounds) * REQUESTS, settled, ended - settled))
    flat(server.heaps(), settled, ended, early, late)
    for i, got in enumerate(together):
        alone = answers(start(i, "--rounds", str(len(got))))
        if alone != got:
            at = next((k for k, (a, b) in enumerate(zip(alone, got)) if a != b), min(len(alone), len(got)))
            sys.exit("client %d is answered in another way than alone, from round %d of %d" % (i, at, len(got)))
        print("client %d: %d rounds, the same alone" % (i, len(got)), flush=True)


def flat(heaps, settled, ended, early, late):
    """What lives in the server's memory is no more in the last third of the time than in the first, but for a tenth of it and 2 MB."""
    third = (ended - settled) / 3
    first = [live for at, live in heaps if settled <= at < settled + third]
    last = [live for at, live in heaps if ended - third <= at < ended]
    if not first or not last:
        sys.exit("no garbage was collected: there is nothing to compare")
    print("live after collections of garbage: at most %.0f MB in the first third, %.0f MB in the last; resident %.0f MB and %.0f MB" % (max(first), max(last), early, late))
    if max(last) > 1.1 * max(first) + 2:
        sys.exit("the server's memory grows")


def start(number, *args):
    return subprocess.Popen([sys.executable, __file__, "--client", str(number), *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def answers(process):
    out, _ = process.communicate()
    if process.returncode:
        sys.exit("a client failed: " + out[-300:])
    return json.loads(out.splitlines()[-1])


def client(number, rounds, settle, seconds):
    """Trains, samples from what it trained, and prints a digest of all numbers of each round: of so many rounds, or for some time after it settled."""
    import tinker

    settled, end = time.time() + settle, None
    service = tinker.ServiceClient()
    model = ready(service.create_lora_training_client(base_model="parley-base", rank=4 + number % 3, seed=number))
    digests = []
    while len(digests) < rounds if rounds else end is None or time.time() < end:
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
        if not end and len(digests) >= KEPT and time.time() >= settled:
            end = time.time() + seconds
            print("settled", flush=True)
    print(json.dumps(digests))
    sys.stdout.flush()
    os._exit(0)  # heartbeats are of no interest any more


if __name__ == "__main__":
    main()
