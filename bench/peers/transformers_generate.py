"""Sampling with transformers' generate from distinct prompts, and the prompts with the first token alone.

With --compile the cache is static and the model's forward is compiled, which transformers recommends for speed.
"""

import torch

import torch_model
from common import arguments, serve, timed

args = arguments(model="tiny", dtype="bf16", batch=1, prompt=128, new=128, compile=False)
torch.set_num_threads(args.threads)
model = torch_model.base(args.model, args.dtype).eval()
vocabulary = model.config.vocab_size
options = {}
if args.compile:
    options["cache_implementation"] = "static"
    model.forward = torch.compile(model.forward)


def sample(prompts, n):
    with torch.inference_mode():
        out = model.generate(prompts, attention_mask=torch.ones_like(prompts), do_sample=True, top_k=0, top_p=1.0, temperature=1.0,
                             max_new_tokens=n, min_new_tokens=n, pad_token_id=0, **options)
    assert out.shape == (args.batch, args.prompt + n), out.shape


def run(rng):
    seconds = {}
    for name, n in ("whole", args.new), ("first token", 1):
        prompts = torch.tensor([torch_model.ids(rng, vocabulary, args.prompt) for _ in range(args.batch)])
        seconds[name] = timed(sample, prompts, n)
    seconds["decoding"] = seconds["whole"] - seconds["first token"]
    return seconds


serve(run, torch_model.versions())
