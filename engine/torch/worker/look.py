"""What there is for the worker on a machine: packages, devices, memory, and how fast products are."""
import importlib, platform, sys, time


def version(name):
    try:
        return importlib.import_module(name).__version__
    except Exception as e:  # a broken installation fails in many ways
        print("import %s: %s: %s" % (name, type(e).__name__, e), file=sys.stderr)
        return ""


def look(call, worker):
    out = {"python": platform.python_version(), "torch": version("torch"), "transformers": version("transformers"), "devices": []}
    if out["torch"]:
        import base
        for name in base.devices():
            total, free = base.memory(name)
            products = [product(name, dtype) for dtype in ("bf16", "f32", "f16")]
            out["devices"].append({"name": name, "title": title(name), "memory": total, "free": free, "products": products})
            call.say({"alive": True})
    return out


def title(device):
    import torch
    if device.startswith(("cuda", "xpu")):
        return getattr(torch, device.split(":")[0]).get_device_name(device)
    return platform.processor() or platform.machine()


def product(device, dtype):
    """Times a product of square matrices."""
    import torch, base
    n = 512 if device == "cpu" else 4096
    try:
        a = torch.randn(n, n, device=device, dtype=base.DTYPES[dtype])
        wait = lambda: float(a[0, 0])
        best = float("inf")
        for _ in range(3):
            wait()
            began = time.perf_counter()
            b = a @ a
            float(b[0, 0])
            best = min(best, time.perf_counter() - began)
        return {"dtype": dtype, "size": n, "flops": 2 * n ** 3 / best, "failed": ""}
    except Exception as e:
        return {"dtype": dtype, "size": n, "flops": 0, "failed": str(e).split("\n")[0]}
