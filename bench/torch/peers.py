"""What PEFT with transformers, and vLLM, do with the work of bench/torch/gpu.sh: peers.py NAME MODEL [--device D --dtype T --rows N --tokens N]."""
import argparse, time

import torch


def make(folder):
    """A tiny model, for a run that shows that everything runs."""
    from transformers import LlamaConfig, LlamaForCausalLM
    torch.manual_seed(1)
    LlamaForCausalLM(LlamaConfig(vocab_size=512, hidden_size=64, intermediate_size=128, num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2,
                                 max_position_embeddings=4096, pad_token_id=None, bos_token_id=None, eos_token_id=None)).save_pretrained(folder)


def open_peft(a):
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}[a.dtype]
    net = AutoModelForCausalLM.from_pretrained(a.model, dtype=dtype, local_files_only=True).to(a.device)
    return get_peft_model(net, LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM"))


def texts(a, vocab, n, same):
    return torch.tensor([[(i // same * 31 + j * 17 + 5) % vocab for j in range(n)] for i in range(a.rows)], device=a.device)


def timed(work, tokens):
    """Tokens a second, the best of three."""
    work()
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return tokens / best


def transformers_generate(a):
    net = open_peft(a).eval()
    ids = texts(a, net.config.vocab_size, a.tokens, 8)
    with torch.no_grad():
        return timed(lambda: net.generate(input_ids=ids, do_sample=True, top_k=0, max_new_tokens=a.tokens, min_new_tokens=a.tokens).tolist(), a.rows * a.tokens)


def peft_train(a):
    net = open_peft(a).train()
    params = [p for p in net.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(params, lr=1e-6)
    ids = texts(a, net.config.vocab_size, 2 * a.tokens, 1)

    def step():
        logits = net(input_ids=ids, use_cache=False).logits[:, a.tokens - 1:-1].float()
        torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, a.tokens:].flatten()).backward()
        optimizer.step()
        optimizer.zero_grad()
        float(params[0].flatten()[0])

    return timed(step, 2 * a.rows * a.tokens)


def vllm_generate(a):
    try:
        from vllm import LLM, SamplingParams, TokensPrompt
    except ImportError as e:
        print("vllm-generate: left out: %s" % e)
        return None
    llm = LLM(model=a.model, dtype={"f32": "float32", "bf16": "bfloat16", "f16": "float16"}[a.dtype], skip_tokenizer_init=True)
    vocab = llm.llm_engine.model_config.get_vocab_size()
    prompts = [TokensPrompt(prompt_token_ids=t) for t in texts(argparse.Namespace(**dict(vars(a), device="cpu")), vocab, a.tokens, 8).tolist()]
    how = SamplingParams(temperature=1, max_tokens=a.tokens, ignore_eos=True, logprobs=0, detokenize=False)
    return timed(lambda: llm.generate(prompts, how, use_tqdm=False), a.rows * a.tokens)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("name", choices=["make", "transformers-generate", "peft-train", "vllm-generate"])
    p.add_argument("model")
    p.add_argument("--device", default="cpu")
    p.add_argument("--dtype", default="f32")
    p.add_argument("--rows", type=int, default=16)
    p.add_argument("--tokens", type=int, default=32)
    a = p.parse_args()
    if a.name == "make":
        return make(a.model)
    speed = globals()[a.name.replace("-", "_")](a)
    if speed:
        print("%s: %.0f tokens/s" % (a.name, speed))


main()
