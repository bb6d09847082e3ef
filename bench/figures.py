"""The figures that are measured: parley's work beside the peers that do the same.

A Figure names the arguments of `parley model bench` and the row of its answer, and for every peer its script, its arguments and
the timing of its answer that does the same work. Several peers of one kind are settings of it; the fastest one counts.
"""

from dataclasses import dataclass, field

SMOL, QWEN = "smollm2-135m", "qwen2.5-0.5b"


@dataclass
class Peer:
    name: str
    script: str
    args: dict
    timing: str
    speed: float = 0  # parley is to be at least so many times as fast; 0: no goal
    memory: float = 0  # and to need at most this share of its peak memory; 0: no goal
    venv: str = "torch"


@dataclass
class Figure:
    key: str
    about: str
    what: str
    model: str
    args: dict
    row: str = ""  # of parley's answer; about a share: what the names of the rows begin with
    peers: list = field(default_factory=list)
    apart: bool = False  # the peers need so much memory that each is started for every run and ended after it
    share: str = ""  # without peers: the field of the row that the goal is about, of the worst row
    products: dict = field(default_factory=dict)  # arguments of gemm: the share is the time of these products in that of the row
    least: float = 0
    sets: dict = field(default_factory=dict)  # the same for kernel sets that have a goal of their own
    most: float = 0


def peft(name, model, args, speed, memory=0, **more):
    return Peer(name, "peft_train.py", dict(model=model, **args, **more), "train", speed, memory)


def both_adapters(model, args, dtype, speed):
    """PEFT as its users run it on ragged data; over a bfloat16 base the better of its two settings of adapters."""
    settings = ["f32", "bf16"] if dtype == "bf16" else ["f32"]
    return [peft("PEFT", model, args, speed, dtype=dtype, adapters=a) for a in settings]


def training():
    packed = dict(batch=8, length="512")
    yield Figure("train-smollm2-f32", "LoRA training, SmolLM2-135M, 8×512, f32", "train", SMOL, dict(packed, dtype="f32"), "train",
                 [peft("PEFT", SMOL, packed, 1.8, 1 / 4, dtype="f32")])
    yield Figure("train-qwen-bf16", "LoRA training, Qwen2.5-0.5B, 8×512, bf16 base", "train", QWEN, dict(packed, dtype="bf16"), "train",
                 [peft("PEFT, f32 adapters", QWEN, packed, 2.5, 1 / 4, dtype="bf16", adapters="f32"),
                  peft("PEFT, bf16 adapters", QWEN, packed, 1.6, dtype="bf16", adapters="bf16")], apart=True)
    yield Figure("train-smollm2-bf16", "LoRA training, SmolLM2-135M, 8×512, bf16 base", "train", SMOL, dict(packed, dtype="bf16"), "train",
                 [peft("PEFT", SMOL, packed, 2.3, 1 / 4, dtype="bf16")])
    ragged, group = dict(batch=16, length="64-512"), dict(batch=8, length="64-256", prompt=256)
    for dtype, parts in ("f32", 2), ("bf16", 1):  # 16 padded rows in float32 are more than a machine of 24 GiB holds
        yield Figure(f"ragged-{dtype}", f"ragged, 16 sequences of 64–512, SmolLM2-135M, {dtype}", "train", SMOL, dict(ragged, dtype=dtype), "train",
                     both_adapters(SMOL, dict(ragged, parts=parts), dtype, 2.5), apart=True)
    for dtype in "f32", "bf16":
        yield Figure(f"group-{dtype}", f"training on 8 completions of 64–256 of one prompt of 256, SmolLM2-135M, {dtype}", "group", SMOL,
                     dict(samples=8, prompt=256, new="64-256", dtype=dtype), "train", both_adapters(SMOL, group, dtype, 4), apart=True)


def transformers(args, speed):
    return [Peer("transformers generate", "transformers_generate.py", dict(args, model=SMOL, dtype="bf16", compile=c), "decoding", speed)
            for c in (False, True)]


