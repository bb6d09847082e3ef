"""Write a .gguf file with random weights of a known shape."""

import os

import gguf
import numpy

from common import SHAPES

TYPES = {"bf16": gguf.GGMLQuantizationType.BF16, "q8_0": gguf.GGMLQuantizationType.Q8_0, "f32": gguf.GGMLQuantizationType.F32}


def tensors(c):
    """List names and shapes of the matrices of a llama model with tied embeddings."""
    head = c["hidden_size"] // c["num_attention_heads"]
    hidden, inner, kv = c["hidden_size"], c["intermediate_size"], c["num_key_value_heads"] * head
    yield "token_embd.weight", (c["vocab_size"], hidden)
    for layer in range(c["num_hidden_layers"]):
        for name, shape in dict(attn_q=(hidden, hidden), attn_k=(kv, hidden), attn_v=(kv, hidden), attn_output=(hidden, hidden),
                                ffn_gate=(inner, hidden), ffn_up=(inner, hidden), ffn_down=(hidden, inner)).items():
            yield f"blk.{layer}.{name}.weight", shape


def write(path, shape, kind):
    c = SHAPES[shape]
    assert c["model_type"] == "llama", "only llama shapes are written"
    temporary = path + ".unfinished"
    w = gguf.GGUFWriter(temporary, "llama")
    w.add_context_length(c["max_position_embeddings"])
    w.add_embedding_length(c["hidden_size"])
    w.add_block_count(c["num_hidden_layers"])
    w.add_feed_forward_length(c["intermediate_size"])
    w.add_head_count(c["num_attention_heads"])
    w.add_head_count_kv(c["num_key_value_heads"])
    w.add_layer_norm_rms_eps(c["rms_norm_eps"])
    w.add_rope_freq_base(c["rope_theta"])
    w.add_vocab_size(c["vocab_size"])
    w.add_tokenizer_model("no_vocab")
    random = numpy.random.default_rng(1)
    for name, size in tensors(c):
        values = random.standard_normal(size, dtype=numpy.float32) * numpy.float32(0.02)
        w.add_tensor(name, gguf.quants.quantize(values, TYPES[kind]), raw_dtype=TYPES[kind])
    ones = numpy.ones(c["hidden_size"], dtype=numpy.float32)
    w.add_tensor("output_norm.weight", ones)
    for layer in range(c["num_hidden_layers"]):
        w.add_tensor(f"blk.{layer}.attn_norm.weight", ones)
        w.add_tensor(f"blk.{layer}.ffn_norm.weight", ones)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    os.replace(temporary, path)


def cached(folder, shape, kind):
    path = os.path.join(folder, f"{shape}-{kind}.gguf")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        write(path, shape, kind)
    return path
