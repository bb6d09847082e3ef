"""What the peers share: the shapes of the models, and the protocol by which the driver runs them.

A peer is a process that loads its model, prints one JSON line, and then does one run of its work for every line that it reads,
answering each with a JSON line of seconds by name. At the end of its input it prints its peak memory. So the driver can let
peers and parley take turns without loading a model again.
"""

import argparse
import json
import random
import sys
import time

SHAPES = {
    "qwen2.5-0.5b": dict(model_type="qwen2", vocab_size=151936, hidden_size=896, intermediate_size=4864, num_hidden_layers=24,
                         num_attention_heads=14, num_key_value_heads=2, max_position_embeddings=32768, rms_norm_eps=1e-6,
                         rope_theta=1e6, tie_word_embeddings=True),
    "smollm2-135m": dict(model_type="llama", vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30,
                         num_attention_heads=9, num_key_value_heads=3, max_position_embeddings=8192, rms_norm_eps=1e-5,
                         rope_theta=1e5, tie_word_embeddings=True),
    "tiny": dict(model_type="llama", vocab_size=128, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                 num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=512, rms_norm_eps=1e-5,
                 rope_theta=1e4, tie_word_embeddings=True),
}

LINEAR = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def arguments(**flags):
    """Parse flags; each keyword is a flag, its value the default, whose type is kept. False makes a switch."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=2)
    for name, default in flags.items():
        option = "--" + name.replace("_", "-")
        if default is False:
            parser.add_argument(option, action="store_true")
        else:
            parser.add_argument(option, type=type(default), default=default)
    return parser.parse_args()


def lengths(span, n):
    """Spread n lengths evenly over a span such as 512 or 64-512, as parley does."""
    low, _, high = str(span).partition("-")
    low, high = int(low), int(high or low)
    return [high if n == 1 else low + (high - low) * i // (n - 1) for i in range(n)]


def reset_peak():
    with open("/proc/self/clear_refs", "w") as f:
        f.write("5")


def peak_memory():
    with open("/proc/self/status") as f:
        for line in f:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/self/status has no VmHWM")


def timed(f, *args):
    began = time.perf_counter()
    f(*args)
    return time.perf_counter() - began


def say(**fields):
    print(json.dumps(fields), file=answers, flush=True)


# Libraries print to stdout what they like; answers go to the stdout that the process was started with.
answers = sys.stdout
sys.stdout = sys.stderr


def serve(run, versions):
    """Answer the driver. run(rng) does the work once and returns seconds by name."""
    reset_peak()
    say(ready=True, versions=versions)
    for number, _ in enumerate(sys.stdin):
        say(seconds=run(random.Random(number)))
    say(peak_memory_bytes=peak_memory())
