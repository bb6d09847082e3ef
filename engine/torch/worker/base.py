"""The frozen base: a model of transformers, its projections, its states and its logits."""
import contextlib, os

import torch
from torch.utils.checkpoint import checkpoint

from pipe import Bad, Refused

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
ROUTERS = ("gate", "router", "shared_expert_gate")  # they choose experts: not adapted unless a policy names them


def devices():
    """All devices that PyTorch can compute on, the best first."""
    found = []
    for kind in ("cuda", "xpu"):
        module = getattr(torch, kind, None)
        if module is not None and module.is_available():
            found += ["%s:%d" % (kind, i) for i in range(module.device_count())]
    if torch.backends.mps.is_available():
        found.append("mps")
    return found + ["cpu"]


def choose(device):
    have = devices()
    if device in ("", "auto"):
        return have[0]
    if device in ("cuda", "xpu"):
        device += ":0"
    if device not in have:
        raise Refused("device %s is not here; PyTorch %s finds %s" % (device, torch.__version__, ", ".join(have)))
    return device


def capability(device):
    if not device.startswith("cuda"):
        return ""
    if torch.version.hip:
        return torch.cuda.get_device_properties(device).gcnArchName.split(":")[0]
    return "sm_%d%d" % torch.cuda.get_device_capability(device)


def memory(device):
    """Bytes of all memory and of what is free; 0 and 0 where that is not known."""
    if device.startswith(("cuda", "xpu")):
        free, total = getattr(torch, device[:4].rstrip(":")).mem_get_info(device)
        return total, free
    if device == "cpu" and hasattr(os, "sysconf") and "SC_AVPHYS_PAGES" in os.sysconf_names:
        page = os.sysconf("SC_PAGE_SIZE")
        return page * os.sysconf("SC_PHYS_PAGES"), page * os.sysconf("SC_AVPHYS_PAGES")
    return 0, 0


class States(tuple):
    """What a decoder answers with where it has states and nothing else."""

    def __new__(cls, states):
        return super().__new__(cls, (states,))

    last_hidden_state = property(lambda self: self[0])

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None


class Base:
    def __init__(self, folder, device, dtype, share):
        from transformers import AutoModelForCausalLM
        self.device = choose(device)
        self.dtype = dtype or ("f32" if self.device == "cpu" else "bf16")
        self.share = share
        how = {"dtype": DTYPES.get(self.dtype, torch.bfloat16)}
        if self.dtype == "nf4":
            how["quantization_config"] = self.four_bits()
        elif self.dtype not in DTYPES:
            raise Bad("dtype %s is not known; write one of bf16, f32, f16, nf4" % self.dtype)
        if self.device.startswith("cuda"):
            torch.cuda.set_per_process_memory_fraction(share, self.device)
        try:
            net = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **how)
        except (OSError, ValueError, KeyError) as e:
            raise Bad("transformers does not open %s: %s" % (folder, e))
        self.net = (net if self.dtype == "nf4" else net.to(self.device)).eval().requires_grad_(False)
        self.body_module, self.decoder = net.base_model, net.get_decoder() or net.base_model
        self.config = net.config.get_text_config(decoder=True)
        self.output = net.get_output_embeddings()
        self.hidden, self.layers = self.config.hidden_size, self.config.num_hidden_layers
        self.vocab = net.get_input_embeddings().weight.shape[0]
        self.window = window(self.config)
        self.modules = self.projections()
        self.checkpointing = False
        self.checkpoint_layers()

    def four_bits(self):
        from transformers import BitsAndBytesConfig
        try:
            import bitsandbytes
        except ImportError:
            raise Refused("nf4 needs bitsandbytes: pip install bitsandbytes")
        if not self.device.startswith("cuda"):
            raise Refused("nf4 needs a CUDA device, not %s" % self.device)
        return BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True, bnb_4bit_compute_dtype=torch.bfloat16)

    def projections(self):
        """The linear layers of the text model by name: (module, outputs, inputs)."""
        from transformers.pytorch_utils import Conv1D
        inside, found = {id(m) for m in self.decoder.modules()}, {}
        for name, m in self.net.named_modules():
            if id(m) not in inside or m is self.output:
                continue
            if isinstance(m, torch.nn.Linear):
                found[name] = (m, m.out_features, m.in_features)
            elif isinstance(m, Conv1D):
                found[name] = (m, m.weight.shape[1], m.weight.shape[0])
        return found

    def checkpoint_layers(self):
        """Lets the layers forget their activations, and compute them again on the way back, while checkpointing is set."""
        lists = [m for m in self.decoder.modules() if isinstance(m, torch.nn.ModuleList) and len(m) == self.layers]
        for layer in lists[0] if lists else []:
            layer.forward = self._checkpointed(layer.forward)

    def _checkpointed(self, forward):
        def call(*args, **kwargs):
            if self.checkpointing and torch.is_grad_enabled():
                return checkpoint(forward, *args, use_reentrant=False, **kwargs)
            return forward(*args, **kwargs)
        return call

    def body(self, ids, **more):
        """The states of the tokens after the final norm: [rows, length, hidden]."""
        more.setdefault("use_cache", False)
        return self.body_module(input_ids=ids, **more).last_hidden_state

    def head(self, states):
        """Logits [n, vocab] of states [n, hidden]. The model's own code makes them, with caps and scales, over a decoder that answers with the states."""
        self.decoder.forward = lambda *a, **k: States(states[None])
        try:
            logits = self.net(input_ids=torch.zeros(1, 1, dtype=torch.long, device=states.device), use_cache=False).logits
        finally:
            del self.decoder.forward
        return logits[0].float()

    def budget(self):
        """How many tokens a batch of training may have. What turns out too much is halved."""
        if self.device == "cpu":
            return 4096
        width = 2 if self.dtype != "f32" else 4
        token = self.layers * (20 * self.hidden + 6 * getattr(self.config, "intermediate_size", 4 * self.hidden)) * width
        return max(512, min(1 << 16, int(0.5 * self.share * (memory(self.device)[1] or 8 << 30) / token)))


def window(config):
    """The most tokens of a sequence. Frequencies that follow the length would make numbers depend on what is computed beside a sequence: such a model is
    used up to the length that it had before it was scaled."""
    n = getattr(config, "max_position_embeddings", None) or 1 << 20
    rope = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    for r in [rope] + [v for v in rope.values() if isinstance(v, dict)]:
        if r.get("rope_type") in ("longrope", "dynamic"):
            n = min(n, r.get("original_max_position_embeddings") or getattr(config, "original_max_position_embeddings", None) or n)
    return n


def is_out_of_memory(error):
    return isinstance(error, torch.OutOfMemoryError) or isinstance(error, RuntimeError) and "out of memory" in str(error).lower()


@contextlib.contextmanager
def checkpointed(base, on):
    base.checkpointing = on
    try:
        yield
    finally:
        base.checkpointing = False


def forget(base):
    """Gives cached memory back to the device."""
    if base.device.startswith("cuda"):
        torch.cuda.empty_cache()
    elif base.device.startswith("xpu"):
        torch.xpu.empty_cache()
