"""Tests in one sandbox, the tested function in another: arguments and results cross as plain data."""

import builtins
import json
import os
import struct

import parley_fault

AUX_RAISED = 7  # exit code of a test that failed by an exception out of aux

MOST = 8 << 20  # bytes of a message
end_process = os._exit


def plain(x):
    """A value as JSON. Only the content of built-in types is taken, whatever a subclass says of itself."""
    if x is None or x is True or x is False:
        return x
    if isinstance(x, int):
        return {"int": hex(int.__index__(x))}
    if isinstance(x, float):
        return float.__float__(x)
    if isinstance(x, complex):
        return {"complex": [complex.__getattribute__(x, "real"), complex.__getattribute__(x, "imag")]}
    if isinstance(x, str):
        return str.__str__(x)
    if isinstance(x, (bytes, bytearray)):
        return {"bytearray" if isinstance(x, bytearray) else "bytes": bytes(x).hex()}
    for kind in (list, tuple, set, frozenset):
        if isinstance(x, kind):
            return {kind.__name__: [plain(v) for v in kind.__iter__(x)]}
    if isinstance(x, dict):
        return {"dict": [[plain(k), plain(v)] for k, v in dict.items(x)]}
    raise TypeError("%s is no plain data" % type(x).__name__)


def value(x):
    """The inverse of plain."""
    if not isinstance(x, dict):
        return x
    ((kind, content),) = x.items()
    if kind == "int":
        return int(content, 16)
    if kind == "complex":
        return complex(*content)
    if kind in ("bytes", "bytearray"):
        return getattr(builtins, kind).fromhex(content)
    if kind == "dict":
        return {value(k): value(v) for k, v in content}
    return {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[kind](value(v) for v in content)


class Channel:
    """Messages over a descriptor."""

    def __init__(self, descriptor):
        self.descriptor = descriptor

    def send(self, message):
        data = json.dumps(message).encode()
        if len(data) > MOST:
            raise ValueError("the message is too long")
        rest = memoryview(struct.pack("<I", len(data)) + data)
        while rest:
            rest = rest[os.write(self.descriptor, rest) :]

    def exactly(self, n):
        parts = []
        while n > 0:
            part = os.read(self.descriptor, min(n, 1 << 16))
            if not part:
                raise EOFError
            parts.append(part)
            n -= len(part)
        return b"".join(parts)

    def receive(self):
        (n,) = struct.unpack("<I", self.exactly(4))
        if n > MOST:
            raise EOFError
        return json.loads(self.exactly(n))


class Gone(BaseException):
    """The tested function did not answer. No test may catch it."""


def ask(channel, args, kwargs):
    """Call the tested function in the other sandbox."""
    question = [plain(args), plain(kwargs)]
    try:
        channel.send(question)
        answer = channel.receive()
        if "error" not in answer:
            return value(answer["value"])
        kind = getattr(builtins, str(answer["error"]), None)
    except BaseException as e:
        raise Gone from e
    # An end of iteration would end the test's own loops without a failure.
    if not (isinstance(kind, type) and issubclass(kind, Exception)) or issubclass(kind, (StopIteration, StopAsyncIteration)):
        kind = RuntimeError
    raise kind("the tested function raised it")


def execute(sources, space):
    for source in sources:
        exec(compile(source, "<program>", "exec"), space)


def judge(job, descriptor):
    """Run one test here, against the function in the other sandbox."""
    channel = Channel(descriptor)
    space = {"__name__": "tests"}
    execute([job["prelude"]], space)
    space[job["candidate"]] = space[job["entry"]] = lambda *args, **kwargs: ask(channel, args, kwargs)
    execute(job["setup"] + [job["source"]], space)


def perturbed(x, variant):
    """Another value of the same type."""
    first = variant == 1
    if x is None:
        return None
    if isinstance(x, bool):
        return not x
    if isinstance(x, (int, float, complex)):
        return x + 1 if first else -x - 1
    if isinstance(x, str):
        return x + "~" if first else ""
    if isinstance(x, list):
        return x + x if first else []
    if isinstance(x, tuple):
        return x + x if first else ()
    if isinstance(x, dict):
        return {**x, "~": "~"} if first else {}
    if isinstance(x, (set, frozenset)):
        return x | {"~"} if first else set()
    return None


def perturbing(aux, variant):
    """aux with other results for its callers; calls that it makes to itself are left as they are."""
    depth = 0

    def changed(*args, **kwargs):
        nonlocal depth
        depth += 1
        try:
            x = aux(*args, **kwargs)
        finally:
            depth -= 1
        return x if depth else perturbed(x, variant)

    return changed


def serve(job, descriptor):
    """Answer calls of the tested function until the other side ends."""
    channel = Channel(descriptor)
    space = {"__name__": "program"}
    execute([job["program"]], space)
    target = space[job["entry"]]
    if job["variant"]:
        space["aux"] = perturbing(space["aux"], job["variant"])
    while True:
        try:
            args, kwargs = map(value, channel.receive())
        except EOFError:
            end_process(0)
        try:
            answer = {"value": plain(target(*args, **kwargs))}
        except Exception as e:
            answer = {"error": next(c.__name__ for c in type(e).__mro__ if c.__module__ == "builtins")}
        channel.send(answer)


def together(job):
    """Run one test in the program's own process. The exit code of success is one that the program does not know."""
    space = {"__name__": "program"}
    execute([job["program"]], space)
    space[job["candidate"]] = space[job["entry"]]
    try:
        execute(job["setup"] + [job["source"]], space)
    except Exception as e:
        if parley_fault.raised_in(e, "aux"):
            end_process(AUX_RAISED)
        raise
    end_process(job["success"])
