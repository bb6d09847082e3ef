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


def answered(name, seconds, channel, loaded):
    """Answer the calls of one episode, which come over a channel. loaded is what the file defines, or the error that it ended with."""
    kept = [None]

    def answer(call):
        return loaded if "error" in loaded else outcome(loaded["space"], call, kept)

    with os.fdopen(os.dup(channel)) as lines, os.fdopen(channel, "w") as out:
        out.write("%d\n" % os.getpid())
        out.flush()
        for line in lines:
            json.dump(guarded(name, seconds, lambda: answer(json.loads(line))), out)
            out.write("\n")
            out.flush()


def hold(job, channel):
    """Load the file, and answer the calls of one episode in a sandbox. How long loading takes does not count."""
    silenced()
    loaded = guarded(job["name"], 0, lambda: {"space": load(job["name"], job["source"])})
    answered(job["name"], job["seconds"], channel, loaded)


def shuffled():
    """Give a forked process random numbers of its own, as a fresh one has."""
    import random

    random.seed()
    for name, renew in (("numpy", lambda m: m.random.seed()), ("torch", lambda m: m.seed())):
        if name in sys.modules:
            renew(sys.modules[name])


def nurse(name, seconds, memory):
    """Load the file, then fork a process for each episode that comes with its channel over the socket at stdin; end those that it names."""
    import gc
    import socket

    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    if int(memory):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    sys.path.insert(0, os.path.dirname(os.path.abspath(name)))

    def defined():
        with open(name, encoding="utf-8") as f:
            return {"space": load(name, f.read())}

    loaded = guarded(name, 0, defined)
    forks = hasattr(os, "fork") and hasattr(socket, "recv_fds") and loaded.get("space", {}).get("FORK", True)
    control.sendall(b"ready\n" if forks else b"alone\n")
    gc.collect()
    gc.freeze()
    text, channels, children = b"", [], set()
    while True:
        more, fds, _, _ = socket.recv_fds(control, 4096, 16)
        if not more:
            for pid in children:
                os.kill(pid, signal.SIGKILL)
            return
        channels += fds
        *words, text = (text + more).split(b"\n")
        for word in words:
            ended = [pid for pid in children if os.waitpid(pid, os.WNOHANG)[0]]
            children.difference_update(ended)
            if word != b"fork":
                if int(word) in children:
                    os.kill(int(word), signal.SIGKILL)
                continue
            channel = channels.pop(0)
            pid = os.fork()
            if pid == 0:
                try:
                    control.close()
                    shuffled()
                    answered(name, float(seconds), channel, loaded)
                finally:
                    os._exit(0)
            os.close(channel)
            children.add(pid)
