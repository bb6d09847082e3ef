"""Compares how parley and llama.cpp cut texts into words, for every value of tokenizer.ggml.pre that parley knows.

    PYTHONPATH=LLAMACPP python bench/export/splits.py --parley ./parley

Writes files with a vocabulary alone: all bytes, and merges of all pairs of bytes that stand beside each other in the texts, so that the tokens
show where words end. Prints what differs and a summary, and exits with 1 where something does. Names that this llama.cpp does not know are
counted: it may be older.
"""

import argparse
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import llama_cpp

TEXTS = [
    "Hello world! It's 12345 things, isn't it?  We'LL see: I'M, THEY'VE.",
    "a1b22c333d4444 1234567 12 0.5e-10 ½ ²³ ٣٤٥",
    "tabs\tand\n\nlines\r\n  indented   code();\n\n\n  end  ",
    "def f(x):\n    return x**2 + 1  # comment\n\tif x != y: pass",
    "Größe straße ÉCOLE naïve résumé İstanbul'da ıslak",
    "你好,世界。これはテストです!한국어 문장 12개",
    "Привет, мир! Ελληνικά κείμενα العربية، עברית हिन्दी में বাংলা",
    "camelCase HTTPServer XMLHttpRequest snake_case ALLCAPS McDonald's",
    "🙂🙃 emoji 👩‍👩‍👧 $100.00 €50 10% <tag> a=b&c=d [x] {y} `code` ~^|",
    "!!! ??? ... --- (parens) \"quotes\" 'single' «guillemets» 1,234,567.89",
    " leading", "trailing ", "  ", "\n", " \n \n", "\t\t\tx", "x\u00a0y\u2003z", "e\u0301 combining n\u0303o",
]

# What the two do differently, where parley does as the models' own tokenizers: composed characters, letters beyond ASCII that have a case or are
# marks, changes of case where classes of upper and lower letters stand in the expression, and spaces between the ranges of Chinese.
CASES = ("kimi-k2", "kanana2", "talkie", "minimax-m2", "tekken", "gpt-4o", "llama4")
OWN = {(name, t) for name in CASES for t in (TEXTS[4], TEXTS[6])} | {(name, TEXTS[7]) for name in ("tiny_aya", "cohere2moe", "youtu", "kimi-k2")}
OWN |= {(name, "x\u00a0y\u2003z") for name in ("deepseek-coder", "deepseek-llm")}
NORMALISED = "e\u0301 combining n\u0303o"


def letters():
    """The letters that stand for bytes in byte-level vocabularies."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = (b for b in range(256) if b not in printable)
    return {b: chr(b) for b in printable} | {b: chr(256 + i) for i, b in enumerate(others)}


def vocabulary():
    of = letters()
    tokens, merges = list(of.values()), []
    for text in TEXTS:
        data = text.encode()
        for a, b in zip(data, data[1:]):
            if of[a] + of[b] not in tokens:
                tokens.append(of[a] + of[b])
                merges.append(f"{of[a]} {of[b]}")
    return tokens, merges


def text(s):
    data = s.encode()
    return struct.pack("<Q", len(data)) + data


def array(kind, items, pack):
    return struct.pack("<IIQ", 9, kind, len(items)) + b"".join(pack(x) for x in items)


def write(path, pre):
    tokens, merges = vocabulary()
    tokens = tokens + ["<s>", "</s>"]
    entries = {
        "general.architecture": struct.pack("<I", 8) + text("llama"),
        "tokenizer.ggml.model": struct.pack("<I", 8) + text("gpt2"),
        "tokenizer.ggml.pre": struct.pack("<I", 8) + text(pre),
        "tokenizer.ggml.tokens": array(8, tokens, text),
        "tokenizer.ggml.token_type": array(5, [1] * (len(tokens) - 2) + [3, 3], lambda n: struct.pack("<i", n)),
        "tokenizer.ggml.merges": array(8, merges, text),
        "tokenizer.ggml.bos_token_id": struct.pack("<II", 4, len(tokens) - 2),
        "tokenizer.ggml.eos_token_id": struct.pack("<II", 4, len(tokens) - 1),
        "tokenizer.ggml.add_bos_token": struct.pack("<IB", 7, 0),
    }
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(text(k) + v for k, v in entries.items()))


def names():
    """The values that parley knows."""
    source = (pathlib.Path(__file__).resolve().parents[2] / "model/tokenizer/gguf_pre.go").read_text()
    return re.findall(r'"([^"\n]+)": split', source)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--parley", required=True, help="the program")
    args = p.parse_args()
    unknown, bad = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in names():
            path = pathlib.Path(scratch) / "vocabulary.gguf"
            write(path, name)
            try:
                model = llama_cpp.Llama(str(path), vocab_only=True, verbose=False)
            except Exception:
                unknown.append(name)
                continue
            lines = "".join(json.dumps({"text": t}) + "\n" for t in TEXTS)
            done = subprocess.run([args.parley, "model", "tokenize", path], input=lines, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{name}: {done.stderr}")
            for t, line in zip(TEXTS, done.stdout.splitlines()):
                wanted, got = model.tokenize(t.encode(), add_bos=False, special=False), json.loads(line)["ids"]
                if wanted != got and t != NORMALISED and (name, t) not in OWN:
                    bad += 1
                    print(json.dumps({"pre": name, "text": t, "llama.cpp": wanted, "parley": got}, ensure_ascii=False))
    print(json.dumps({"names": len(names()), "unknown to llama.cpp": unknown, "texts": len(TEXTS), "bad": bad}))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
