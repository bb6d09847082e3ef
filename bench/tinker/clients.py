"""Several clients of the official SDK at once against one `parley serve --tinker`: every answer is that which the same client gets alone.

usage: python clients.py --parley FILE [--clients 8] [--seconds 120] [--every 0]

No request is lost: a client that waits for one longer than 300 s fails. Memory is looked at once the server has begun to forget: it keeps results for two
minutes after they were given out, and the newest 16 samplers of a model.

--every is for a machine that has other work: all clients begin a round at the same moment, so many seconds after the one before, or later if it was not
done. The rounds are fewer then, and so the time that each client takes afterwards, alone.
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
    args.add_argument("--every", type=float, default=0)
    args.add_argument("--together", type=int, help="this is a client, of this number")
    args.add_argument("--alone", type=json.loads, help="these are all clients, one after the other: the rounds of each")
    args = args.parse_args()
    if args.together is not None:
        return together(args.together, args.seconds, args.every)
    if args.alone:
        return alone(args.alone)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(args.parley, folder, GODEBUG="gctrace=1")
        try:
            check(server, args.clients, args.seconds, args.every)
        finally:
            server.stop()


def check(server, clients, seconds, every):
    processes = [start("--together", str(i), "--seconds", str(seconds), "--every", str(every)) for i in range(clients)]
    for p in processes:
        p.stdout.readline()
    settled = time.time() - server.began
    early = server.memory()
    got = [answers(p)[-1] for p in processes]
    ended, late = time.time() - server.began, server.memory()
    rounds = [len(g) for g in got]
    print("%d clients: %d requests in %.0f s before memory was looked at and %.0f s after" % (clients, sum(rounds) * REQUESTS, settled, ended - settled), flush=True)
    flat(server.heaps(), settled, ended, early, late)
    for i, (mine, wanted) in enumerate(zip(got, answers(start("--alone", json.dumps(rounds))))):
        if mine != wanted:
            at = next(k for k, (a, b) in enumerate(zip(mine, wanted)) if a != b)
            sys.exit("client %d is answered in another way than alone, from round %d of %d" % (i, at, rounds[i]))
        print("client %d: %d rounds, the same alone" % (i, rounds[i]), flush=True)


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


def start(*args):
    return subprocess.Popen([sys.executable, __file__, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def answers(process):
    """What a process prints, line by line."""
    out, _ = process.communicate()
    if process.returncode:
        sys.exit("a client failed: " + out[-300:])
    return [json.loads(line) for line in out.splitlines()]


def together(number, seconds, every):
    """One client: until the server has settled, which it says, and for some time after."""
    client, digests, settle, end = Client(number), [], time.time() + SETTLE, None
    while end is None or time.time() < end:
        if every:
            time.sleep(every - time.time() % every)
        digests.append(client.round(len(digests)))
        if end is None and len(digests) >= KEPT and time.time() >= settle:
            end = time.time() + seconds
            say("settled")
    say(digests)
    os._exit(0)  # heartbeats are of no interest any more


def alone(rounds):
    for number, n in enumerate(rounds):
        client = Client(number)
        say([client.round(k) for k in range(n)])
    os._exit(0)


def say(x):
    print(json.dumps(x), flush=True)


class Client:
    """Trains, samples from what it trained, and returns a digest of all numbers of a round."""

    def __init__(self, number):
        import tinker

        self.types, self.number = tinker.types, number
        self.datum = lambda tokens, weights: datum(tinker, tokens, weights=weights)
        self.model = ready(tinker.ServiceClient().create_lora_training_client(base_model="parley-base", rank=4 + number % 3, seed=number))

    def round(self, k):
        types, number = self.types, self.number
        tokens = [10 + (number * 7 + k * 3 + i) % 200 for i in range(12 + number)]
        data = [self.datum(tokens, [1.0] * len(tokens)), self.datum(tokens[:5], [-0.1] * 5)]
        first = self.model.forward_backward(data, "cross_entropy")
        second = self.model.optim_step(types.AdamParams(learning_rate=1e-4 * (1 + number), weight_decay=0.1 * number))
        passed, stepped = first.result(timeout=300), second.result(timeout=300)
        sampler = ready(self.model.save_weights_and_get_sampling_client())
        params = types.SamplingParams(max_tokens=12, seed=k, temperature=0.5 + 0.25 * (number % 3), stop=[])
        drawn = sampler.sample(types.ModelInput.from_ints(tokens[:6]), 2, params).result(timeout=300)
        scored = sampler.compute_logprobs(types.ModelInput.from_ints(tokens)).result(timeout=300)
        seen = [list(o["logprobs"].data) for o in passed.loss_fn_outputs], sorted(passed.metrics.items()), sorted(stepped.metrics.items())
        seen += ([(list(s.tokens), list(s.logprobs)) for s in drawn.sequences], scored)
        return hashlib.sha256(repr(seen).encode()).hexdigest()


if __name__ == "__main__":
    main()
