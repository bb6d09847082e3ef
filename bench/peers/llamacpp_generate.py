"""Decoding with llama.cpp, several sequences in one batch, by its C interface.

The next token is drawn at random instead of from the logits, as llama.cpp's own batched benchmark does: sampling costs it nothing
here. With --shared all sequences continue one prompt, which is computed once.
"""

import ctypes
import importlib.metadata
import random

import llama_cpp as llama

import llamacpp_model
from common import SHAPES, arguments, serve, timed

args = arguments(model="tiny", dtype="bf16", batch=1, prompt=128, new=128, shared=False, cache=".")
vocabulary = SHAPES[args.model]["vocab_size"]


def quiet(level, text, user):
    pass


log_callback = llama.llama_log_callback(quiet)
llama.llama_log_set(log_callback, ctypes.c_void_p(0))
llama.llama_backend_init()
model_params = llama.llama_model_default_params()
model_params.n_gpu_layers = 0
path = llamacpp_model.cached(args.cache, args.model, args.dtype)
model = llama.llama_model_load_from_file(path.encode(), model_params)
assert model, f"llama.cpp cannot load {path}"
params = llama.llama_context_default_params()
params.n_seq_max = args.batch
params.n_ctx = args.batch * (args.prompt + args.new)
params.n_batch = max(2048, args.batch)
params.n_threads = params.n_threads_batch = args.threads
params.kv_unified = args.shared
context = llama.llama_init_from_model(model, params)
assert context, "llama.cpp makes no context"
memory = llama.llama_get_memory(context)
batch = llama.llama_batch_init(params.n_batch, 0, 1)


def decode(rows):
    """Run rows of (token, position, sequence, wants logits), as many at once as the context takes."""
    for first in range(0, len(rows), params.n_batch):
        part = rows[first:first + params.n_batch]
        batch.n_tokens = len(part)
        for i, (token, position, sequence, logits) in enumerate(part):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, position, 1, logits
            batch.seq_id[i][0] = sequence
        assert llama.llama_decode(context, batch) == 0, "llama_decode failed"


def prompts(rng):
    llama.llama_memory_clear(memory, True)
    for sequence in range(1 if args.shared else args.batch):
        decode([(rng.randrange(vocabulary), i, sequence, i == args.prompt - 1) for i in range(args.prompt)])
    if args.shared:
        for sequence in range(1, args.batch):
            llama.llama_memory_seq_cp(memory, 0, sequence, 0, args.prompt)
    llama.llama_synchronize(context)


def decoding(rng):
    for i in range(args.new - 1):
        decode([(rng.randrange(vocabulary), args.prompt + i, sequence, True) for sequence in range(args.batch)])
    llama.llama_synchronize(context)


def run(rng):
    first = timed(prompts, rng)
    rest = timed(decoding, rng)
    return {"whole": first + rest, "first token": first, "decoding": rest}


serve(run, {"llama-cpp-python": importlib.metadata.version("llama_cpp_python")})
