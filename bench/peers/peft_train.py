"""LoRA training with transformers and PEFT: forward, backward, one step of AdamW.

Sequences of several lengths are padded on the right to the longest, with a mask, as PEFT users do. With --prompt the
sequences are completions of one prompt, and the loss is on the completions alone. With --parts the gradients of several
parts of the batch are accumulated, for batches that do not fit into memory whole; every part has short and long sequences.
"""

import peft
import torch

import torch_model
from common import arguments, lengths, serve, timed

args = arguments(model="tiny", dtype="f32", adapters="f32", batch=8, length="512", prompt=0, rank=8, parts=1)
torch.set_num_threads(args.threads)
model = torch_model.lora(args.model, args.dtype, args.rank, args.adapters)
model.train()
optimizer = torch.optim.AdamW(torch_model.trained(model), lr=1e-5)
vocabulary = model.config.vocab_size
IGNORED = -100


def batch(rng):
    prompt = torch_model.ids(rng, vocabulary, args.prompt)
    rows = [prompt + torch_model.ids(rng, vocabulary, n) for n in lengths(args.length, args.batch)]
    trained = sum(len(row) - max(1, args.prompt) for row in rows)
    return [dict(padded(rows[i::args.parts]), num_items_in_batch=trained) for i in range(args.parts)]


def padded(rows):
    longest = max(map(len, rows))
    ids = [row + [0] * (longest - len(row)) for row in rows]
    mask = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
    labels = [[IGNORED] * args.prompt + row[args.prompt:] + [IGNORED] * (longest - len(row)) for row in rows]
    fields = dict(input_ids=torch.tensor(ids), labels=torch.tensor(labels))
    if len(set(map(len, rows))) > 1:
        fields["attention_mask"] = torch.tensor(mask)
    return fields


def step(parts):
    for fields in parts:
        model(**fields, use_cache=False).loss.backward()
    torch.nn.utils.clip_grad_norm_(torch_model.trained(model), 1.0)
    optimizer.step()
    optimizer.zero_grad()


serve(lambda rng: {"train": timed(step, batch(rng))}, torch_model.versions(peft=peft.__version__))
