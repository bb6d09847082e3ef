"""Compares the speed of parley's tokenizers with that of Hugging Face's tokenizers library (Rust), on one core.

    python bench.py --encodespeed ./encodespeed --data DATA TOKENIZER.json...

Both encode the same texts, in turns, round by round; the ids must be equal. One JSON object for each tokenizer is printed, then a
table. Exits with 1 where ids differ or where parley is slower than --least times the library.
"""

import argparse
import gzip
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

from tokenizers import Tokenizer  # noqa: E402: the variables count when it is loaded

# Where texts come from: file under --data, fields, bytes.
SOURCES = [
    ("scitldr/train.jsonl.gz", ["source"], 1_100_000),
    ("gsm8k/train.jsonl.gz", ["question", "answer"], 800_000),
    ("math/sample500.jsonl.gz", ["problem", "solution"], 300_000),
    ("mbpp/mbpp.jsonl.gz", ["text", "code"], 300_000),
    ("classeval/test.jsonl.gz", ["skeleton", "solution_code"], 300_000),
]


def main():
    args = arguments()
    texts = [t for file, fields, size in SOURCES for t in read(args.data / file, fields, size)]
    for path in args.texts:
        texts += json.loads(path.read_text())
    if args.core is not None:
        os.sched_setaffinity(0, {args.core})
    rows = [measure(args, path, texts) for path in args.tokenizers]
    print(f"\n{'tokenizer':<20}{'parley MB/s':>14}{'library MB/s':>14}{'ratio':>8}{'first':>8}")
    for r in rows:
        print(f"{r['tokenizer']:<20}{r['parley']:>14.2f}{r['library']:>14.2f}{r['ratio']:>8.2f}{r['first']:>8.2f}")
    sys.exit(any(not r["equal"] or r["ratio"] < args.least for r in rows))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encodespeed", required=True, help="the binary of tools/encodespeed")
    parser.add_argument("--data", required=True, type=pathlib.Path, help="folder with the data sets")
    parser.add_argument("--texts", type=pathlib.Path, action="append", default=[], help="a JSON array of further texts")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--core", type=int, help="run on this core only (Linux)")
    parser.add_argument("--least", type=float, default=1.0)
    parser.add_argument("tokenizers", nargs="+", type=pathlib.Path)
    return parser.parse_args()


def read(path, fields, size):
    """The texts of a data set, one a record and field, until they have so many bytes."""
    for line in gzip.open(path, "rt", encoding="utf-8"):
        record = json.loads(line)
        for field in fields:
            text = record.get(field) or ""
            text = "\n".join(text) if isinstance(text, list) else text
            size -= len(text.encode())
            if size < 0:
                return
            if text:
                yield text


def measure(args, path, texts):
    library = Tokenizer.from_file(str(path))
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(texts, file)
        file.flush()
        ours = subprocess.Popen([args.encodespeed, str(path), file.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                text=True, env={**os.environ, "GOMAXPROCS": "1"})
        seconds = {"parley": [], "library": []}
        for _ in range(args.rounds + 1):
            ours.stdin.write("\n")
            ours.stdin.flush()
            answer = json.loads(ours.stdout.readline())
            seconds["parley"].append(answer["seconds"])
            begun = time.perf_counter()
            encoded = library.encode_batch_fast(texts, add_special_tokens=False)
            seconds["library"].append(time.perf_counter() - begun)
        ours.stdin.close()
        ours.wait()
    megabytes = sum(len(t.encode()) for t in texts) / 1e6
    # The first round fills caches on both sides: its ratio stands apart.
    speed = {who: megabytes / statistics.median(s[1:]) for who, s in seconds.items()}
    ids = [i for e in encoded for i in e.ids]
    row = {"tokenizer": path.stem, "megabytes": megabytes, **speed, "ratio": speed["parley"] / speed["library"],
           "first": seconds["library"][0] / seconds["parley"][0],
           "equal": answer["checksum"] == checksum(ids)}
    print(json.dumps(row), flush=True)
    return row


def checksum(ids):
    """FNV-1a over the ids as little-endian 32-bit numbers."""
    h = 0xCBF29CE484222325
    for i in ids:
        for byte in i.to_bytes(4, "little"):
            h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


if __name__ == "__main__":
    main()
