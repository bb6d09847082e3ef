"""The worker of parley's engine torch: it holds a base and policies over it, and answers calls on stdin until that closes."""
import signal, sys, traceback

signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's ^C is for parley, which ends its calls

from pipe import VERSION, Bad, Call, Failure, Pipe, Refused


class Worker:
    base = policies = None
    pending = {}  # gradients of the last forward_backward, by policy, that wait to be kept

    def answer(self, call):
        op = call.head["op"]
        if op == "look":
            import look
            return look.look(call, self)
        if op == "bye":
            return {}
        if op == "hello":
            return self.hello(call.head)
        if self.base is None:
            raise Bad("%s before hello" % op)
        import score, sample
        ops = {f.__name__: f for f in (score.forward, score.forward_backward, score.divergence, score.distributions, score.keep, score.take, sample.sample)}
        if op in ops:
            return ops[op](call, self)
        if op not in ("load", "save", "drop", "clear", "gradients", "step", "memory"):
            raise Bad("op %s is not known" % op)
        return self.memory(call) if op == "memory" else getattr(self.policies, op)(call)

    def hello(self, h):
        if h["version"] != VERSION:
            raise Refused("the worker speaks version %d of the pipe, parley version %s" % (VERSION, h["version"]))
        try:
            import torch, transformers
        except ImportError as e:
            raise Refused("%s; install it: %s -m pip install torch transformers" % (e, sys.executable))
        if int(transformers.__version__.split(".")[0]) < 5:
            raise Refused("transformers %s is too old; install 5 or later: %s -m pip install --upgrade transformers" % (transformers.__version__, sys.executable))
        import adapters, base
        if h["threads"]:
            torch.set_num_threads(h["threads"])
        transformers.logging.set_verbosity_error()
        self.base = b = base.Base(h["model"], h["device"], h["dtype"], h["memory"])
        self.policies = adapters.Policies(b)
        return {
            "version": VERSION, "torch": torch.__version__, "transformers": transformers.__version__, "device": b.device, "capability": base.capability(b.device),
            "dtype": b.dtype, "vocab": b.vocab, "window": b.window, "hidden": b.hidden,
            "modules": [{"name": n, "out": out, "in": into, "router": n.split(".")[-1] in base.ROUTERS} for n, (_, out, into) in b.modules.items()],
        }

    def memory(self, call):
        import base
        total, free = base.memory(self.base.device)
        return {"total": total, "free": free}


def kind(error):
    """How parley is to take an error: after one of the device, nothing that the worker computes is to be trusted."""
    if isinstance(error, Failure):
        return error.kind, str(error)
    traceback.print_exception(error)
    text = "%s: %s" % (type(error).__name__, error)
    if any(w in text for w in ("CUDA error", "HIP error", "AcceleratorError", "device-side assert", "Level-Zero error")):
        return "device", text
    return ("memory" if "out of memory" in text.lower() else "internal"), text


def main():
    pipe, worker = Pipe(), Worker()
    while True:
        frame = pipe.frames.get()
        if "op" not in frame.head:
            continue  # of a call that has ended
        call = Call(pipe, frame)
        try:
            out = worker.answer(call)
            head, tensors = out if isinstance(out, tuple) else (out, {})
            call.say({"ok": head}, tensors)
        except Exception as e:
            k, message = kind(e)
            call.say({"error": {"kind": k, "message": message}})
        if frame.head["op"] == "bye":
            return


main()
