"""Tests in the program's own process. What it comes to is told to a notary in another sandbox, after the program has run: before that there
is nothing in the process that stands for success."""

import builtins
from os import _exit as end_process
from os import read, urandom, write

from parley_calls import alone, execute
from parley_fault import raised_in
from parley_wire import Channel

PASSED, FAILED, RAISED, AGAIN, READY = b"p", b"f", b"r", b"a", b"d"

# Exit codes of the notary where a test failed: an exception out of aux did it; it asks for another try.
CODES = {RAISED: 7, AGAIN: 3}
TOKEN = 16  # bytes

names = vars(builtins)
originals = dict(names)


def whole(descriptor, n):
    """n bytes, fewer where the other side ends."""
    data = b""
    while len(data) < n:
        part = read(descriptor, n - len(data))
        if not part:
            break
        data += part
    return data


def claim(descriptor, verdict):
    """Tell the notary a verdict, and end. Only after one that a test passed does it give the token that it wants back."""
    write(descriptor, verdict)
    if verdict == PASSED:
        write(descriptor, whole(descriptor, TOKEN))
    end_process(0)


def notarize(job, descriptor):
    """The notary: hand out the test when the program is there, and hear how it ends."""
    if whole(descriptor, 1) != READY:
        raise SystemExit(1)
    Channel(descriptor).send(job)
    verdict = whole(descriptor, 1)
    if verdict == PASSED:
        token = urandom(TOKEN)
        write(descriptor, token)
        raise SystemExit(0 if whole(descriptor, TOKEN) == token else 1)
    raise SystemExit(CODES.get(verdict, 1))


def defined(job, descriptor, space):
    """Define the program, and only then get the test from the notary; what the program is about, and the test."""
    target = alone(job["program"], job["entry"], space)
    names.update(originals)
    write(descriptor, READY)
    return target, Channel(descriptor).receive()


def test(job, descriptor):
    """Run one test."""
    try:
        space = {"__name__": "program"}
        space[job["candidate"]], sources = defined(job, descriptor, space)
        execute(sources["setup"] + [sources["source"]], space)
    except Exception as e:
        claim(descriptor, RAISED if raised_in(e, "aux") else FAILED)
    except BaseException:
        claim(descriptor, FAILED)
    claim(descriptor, PASSED)
