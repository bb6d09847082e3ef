"""Calls a user's functions reset(item) and step(state, actions) for the host.

once answers one call and hold an episode in a sandbox, serve all calls and keep an episode as the host's child.
"""

import math

KNOWN = {"state", "observations", "reward", "rewards", "done", "info"}


def told(name, error):
    return traced(name, error, "answer")


def load(name, source):
    """What the user's file defines."""
    space = {"__name__": "environment", "__file__": name}
    exec(compiled(source, name), space)
    for function in ("reset(item)", "step(state, actions)"):
        if not callable(space.get(function.partition("(")[0])):
            raise NameError("%s defines no function %s" % (name, function))
    return space


def finite(call, value, place=""):
    """JSON has no word for infinity and what is no number: says where one stands."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("%s returned %r at %s, expected a finite number" % (call, value, place))
    if isinstance(value, dict):
        for key, inner in value.items():
            finite(call, inner, "%s.%s" % (place, key) if place else str(key))
    if isinstance(value, (list, tuple)):
        for i, inner in enumerate(value):
            finite(call, inner, "%s[%d]" % (place, i))


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
    json.dumps(value)  # what is no JSON is the user's error, and so is what refers to itself
    finite(call["call"], value)
    return value


def once(job):
    """Answer one call. What the user's code prints is nobody's answer."""
    with silenced() as out:
        json.dump(guarded(job["name"], job["seconds"], lambda: outcome(load(job["name"], job["source"]), job["request"])), out)


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
