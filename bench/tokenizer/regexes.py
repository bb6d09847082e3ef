"""What Oniguruma, which the library tokenizers has inside, makes of regular expressions: the goldens of model/tokenizer/oniguruma.

    python bench/tokenizer/regexes.py model/tokenizer/oniguruma/testdata/goldens.jsonl.gz

Each line is {"expr", "cases": [[text, text with every match replaced by "-"], ...]}, or {"set", "hash"}: an expression that matches one
character, and the SHA-256 of the characters that it matches below U+38000 and from U+E0000 to U+E7FFF, as ranges "41-5A 61-7A".
"""
import gzip
import hashlib
import json
import random
import sys

from tokenizers import Regex, normalizers

FIXED = r"""
^a|b$|^|$|\n$|$\n|^$|a.b|(?m)a.b|(?m:a.)b|a{,2}|a{,2}b|a{2}+|a{2,3}?|a{2}?|a{,}|a{,2}?|a{1,2}+|{|}|]|a{x}|\Aa|a\z|a\Z|\Z|\z|\bfoo|\bfoo\b|\b|\B
""".strip().split("|") + [
    "(?i)ss", "(?i)ß", "(?i)[ß]x", "(?i)st", "(?i)k", "(?i)[k]", "(?i)[a-z]+", r"(?i)\p{Lu}", r"(?i)[\p{Lu}]", r"(?i)[^\p{Lu}]", "(?i)[^k]", "(?i)s(?-i)s",
    "a(?i)b|c", "(?:(?i)a|b)B", "(?i:'s|'t|'re|'ve|'m|'ll|'d)", "(?i:[sdmt]|ll|ve|re)", "(?i)é", "(?i)i", "(?i)ä+", r"(?i)\w", "(?i:s)(?i:s)", "(?i)s+s",
    r"\w+", r"[\w]+", r"[\W]+", r"\W+", "[[:alpha:]]+", "[[:punct:]]", "[[:^alpha:]]", "[a-c[x-z]]+", "[a-z&&[^aeiou]]+", "[^a&&b]", "[a-c&&[b-d]e]",
    "[a-c&&b-d&&c]", "[^[a]]", "[[^a]b]", "[]a]", "[^]a]", "[a-]", "[-a]", r"[\]\[]", r"[\b]", r"\h+", r"\H+", r"\d+", r"\s+(?!\S)|\s+", r"\R", r"\N+", r"\O",
    r"\p{^L}", r"\P{L}", r"\p{Han}+", r"\p{l}", r"\p{lowercase_letter}", r"\x41", r"\x{41}", r"\u0041", r"(?>a+)b", "a++b", "a*+", "a?+", "a*", "a|", "|a", "()",
    "(?<n>a)(b)", "(?#c)a", "(?<=a|bc)d", "(?<!a|bc)d", "(?<=a+)b", "(?<=^)a", r"(?<=\s)a", r"(?<!\S)a", r"a(?=b|$)", r"(?!a)\w", r"\p{N}{1,3}+", r"[^\r\n]?+\p{L}",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*", r" ?[^(\s|[.,!?…。，、।۔،])]+", r"\d{1,3}(?=(?:\d{3})*\b)", r"[\p{L}&&[^\p{Han}]]+|\p{Han}+",
]
SETS = ([r"\p{%s}" % name for name in
         "L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs Cc Cf Co Alphabetic White_Space Alpha Digit Upper Lower Punct "
         "Space Word Blank Alnum Han Hiragana Katakana Hangul Latin Greek Cyrillic Arabic Hebrew Thai Devanagari Common Inherited Myanmar Balinese Kawi".split()]
        + ["[[:%s:]]" % name for name in "alnum alpha ascii blank cntrl digit lower punct space upper xdigit word".split()]
        + r"\w [\w] \W [\W] \d [\d] \D \s [\s] \S \h \H . (?m:.) [^\n] (?i:[k]) (?i:[^a-z])".split())
TEXTS = ["", "a", "ab\nab\n", "ab\n\ncd\n", "a\nb\n", "aaaaab", "a{,2}", "aBCc BB bB", "SsSS ßſs ẞ st ﬆ", "KkK", "aA1 é É", "a² b foo afoo foo² foo1", "'ſ'S'LL'Re 'd",
         "ab12 中ü3456789fAü pL", "x  y \t\r\n z\u3000\u00a0", "adbcd bcdd", "1234567 12", "[a-c] -]&^", "\u1c89\ua7dc\U00013460\U00010d40 ꟊ"]


def random_expression(r, depth=0):
    atoms = ["a", "b", "c", " ", ".", "^", "$", r"\s", r"\S", r"\w", r"\d", r"\p{L}", r"\p{N}", "[ab]", "[^a]", r"[^\s\p{L}]", r"\n", "é", r"\b", "[a-c&&[^b]]", "1", r"\p{Lu}"]

    def atom():
        kind = r.random()
        if depth < 3 and kind < 0.25:
            return r.choice(["(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?m:"]) + random_expression(r, depth + 1) + ")"
        return r.choice(atoms)

    out = []
    for _ in range(r.randint(1, 3)):
        one = atom()
        if r.random() < 0.4:
            one += r.choice(["*", "+", "?", "*?", "+?", "??", "++", "*+", "?+", "{2}", "{1,2}", "{,2}", "{2,}", "{1,2}?", "{2}?", "{1}+"])
        out.append(one)
    text = "".join(out)
    return text + "|" + random_expression(r, depth + 1) if depth < 3 and r.random() < 0.25 else text


def random_text(r):
    return "".join(r.choice(["a", "b", "c", "A", "B", " ", "\n", "1", "é", "É", "aa", "ab", "  ", "-", "'s"]) for _ in range(r.randint(0, 12)))


def compiled(expr):
    try:
        return normalizers.Replace(Regex(expr), "-")
    except Exception:
        return None


def members(expr):
    spans = []
    for first in [*range(0, 0x38000, 0x8000), 0xE0000]:  # where characters are
        block = [c for c in range(first, first + 0x8000) if not 0xD800 <= c <= 0xDFFF]
        kept = set(normalizers.Replace(Regex(expr), "").normalize_str("".join(map(chr, block))))
        for c in block:
            if chr(c) not in kept:
                if spans and spans[-1][1] == c - 1:
                    spans[-1][1] = c
                else:
                    spans.append([c, c])
    return " ".join("%X-%X" % tuple(s) for s in spans)


def main():
    r = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    lines = [{"expr": e, "cases": [[t, compiled(e).normalize_str(t)] for t in TEXTS]} for e in FIXED if compiled(e)]
    while len(lines) < 700:
        expr = random_expression(r)
        if compiled(expr):
            lines.append({"expr": expr, "cases": [[t, compiled(expr).normalize_str(t)] for t in (random_text(r) for _ in range(6))]})
    lines += [{"set": e, "hash": hashlib.sha256(members(e).encode()).hexdigest()} for e in SETS]
    with open(sys.argv[1], "wb") as out, gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as z:
        z.write("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode())


main()
