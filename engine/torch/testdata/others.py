"""Makes tiny models of families that parley's embedded engine does not have, and what transformers computes with each: others.py FOLDER."""
import json, os, sys

import torch
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM

FAMILIES = {
    "gpt2": dict(vocab_size=61, n_embd=16, n_layer=2, n_head=2, n_positions=64, bos_token_id=0, eos_token_id=0),
    "gpt_neox": dict(vocab_size=61, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=64),
    "opt": dict(vocab_size=61, hidden_size=16, ffn_dim=32, num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=64, word_embed_proj_dim=16),
    "qwen3_moe": dict(vocab_size=61, hidden_size=16, intermediate_size=32, moe_intermediate_size=8, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1,
                      head_dim=8, num_experts=4, num_experts_per_tok=2, max_position_embeddings=64),
    "mamba": dict(vocab_size=61, hidden_size=16, state_size=4, num_hidden_layers=2),
    "lfm2": dict(vocab_size=61, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=64,
                 layer_types=["conv", "full_attention"]),
}

for name, sizes in FAMILIES.items():
    torch.manual_seed(3)
    folder = os.path.join(sys.argv[1], name)
    sizes = dict({"pad_token_id": None, "bos_token_id": None, "eos_token_id": None}, **sizes)
    net = AutoModelForCausalLM.from_config(AutoConfig.for_model(name, **sizes)).eval()
    for p in net.parameters():
        if p.dim() > 1:
            torch.nn.init.normal_(p, std=0.3)
    net.save_pretrained(folder)
    tokens = torch.tensor([[(i * 17 + r * 5 + 3) % 61 for i in range(20)] for r in range(3)])
    with torch.no_grad():
        logprobs = torch.log_softmax(net(tokens, use_cache=False).logits[:, :-1].float(), -1).gather(2, tokens[:, 1:, None])[..., 0]
        texts = tokens[:, :5]
        for _ in range(10):
            texts = torch.cat([texts, net(texts, use_cache=False).logits[:, -1:].argmax(-1)], 1)
    json.dump({"tokens": tokens.tolist(), "logprobs": logprobs.tolist(), "greedy": texts[:, 5:].tolist()}, open(os.path.join(folder, "expected.json"), "w"))
