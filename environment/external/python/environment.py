"""Calls a user's functions reset(item) and step(state, actions) for the host.

once answers one call and hold an episode in a sandbox, serve all calls and keep an episode as the host's child.
"""

import io
import json
import linecache
import os
import signal
import sys
import traceback

MOST = 4000  # characters of an error
KNOWN = {"state", "observations", "reward", "rewards", "done", "info"}


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
        lines = ["No answer before the deadline. It was here:\n"] + traceback.format_list(frames)
    return "".join(lines).rstrip()[-MOST:]


def load(name, source):
    """What the user's file defines."""
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"__name__": "environment", "__file__": name}
    exec(compile(source, name, "exec"), space)
    for function in ("reset(item)", "step(state, actions)"):
        if not callable(space.get(function.partition("(")[0])):
            raise NameError("%s defines no function %s" % (name, function))
    return space


def outcome(space, call, kept=None):
    """What the host is told of an outcome. A stateful environment keeps its state, which may be anything, in a list."""
    if call["call"] == "reset":
        value = space["reset"](call["item"])
    else:
        value = space["step"](call["state"] if kept is None else kept[-1], call["actions"])
    if not isinstance(value, dict):
        raise TypeError('%s returned %.80r, expected a dict with "state" and "observations"' % (call["call"], value))
    strange = set(value) - KNOWN
    if strange:
        raise KeyError("%s returned the key %s, expected %s" % (call["call"], sorted(map(str, strange))[0], ", ".join(sorted(KNOWN))))
    if kept is not None:
        value = dict(value)
        kept[:] = [value.pop("state", None)]
    json.dumps(value, allow_nan=False)  # what is no JSON is the user's error
    return value


def guarded(name, seconds, call):
    """What call returns, or the error that it raises."""
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, late)
    try:
        try:
            ring(seconds)
            return call()
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
    """Answer one call. What the user's code prints is nobody's answer."""
    with silenced() as out:
        json.dump(guarded(job["name"], job["seconds"], lambda: outcome(load(job["name"], job["source"]), job["request"])), out)


def child(name, seconds, memory, call_of):
    """Answer calls on stdin by call_of. What the user's code prints goes to stderr."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if int(memory):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    sys.path.insert(0, os.path.dirname(os.path.abspath(name)))
    loaded = []

    def space():
        if not loaded:
            with open(name, encoding="utf-8") as f:
                loaded.append(load(name, f.read()))
        return loaded[0]

    for line in sys.stdin:
        call = json.loads(line)
        answer = guarded(name, float(seconds), lambda: call_of(space(), call))
        out.write(json.dumps(dict(answer, id=call["id"])) + "\n")
        out.flush()


def serve(name, seconds, memory):
    """Answer calls of pure functions."""
    child(name, seconds, memory, outcome)


def keep(name, seconds, memory):
    """Answer the calls of one episode."""
    kept = [None]
    child(name, seconds, memory, lambda space, call: outcome(space, call, kept))


def hold(job, channel):
    """Answer the calls of one episode, which come over a channel."""
    kept, loaded = [None], []

    def answer(call):
        if not loaded:
            loaded.append(load(job["name"], job["source"]))
        return outcome(loaded[0], call, kept)

    silenced()
    with os.fdopen(os.dup(channel)) as lines, os.fdopen(channel, "w") as out:
        for line in lines:
            json.dump(guarded(job["name"], job["seconds"], lambda: answer(json.loads(line))), out)
            out.write("\n")
            out.flush()
