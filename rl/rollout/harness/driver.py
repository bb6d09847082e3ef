"""Calls a user's function episode(e) for the host, one episode after the other."""

import asyncio
import inspect
import math
import types

LOOP = []  # of asyncio, once there is one: clients that stay belong to it
LONGEST = 100 << 10  # bytes of a variable: a system takes no longer ones
IDLE = {k: os.environ.get(k) for k in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "PARLEY_EPISODE")}


def told(name, error):
    return traced(name, error, "result")


def load(name, source):
    """What the user's file defines. It is a module, as libraries that look at types want it."""
    module = types.ModuleType("parley_program")
    module.__file__ = name
    sys.modules[module.__name__] = module
    exec(compiled(source, name), module.__dict__)
    if not callable(getattr(module, "episode", None)):
        raise NameError(missing(name, module))
    return module


def missing(name, module):
    """What to do about a file without the function: one beside it that calls run, or else the last function of one argument."""
    stem, extension = os.path.splitext(os.path.basename(name))
    bring, program = ("import " + stem, stem) if stem.isidentifier() else ("program = __import__(%r)" % stem, "program")
    function = "run"
    for key, value in vars(module).items():
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not hasattr(module, "run"):
            needed = [p for p in inspect.signature(value).parameters.values() if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
            function = key if len(needed) == 1 else function
    said = "%s defines no function episode(e): write a file of its own beside it, so that %s stays as it is, and name that one:"
    lines = "", bring, "", "", "def episode(e):", '    return {"answer": %s.%s(e["item"]["question"])}' % (program, function)
    return "\n".join([said % (name, stem + extension)] + ["    " * (line != "") + line for line in lines])


def surround(values):
    """Set variables of the environment; None takes one away."""
    for key, value in values.items():
        if value is None:
            os.environ.pop(key, None)
        else:
            os.environ[key] = value


def awaited(value):
    """What comes of a coroutine. Tasks that it leaves behind end with the episode."""
    if not LOOP:
        LOOP.append(asyncio.new_event_loop())
        asyncio.set_event_loop(LOOP[0])
    loop = LOOP[0]

    async def whole():
        return await value

    try:
        return loop.run_until_complete(whole())
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())


def finite(value, place):
    """JSON has no word for infinity and what is no number: says where one stands."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("episode returned %r at %s, expected a finite number" % (value, place))
    if isinstance(value, dict):
        for key, inner in value.items():
            finite(inner, "%s.%s" % (place, key) if place else str(key))
    if isinstance(value, (list, tuple)):
        for i, inner in enumerate(value):
            finite(inner, "%s[%d]" % (place, i))


def played(module, e):
    """The result of an episode. Whoever has reported it by POST may return nothing."""
    said = json.dumps(e, ensure_ascii=False)
    own = {"OPENAI_BASE_URL": e["base_url"], "OPENAI_API_KEY": e["api_key"], "PARLEY_EPISODE": said if len(said.encode()) <= LONGEST else None}
    surround(own)
    try:
        value = module.episode(e)
        if inspect.isawaitable(value):
            value = awaited(value)
    finally:
        surround(IDLE)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError('episode returned %.80r, expected a dict with "answer" or "reward"' % (value,))
    json.dumps(value)  # what is no JSON is the user's error, and so is what refers to itself
    finite(value, "")
    return value


def serve(name):
    """Play episodes as the host's child."""
    child(name, 0, 0, played)
