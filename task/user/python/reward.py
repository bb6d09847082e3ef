"""Calls a user's function reward(item, responses) for the host, once in a sandbox or again and again as its child."""

import io
import json
import linecache
import math
import os
import signal
import sys
import traceback

MOST = 4000  # characters of an error


class Late(BaseException):
    """The deadline has passed. The user's own handlers of exceptions do not catch it."""


def ring(seconds):
    """Raise Late in the user's code in so many seconds; 0: no more."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def late(number, frame):
    raise Late


def told(name, error):
    """The traceback from the user's file on, as Python prints it."""
    at = error.__traceback__
    while at is not None and at.tb_frame.f_code.co_filename != name:
        at = at.tb_next
    lines = traceback.format_exception(type(error), error, at)
    if isinstance(error, Late):
        frames = [f for f in traceback.extract_tb(at) if f.name != late.__name__]
        lines = ["No reward before the deadline. It was here:\n"] + traceback.format_list(frames)
    return "".join(lines).rstrip()[-MOST:]


def load(name, source):
    """The user's function."""
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"__name__": "reward", "__file__": name}
    exec(compile(source, name, "exec"), space)
    function = space.get("reward")
    if not callable(function):
        raise NameError("%s defines no function reward(item, responses)" % name)
    return function


def number(x):
    """A finite number, whatever it is in Python."""
    if isinstance(x, str) or not hasattr(type(x), "__float__"):
        raise TypeError("reward returned %.80r, expected a number, or a dict with the key reward" % (x,))
    x = float(x)
    if not math.isfinite(x):
        raise ValueError("reward returned %r, expected a finite number" % x)
    return x


def parts(named):
    """Named numbers."""
    if named is None:
        return {}
    if not isinstance(named, dict):
        raise TypeError('reward returned the parts %.80r, expected named numbers: write {"short": 0.5}' % (named,))
    return {str(k): number(v) for k, v in named.items()}


def flags(texts):
    """A list of texts. The letters of a text alone are not what was meant."""
    if texts is None:
        return []
    if isinstance(texts, str):
        raise TypeError("reward returned the flags %.80r, expected a list of texts: write [%.80r]" % (texts, texts))
    if not isinstance(texts, (list, tuple)) or not all(isinstance(f, str) for f in texts):
        raise TypeError('reward returned the flags %.80r, expected a list of texts: write ["long"]' % (texts,))
    return list(texts)


def answered(value):
    """What the host is told of a value that reward returned."""
    if not isinstance(value, dict):
        return {"reward": number(value)}
    strange = set(value) - {"reward", "parts", "flags"}
    if strange:
        raise KeyError("reward returned the key %s, expected reward, parts and flags" % sorted(map(str, strange))[0])
    return {"reward": number(value.get("reward")), "parts": parts(value.get("parts")), "flags": flags(value.get("flags"))}


def guarded(name, seconds, call):
    """What call returns, or the error that it raises."""
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, late)
    try:
        try:
            ring(seconds)
            return answered(call())
        finally:
            ring(0)
    except BaseException as e:
        return {"error": told(name, e)}


class Nowhere(io.TextIOBase):
    """A stream that forgets."""

    def write(self, text):
        return len(text)


def silenced():
    """Send what is printed from now on nowhere; the stream of answers. WebAssembly has no descriptors to move."""
    try:
        out, null = os.fdopen(os.dup(1), "w"), os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
    except OSError:
        out, sys.stdout, sys.stderr = sys.stdout, Nowhere(), Nowhere()
    return out


def once(job):
    """Score one call. What the user's code prints is nobody's answer."""
    with silenced() as out:
        json.dump(guarded(job["name"], job["seconds"], lambda: load(job["name"], job["source"])(job["item"], job["responses"])), out)


def serve(name, seconds, memory):
    """Score calls that come as JSON lines. What the user's code prints goes to stderr."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if int(memory):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    sys.path.insert(0, os.path.dirname(os.path.abspath(name)))
    loaded = []

    def function():
        if not loaded:
            with open(name, encoding="utf-8") as f:
                loaded.append(load(name, f.read()))
        return loaded[0]

    for line in sys.stdin:
        call = json.loads(line)
        answer = guarded(name, float(seconds), lambda: function()(call["item"], call["responses"]))
        out.write(json.dumps(dict(answer, id=call["id"])) + "\n")
        out.flush()
