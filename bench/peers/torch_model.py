"""Models with random weights in transformers, with LoRA by PEFT where that is asked for."""

import torch
import transformers

from common import LINEAR, SHAPES

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def versions(**more):
    return dict(torch=torch.__version__, transformers=transformers.__version__, **more)


def base(shape, dtype):
    fields = dict(SHAPES[shape])
    config = transformers.AutoConfig.for_model(fields.pop("model_type"), **fields, eos_token_id=None, bos_token_id=None, pad_token_id=None)
    return transformers.AutoModelForCausalLM.from_config(config, dtype=DTYPES[dtype])


def lora(shape, dtype, rank, adapters="f32"):
    """A LoRA model. PEFT holds adapters in float32 over a bfloat16 base unless it is told not to."""
    return adapted(base(shape, dtype), rank, 2 * rank, adapters)


def adapted(model, rank, alpha, adapters="f32"):
    import peft

    config = peft.LoraConfig(r=rank, lora_alpha=alpha, target_modules=LINEAR, task_type="CAUSAL_LM")
    return peft.get_peft_model(model, config, autocast_adapter_dtype=adapters == "f32")


def trained(model):
    return [p for p in model.parameters() if p.requires_grad]


def ids(rng, vocabulary, n):
    return [rng.randrange(vocabulary) for _ in range(n)]