def llamacpp(args, speed, dtype="bf16", timing="decoding", **more):
    return Peer(f"llama.cpp {dtype}", "llamacpp_generate.py", dict(args, model=SMOL, dtype=dtype, **more), timing, speed, venv="llama")


def sampling():
    for batch, torch, llama in (1, 3, 1), (8, 6, 2), (32, 6, 2):
        args = dict(batch=batch, prompt=128, new=128)
        yield Figure(f"decode-{batch}", f"decoding, SmolLM2-135M bf16, prompt 128, new 128, batch {batch}", "generate", SMOL,
                     dict(args, dtype="bf16"), f"batch {batch}, decoding", transformers(args, torch) + [llamacpp(args, llama)])
    for batch, speed in (1, 1), (8, 1.5), (32, 2):
        args = dict(batch=batch, prompt=128, new=128)
        yield Figure(f"decode-int8-{batch}", f"the same, 8-bit weights, batch {batch}", "generate", SMOL, dict(args, dtype="int8"),
                     f"batch {batch}, decoding", [llamacpp(args, speed, "q8_0")])
    yield Figure("samples-16", "16 samples of 128 of one prompt of 256, all included, SmolLM2-135M bf16", "group", SMOL,
                 dict(samples=16, prompt=256, new="128", dtype="bf16"), "sample",
                 [llamacpp(dict(batch=16, prompt=256, new=128), 2, timing="whole", shared=True)])


def comlrl(model, dtype, speed, memory, **more):
    return Peer("CoMLRL", "comlrl_step.py", dict(agents=2, group=4, prompt=128, new=128, model=model, dtype=dtype, **more), "step", speed, memory)


def steps():
    team = dict(agents=2, group=4, prompt=128, new=128)
    for dtype, speed in ("bf16", 6), ("f32", 4):
        yield Figure(f"step-qwen-{dtype}", f"MAGRPO step, 2 agents, G = 4, prompt 128, new 128, Qwen2.5-0.5B, LoRA, {dtype}", "step", QWEN,
                     dict(team, dtype=dtype), "step", [comlrl(QWEN, dtype, speed, 1 / 2)])
    yield Figure("step-smollm2", "the same, SmolLM2-135M: CoMLRL trains all parameters in f32, parley LoRA over bf16 (different work)", "step",
                 SMOL, dict(team, dtype="bf16"), "step", [comlrl(SMOL, "f32", 10, 1 / 3, full=True)])


def alone():
    for dtype, least, sets in ("f32", 0.90, {"avx2": 0.88}), ("bf16", 0.88, {"amx": 0.60}):
        for threads in 1, 2:
            yield Figure(f"gemm-{dtype}-{threads}", f"{dtype} product, all matrices of Qwen2.5-0.5B, M = 512, {threads} threads: share of peak",
                         "gemm", QWEN, dict(m=512, dtype=dtype, threads=threads), "whole model", share="peak_share", least=least, sets=sets)
    for batch in 1, 8, 32:
        yield Figure(f"roofline-{batch}", f"decoding step, SmolLM2-135M bf16, batch {batch}: share of its own products", "generate", SMOL,
                     dict(batch=batch, prompt=128, new=128, dtype="bf16"), f"batch {batch}, decoding", share="products_share", least=0.75,
                     products=dict(m=batch, dtype="bf16"))
    yield Figure("adapters", "16 adapters against 1, SmolLM2-135M bf16: time per token", "adapters", SMOL,
                 dict(adapters="1,16", dtype="bf16"), share="ratio", most=1.1)
    yield Figure("allocations", "bytes allocated by a training step, SmolLM2-135M f32, 8×512", "train", SMOL,
                 dict(batch=8, length="512", dtype="f32", warmup=3), share="allocated_bytes", most=1 << 20)


def figures():
    return [*alone(), *training(), *sampling(), *steps()]


def quick(args):
    """The same work so small that it only shows that everything runs."""
    def small(name, value):
        if name in ("prompt", "new", "length"):
            return "-".join(str(max(4, int(n) // 8)) for n in str(value).split("-"))
        return {"model": "tiny", "adapters": "1,4" if "," in str(value) else value}.get(name, value)

    return {name: small(name, value) for name, value in args.items()}
