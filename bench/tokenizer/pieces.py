"""What the library tokenizers makes of small tokenizers put together at random: the goldens of TestPieces in model/tokenizer.

    python bench/tokenizer/pieces.py model/tokenizer/testdata/pieces.jsonl.gz [SEED [NUMBER]]

Each line is {"file": a tokenizer.json, "cases": [[text, ids, text of the ids], ...]}. Texts are rich in what normalizers change: characters whose
normal forms begin with a space, combining marks, spaces of all kinds, added tokens in part and whole.
"""
import gzip
import json
import random
import sys
import unicodedata
from pathlib import Path

from tokenizers import Tokenizer

CHARSMAP = None  # of the small T5 of the goldens
SPACED = [chr(c) for c in range(0x20000) if unicodedata.normalize("NFKC", chr(c))[:1] == " "]
MARKS = [chr(c) for c in (0x300, 0x301, 0x308, 0x323, 0x327, 0x342, 0x345)] + ["\u0903", "\u200d", "\ufe0f", "\u11a8", "\u0e33", "\u3099"]
PLAIN = list("abAB .,'1\n\t-_") + ["  ", "é", "中", "ß", "İ", "ſ", "ﬁ", "각", "ᄀ", "👩", "\u00a0", "▁", "q", "῁", "\r\n", "can't", "ab ab"]
ADDED = ["<s>", "</s>", "<x y>", "ab", "é", "A B", " a", "\u1fc1", "B"]
VOCABULARY = ["<unk>", "▁", "a", "b", "A", "B", "ab", "▁a", "▁ab", "é", "e", "\u0301", "\u0308", "1", ".", ",", "'", "s", "i", "中", "q", " ", "\n", "▁▁", "x", "-", "Ġ", "Ġa", "Ã", "©", "f", "y"]


def pattern(r):
    if r.random() < 0.4:
        return {"String": r.choice([" ", "a", "ab", ".", "▁", "  ", "é", "-"])}
    return {"Regex": r.choice([" {2,}", r"\s+", r"\s+(?!\S)", "^a", "$", r"\p{L}+", r"\p{N}", "a{,2}", "[^a]", r"\w+|[^\w\s]+", r"(?m:a.)", r"\b", "(?i:ab|'s)", r"\p{M}"])}


def normalizer(r):
    return r.choice([
        lambda: {"type": r.choice(["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt"])},
        lambda: {"type": "Strip", "strip_left": r.random() < 0.5, "strip_right": r.random() < 0.5},
        lambda: {"type": "Prepend", "prepend": r.choice(["▁", "a", " "])},
        lambda: {"type": "Replace", "pattern": pattern(r), "content": r.choice(["", "▁", " ", "a", "ab"])},
        lambda: {"type": "BertNormalizer", "clean_text": r.random() < 0.5, "handle_chinese_chars": r.random() < 0.5, "strip_accents": r.choice([None, True, False]), "lowercase": r.random() < 0.5},
        lambda: {"type": "Precompiled", "precompiled_charsmap": CHARSMAP},
        lambda: {"type": "Precompiled", "precompiled_charsmap": CHARSMAP},
    ])()


def pre_tokenizer(r):
    behavior = r.choice(["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"])
    return r.choice([
        lambda: {"type": r.choice(["WhitespaceSplit", "Whitespace", "BertPreTokenizer", "UnicodeScripts"])},
        lambda: {"type": "Metaspace", "replacement": "▁", "prepend_scheme": r.choice(["always", "first", "never"]), "split": r.random() < 0.7},
        lambda: {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True},
        lambda: {"type": "Split", "pattern": pattern(r), "behavior": behavior, "invert": r.random() < 0.3},
        lambda: {"type": "Punctuation", "behavior": behavior},
        lambda: {"type": "Digits", "individual_digits": r.random() < 0.5},
        lambda: {"type": "CharDelimiterSplit", "delimiter": r.choice(["-", "a", " "])},
        lambda: {"type": "FixedLength", "length": r.randint(1, 4)},
        lambda: {"type": "ByteLevel", "add_prefix_space": r.random() < 0.5, "trim_offsets": True, "use_regex": r.random() < 0.5},
    ])()


def several(r, make, key, kind, most):
    parts = [make(r) for _ in range(r.randint(0, most))]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 and r.random() < 0.5 else {"type": kind, key: parts}


def decoder(r):
    return r.choice([None, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}, {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
                     {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}])


def model(r):
    if r.random() < 0.6:
        return {"type": "Unigram", "unk_id": 0, "vocab": [[t, -round(r.random() * 9, 3)] for t in VOCABULARY], "byte_fallback": False}
    return {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": r.random() < 0.5, "byte_fallback": False,
            "ignore_merges": False, "vocab": {t: i for i, t in enumerate(VOCABULARY)}, "merges": [["a", "b"], ["▁", "a"], ["▁a", "b"], ["▁", "▁"], ["Ġ", "a"]]}


def added(r):
    tokens = r.sample(ADDED, r.randint(0, 3))
    flag = lambda: r.random() < 0.3
    return [{"id": len(VOCABULARY) + i, "content": t, "single_word": flag(), "lstrip": flag(), "rstrip": flag(), "normalized": flag(), "special": flag()} for i, t in enumerate(tokens)]


def text(r):
    return "".join(r.choice(r.choice([SPACED, MARKS, PLAIN, PLAIN, ADDED])) for _ in range(r.randint(1, 8)))


def encoded(tokenizer, text):
    """None where the library itself fails, as it does on some texts."""
    try:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        return [text, ids, tokenizer.decode(ids, skip_special_tokens=False)]
    except BaseException:
        return None


def main():
    global CHARSMAP
    seed, number = (int(a) for a in (sys.argv[2:] + ["1", "300"][len(sys.argv) - 2:]))
    t5 = Path(__file__).parents[2] / "model/tokenizer/testdata/tiny/tiny-t5"
    raw = (t5 / "tokenizer.json").read_bytes() if (t5 / "tokenizer.json").exists() else gzip.decompress((t5 / "tokenizer.json.gz").read_bytes())
    normal = json.loads(raw)["normalizer"]
    CHARSMAP = next(n["precompiled_charsmap"] for n in normal.get("normalizers", [normal]) if n["type"] == "Precompiled")
    r, lines = random.Random(seed), []
    while len(lines) < number:
        file = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added(r), "normalizer": several(r, normalizer, "normalizers", "Sequence", 3),
                "pre_tokenizer": several(r, pre_tokenizer, "pretokenizers", "Sequence", 3), "post_processor": None, "decoder": decoder(r), "model": model(r)}
        tokenizer = Tokenizer.from_str(json.dumps(file))
        texts = [text(r) for _ in range(12)]
        cases = [case for case in (encoded(tokenizer, t) for t in texts) if case]
        line = json.dumps({"file": file, "cases": cases}, ensure_ascii=False)
        lines.append(line.replace(json.dumps(CHARSMAP), '"T5"') + "\n")
    with open(sys.argv[1], "wb") as out, gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as z:
        z.write("".join(lines).encode())


main()
