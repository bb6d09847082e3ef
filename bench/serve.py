"""`parley serve` beside llama.cpp's server: tokens per second and time to the first token, by the number of users who ask at once.

    python3 bench/serve.py --parley ./parley --model SmolLM2-135M-Instruct.Q4_1.gguf --python PYTHON [--llama-server LLAMA-SERVER]

Both serve the same weights, as bf16 and as Q8_0 (parley: int8), and answer the same prompts, greedily and with as many tokens, in turns within one run:
each figure is the median of ratios within rounds, so that what else the machine does falls on both. PYTHON has the packages of serving/llama.txt: gguf
writes the two files of weights, and xllamacpp is llama.cpp's server, where no LLAMA-SERVER that was built for this processor is named. --ollama OLLAMA
compares with ollama's server in its place; take a released one, since one that Go alone builds has no vector instructions.
"""
import argparse
import contextlib
import http.client
import json
import os
import socket
import statistics
import subprocess
import tempfile
import threading
import time

WORDS = "river stone winter candle music garden silver market island thunder window letter".split()
HERE = os.path.dirname(os.path.abspath(__file__))
FORMATS = {"bf16": ("BF16", "bf16"), "int8": ("Q8_0", "int8")}  # the weights in the file, and what parley is told


def prompts(n):
    """Prompts that begin alike and go on each in its own way, of about 40 tokens."""
    return [f"Write a short story about {WORDS[i % 12]} and {WORDS[(i * 5 + 3) % 12]}, number {i}. It has a beginning, a middle and an end. Once upon a time" for i in range(n)]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def running(command, port, env):
    """A server, once it answers on its port."""
    log = tempfile.TemporaryFile()
    server = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **env})
    try:
        for _ in range(1200):
            with contextlib.suppress(OSError):
                c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
                c.request("GET", "/v1/models", headers={"Authorization": "Bearer bench"})
                if c.getresponse().status == 200:
                    break
            assert server.poll() is None, log.seek(0) or log.read().decode()
            time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait(60)


def ask(port, model, prompt, tokens, out):
    """One user: notes the tokens that came and the seconds to the first."""
    body = {"model": model, "prompt": prompt, "max_tokens": tokens, "temperature": 0, "stream": True, "stream_options": {"include_usage": True}, "ignore_eos": True}
    begun = time.monotonic()
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    c.request("POST", "/v1/completions", json.dumps(body), {"Authorization": "Bearer bench", "Content-Type": "application/json"})
    answer = c.getresponse()
    assert answer.status == 200, answer.read()
    first, pieces, usage = None, 0, None
    for line in answer:
        if not line.startswith(b"data: {"):
            continue
        chunk = json.loads(line[6:])
        assert "error" not in chunk, chunk
        for choice in chunk["choices"]:
            if choice.get("text"):
                first = first or time.monotonic() - begun
                pieces += 1
        usage = (chunk.get("usage") or {}).get("completion_tokens") or usage
    out.append((usage or pieces, first if first is not None else time.monotonic() - begun))


def load(port, model, users, tokens, seed):
    """So many users at once: tokens per second in all, and the median time to the first."""
    out, begun = [], time.monotonic()
    threads = [threading.Thread(target=ask, args=(port, model, p, tokens, out)) for p in prompts(users * (seed + 1))[-users:]]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(out) == users, "an answer is missing"
    return sum(n for n, _ in out) / (time.monotonic() - begun), statistics.median(f for _, f in out)


def peer_of(args, name, weights, port, folder):
    """The other server: its command, its environment, and what it calls the model."""
    users, context = max(args.users), 512
    if args.ollama:
        with open(os.path.join(folder, "Modelfile"), "w") as f:
            f.write(f"FROM {os.path.abspath(weights)}\nPARAMETER num_thread {args.threads}\nPARAMETER num_ctx {context}\n")
        env = {"OLLAMA_HOST": f"127.0.0.1:{port}", "OLLAMA_MODELS": os.path.join(folder, "ollama"), "OLLAMA_NUM_PARALLEL": str(users), "HOME": folder}
        return [args.ollama, "serve"], env, f"bench-{name}"
    if args.llama_server:
        return [args.llama_server, "-m", weights, "--port", str(port), "-np", str(users), "-c", str(context * users), "-t", str(args.threads), "--api-key", "bench"], {}, weights
    own = os.path.join(HERE, "serving", "llama_server.py")
    return [args.python, own, "--model", weights, "--port", str(port), "--slots", str(users), "--context", str(context), "--threads", str(args.threads), "--key", "bench"], {}, weights


