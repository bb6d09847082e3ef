"""Writes which tokens transformers' AutoTokenizer names and adds by the class that a folder's files name: classes.json, which the tests of
model/tokenizer read.

    python bench/tokenizer/classes.py model/tokenizer/testdata/classes.json
"""
import json
import os
import sys
import tempfile

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
from transformers import AutoTokenizer  # noqa: E402

TOKENIZER = {
    "version": "1.0", "truncation": None, "padding": None,
    "added_tokens": [dict(id=1, content="<s>", lstrip=False, rstrip=False, single_word=False, normalized=False, special=True)],
    "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}, "pre_tokenizer": None, "post_processor": None, "decoder": None,
    "model": {"type": "BPE", "unk_token": None, "fuse_unk": True, "byte_fallback": True, "merges": [], "vocab": {"<unk>": 0, "<s>": 1, "▁": 2, "a": 3}},
}
BYTES = TOKENIZER | {"normalizer": None, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}}
LLAMA, QWEN, GEMMA, FAST = "LlamaTokenizer", "Qwen2Tokenizer", "GemmaTokenizer", "PreTrainedTokenizerFast"

# The model's type, what tokenizer_config.json says, and what the model's config says of the tokenizer.
CASES = {
    "llama": ("llama", {"tokenizer_class": LLAMA}),
    "llama, fast": ("llama", {"tokenizer_class": LLAMA + "Fast"}),
    "llama, bytes": ("llama", {"tokenizer_class": LLAMA}, {}, BYTES),
    "llama, plain": ("llama", {"tokenizer_class": FAST}),
    "llama, named": ("llama", {"tokenizer_class": LLAMA, "eos_token": "<e>", "unk_token": None, "pad_token": "<p>"}),
    "llama, decoder": ("llama", {"tokenizer_class": LLAMA, "added_tokens_decoder": {"4": {"content": "</s>", "special": True}, "1": {"content": "<s>", "special": True}}}),
    "llama, GPT-2": ("llama", {"tokenizer_class": "GPT2Tokenizer"}),
    "llama, GPT-NeoX": ("llama", {"tokenizer_class": "GPTNeoXTokenizer"}),
    "llama, code": ("llama", {"tokenizer_class": "CodeLlamaTokenizer"}),
    "llama, Cohere": ("llama", {"tokenizer_class": "CohereTokenizer"}),
    "llama, Qwen": ("llama", {"tokenizer_class": QWEN}),
    "llama, the model's": ("llama", {"bos_token": "<b>"}, {"tokenizer_class": LLAMA}),
    "qwen2": ("qwen2", {"tokenizer_class": QWEN}),
    "qwen2, no class": ("qwen2", {"eos_token": "<e>"}),
    "qwen2, no config": ("qwen2", None),
    "qwen2, llama": ("qwen2", {"tokenizer_class": LLAMA + "Fast", "unk_token": None}),
    "qwen2, plain": ("qwen2", {"tokenizer_class": FAST}),
    "qwen3, plain": ("qwen3", {"tokenizer_class": FAST}),
    "qwen3, GPT-2": ("qwen3", {"tokenizer_class": "GPT2Tokenizer"}),
    "qwen3": ("qwen3", {"tokenizer_class": QWEN, "pad_token": "<p>", "bos_token": None}),
    "phi3": ("phi3", {"tokenizer_class": LLAMA}),
    "mistral": ("mistral", {"tokenizer_class": LLAMA, "bos_token": "<s>"}),
    "gemma2": ("gemma2", {"tokenizer_class": GEMMA}),
    "gemma3": ("gemma3_text", {"tokenizer_class": GEMMA, "mask_token": None, "pad_token": "<P>"}),
    "gemma3, plain": ("gemma3_text", {"tokenizer_class": FAST}),
    "gemma3 wrapper": ("gemma3", {"tokenizer_class": GEMMA, "boi_token": "<i>"}),
    "olmo2": ("olmo2", {"tokenizer_class": "GPT2Tokenizer", "eos_token": "<e>"}),
    "granite": ("granite", {"tokenizer_class": "GPT2Tokenizer"}),
    "map": ("llama", {"tokenizer_class": LLAMA}, {}, TOKENIZER, {"eos_token": "<e>", "unk_token": None}),
}


def run(kind, config, model={}, tokenizer=TOKENIZER, special_map=None):
    files = {"tokenizer.json": tokenizer, "tokenizer_config.json": config, "config.json": {"model_type": kind} | model, "special_tokens_map.json": special_map}
    files = {name: content for name, content in files.items() if content is not None}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                json.dump(content, f)
        t = AutoTokenizer.from_pretrained(folder)
    return {"files": files, "tokens": [t.convert_ids_to_tokens(i) for i in range(len(t))], "named": t.special_tokens_map}


out = {}
for name, case in CASES.items():
    try:
        out[name] = run(*case)
    except Exception as e:  # what transformers refuses is no case
        print(f"{name}: {e!r}", file=sys.stderr)
with open(sys.argv[1], "w", encoding="utf-8") as f:
    f.write("{\n" + ",\n".join(f"{json.dumps(n)}: {json.dumps(c, ensure_ascii=False)}" for n, c in out.items()) + "\n}\n")
