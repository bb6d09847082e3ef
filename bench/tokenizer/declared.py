"""Writes what transformers makes of tokens that the files beside a tokenizer.json declare: declared.json, which the tests of model/tokenizer read.

    python bench/tokenizer/declared.py model/tokenizer/testdata/declared.json
"""
import json
import os
import sys
import tempfile

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
from transformers import PreTrainedTokenizerFast  # noqa: E402

TEXT = "a <x>b c</s> <z> a<y> <q><r>zz <img> [PAD]<pad> <video> <|end|> [MASK] [SEP]<unk> d <boi> <s> a <X> <Y> ZZ"


def token(content, **flags):
    return dict(content=content, lstrip=False, rstrip=False, single_word=False, normalized=False, special=True) | flags


def typed(content, **flags):
    return token(content, **flags) | {"__type": "AddedToken"}


OWN = [dict(id=3, **token("<s>")), dict(id=2, **token("b", normalized=True, special=False))]
TOKENIZER = {
    "version": "1.0", "truncation": None, "padding": None, "added_tokens": OWN, "normalizer": {"type": "Lowercase"},
    "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
    "model": {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1, "b": 2, "<s>": 3, "c": 4}, "unk_token": "<unk>"},
}
DECODER = {"9": token("<x>"), "5": token("<y>", special=False, normalized=True), "3": token("<s>", lstrip=True)}
SPARSE = {"5": {"content": "<x>"}, "6": {"content": "<y>", "special": True}}

# What the config, the map and the file of added tokens say, and the padding of the tokenizer.json.
CASES = {
    "none": ({}, {}, {}),
    "decoder": ({"added_tokens_decoder": DECODER}, {}, {}),
    "decoder, few flags": ({"added_tokens_decoder": SPARSE}, {}, {}),
    "decoder and names": ({"added_tokens_decoder": DECODER, "eos_token": "<y>", "pad_token": "<pad>", "image_token": "<x>"}, {}, {}),
    "decoder and extra": ({"added_tokens_decoder": DECODER, "extra_special_tokens": ["<z>", "<y>"]}, {}, {}),
    "additional": ({"additional_special_tokens": ["<x>", typed("<z>", rstrip=True)]}, {}, {}),
    "extra before additional": ({"extra_special_tokens": ["<x>", "a"], "additional_special_tokens": ["<no>"]}, {}, {}),
    "no extra, additional": ({"extra_special_tokens": [], "additional_special_tokens": ["<x>"]}, {}, {}),
    "extra by name": ({"extra_special_tokens": {"image_token": "<img>", "boi_token": "<boi>"}}, {}, {}),
    "extra by name, additional": ({"extra_special_tokens": {"image_token": "<img>"}, "additional_special_tokens": ["<x>"]}, {}, {}),
    "own names": ({"video_token": "<video>", "eos_token": typed("</s>"), "image_token": "<img>"}, {}, {}),
    "own name as an object": ({"video_token": "<video>", "image_token": typed("<img>", lstrip=True)}, {}, {}),
    "usual names": ({"pad_token": "[PAD]", "eos_token": "</s>", "unk_token": "<unk>", "mask_token": "c"}, {}, {}),
    "normalized name": ({"eos_token": typed("<X>", normalized=True)}, {}, {}),
    "name that is null": ({"pad_token": None, "eos_token": typed("</s>", lstrip=True)}, {}, {}),
    "one word": ({"eos_token": typed("zz", single_word=True), "additional_special_tokens": [typed("d", single_word=True, lstrip=True)]}, {}, {}),
    "sep, cls, mask": ({"mask_token": typed("[MASK]", lstrip=True), "sep_token": "[SEP]", "cls_token": "[CLS]"}, {}, {}),
    "map": ({}, {"eos_token": token("</s>"), "pad_token": "<pad>", "additional_special_tokens": ["<x>", "<z>"]}, {}),
    "map over config": ({"eos_token": "</s>"}, {"eos_token": "<|end|>", "bos_token": "<bos>", "extra_special_tokens": ["<x>"]}, {}),
    "map with null": ({"eos_token": "</s>"}, {"eos_token": None}, {}),
    "map joins extra": ({"extra_special_tokens": ["<z>"]}, {"extra_special_tokens": ["<x>", "<z>"]}, {}),
    "map's additional, config's extra": ({"extra_special_tokens": ["<z>"]}, {"additional_special_tokens": ["<x>"]}, {}),
    "map's additional, config's additional": ({"additional_special_tokens": ["<z>"]}, {"additional_special_tokens": ["<x>"]}, {}),
    "map by name": ({"video_token": "<video>"}, {"extra_special_tokens": {"image_token": "<img>"}, "boi_token": "<boi>"}, {}),
    "map beside decoder": ({"added_tokens_decoder": {"3": token("<s>")}}, {"eos_token": "</s>"}, {"<q>": 7}),
    "added": ({"eos_token": "<q>"}, {}, {"<r>": 6, "<q>": 5, "ZZ": 7}),
    "added, an id of another": ({}, {}, {"<r>": 3, "<q>": 5}),
    "added, flags of another": ({}, {}, {"<s>": 8}),
    "added, map": ({}, {"eos_token": "</s>", "additional_special_tokens": ["<q>"]}, {"<q>": 5, "<r>": 6}),
    "no config": (None, {"eos_token": "</s>"}, {"<q>": 5}),
    "padding": ({"mask_token": "[MASK]", "eos_token": "</s>"}, {}, {}, "[PAD]"),
    "padding and pad": ({"pad_token": "<pad>"}, {}, {}, "[PAD]"),
}


def run(config, special_map, added, pad=None):
    tokenizer = dict(TOKENIZER)
    if pad:
        tokenizer["padding"] = {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": pad}
    files = {"tokenizer.json": tokenizer, "special_tokens_map.json": special_map, "added_tokens.json": added}
    if config is not None:
        files["tokenizer_config.json"] = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>"} | config
    files = {name: content for name, content in files.items() if content}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                json.dump(content, f)
        t = PreTrainedTokenizerFast.from_pretrained(folder)
    ids = t(TEXT, add_special_tokens=False).input_ids
    return {
        "files": files, "ids": ids, "tokens": [t.convert_ids_to_tokens(i) for i in range(len(t))],
        "decoded": t.decode(ids, skip_special_tokens=True), "named": t.special_tokens_map,
    }


out = {"text": TEXT, "cases": {}}
for name, case in CASES.items():
    try:
        out["cases"][name] = run(*case)
    except Exception as e:  # what transformers refuses is no case
        sys.exit(f"{name}: {e!r}")
with open(sys.argv[1], "w", encoding="utf-8") as f:
    f.write("{\n" + f'"text": {json.dumps(TEXT)},\n"cases": {{\n')
    f.write(",\n".join(f"{json.dumps(n)}: {json.dumps(c, ensure_ascii=False)}" for n, c in out["cases"].items()))
    f.write("\n}\n}\n")