def compare(args, name, folder):
    """All figures of one format."""
    kind, dtype = FORMATS[name]
    weights = os.path.join(args.weights or folder, f"{name}.gguf")
    if not os.path.exists(weights):
        subprocess.run([args.python, os.path.join(HERE, "serving", "weights.py"), args.model, weights, kind], check=True)
    ours, theirs = free_port(), free_port()
    peer, env, model = peer_of(args, name, weights, theirs, folder)
    figures = {users: [] for users in args.users}
    with running([args.parley, "serve", weights, "--dtype", dtype, "--addr", f"127.0.0.1:{ours}", "--working", str(max(args.users))], ours, {"PARLEY_TOKEN": "bench", "GOMAXPROCS": str(args.threads)}), running(peer, theirs, env):
        if args.ollama:
            subprocess.run([args.ollama, "create", model, "-f", os.path.join(folder, "Modelfile")], env={**os.environ, **env}, check=True, capture_output=True)
        for port, served in ((ours, weights), (theirs, model)):
            load(port, served, 1, 8, 0)  # pages of the files are read
        for number in range(args.rounds):
            for users in args.users:
                both = [(ours, weights), (theirs, model)]
                measured = [load(*s, users, args.tokens, number) for s in (both if number % 2 else both[::-1])]
                figures[users].append(measured if number % 2 else measured[::-1])
    return figures


def main():
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--parley", required=True)
    flags.add_argument("--model", required=True, help="a .gguf file")
    flags.add_argument("--python", required=True, help="a Python with the packages of serving/llama.txt")
    flags.add_argument("--llama-server", help="llama.cpp's own server")
    flags.add_argument("--ollama", help="ollama, in the place of llama.cpp's server")
    flags.add_argument("--weights", help="a folder that keeps the files of weights")
    flags.add_argument("--formats", default="bf16,int8", type=lambda s: s.split(","))
    flags.add_argument("--users", default=[1, 8, 32], type=lambda s: [int(n) for n in s.split(",")])
    flags.add_argument("--rounds", default=5, type=int)
    flags.add_argument("--tokens", default=64, type=int)
    flags.add_argument("--threads", default=len(os.sched_getaffinity(0)), type=int)
    args = flags.parse_args()
    table = []
    with tempfile.TemporaryDirectory() as folder:
        for name in args.formats:
            for users, rounds in compare(args, name, folder).items():
                ratio = lambda i: statistics.median((mine[i] / peer[i]) for mine, peer in rounds)
                median = lambda who, i: round(statistics.median(r[who][i] for r in rounds), 3)
                table.append({"format": name, "users": users, "tokens_per_second": median(0, 0), "peer": median(1, 0), "ratio": round(ratio(0), 2),
                              "first_token": median(0, 1), "peer_first_token": median(1, 1), "first_ratio": round(ratio(1), 2)})
    peer = "ollama" if args.ollama else "llama.cpp"
    print(json.dumps({"peer": peer, "rounds": args.rounds, "tokens": args.tokens, "threads": args.threads, "table": table}, indent=2))
    print(f"\n| weights | users | parley, tokens/s | {peer}, tokens/s | ratio | first token, ms | {peer}, ms | ratio |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    for t in table:
        print(f"| {t['format']} | {t['users']} | {t['tokens_per_second']:.0f} | {t['peer']:.0f} | {t['ratio']:.2f}× | {1000 * t['first_token']:.0f} | {1000 * t['peer_first_token']:.0f} | {t['first_ratio']:.2f}× |")


if __name__ == "__main__":
    main()
