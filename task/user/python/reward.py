"""Calls a user's function reward(item, responses) for the host, once in a sandbox or again and again as its child.

Wheels of the package parley have this file too: what a function of the user's process returns is read by answered as well.
"""

import math


def told(name, error):
    return traced(name, error, "reward")


def load(name, source):
    """The user's function."""
    space = {"__name__": "reward", "__file__": name}
    exec(compiled(source, name), space)
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


def agents(paid):
    """Numbers for single agents: by name, or a list in agent order."""
    if paid is None:
        return None
    if isinstance(paid, dict):
        return {str(k): number(v) for k, v in paid.items()}
    if isinstance(paid, (list, tuple)):
        return [number(v) for v in paid]
    raise TypeError('reward returned the agents %.80r, expected a number for each agent: write {"writer": 0.5}, or a list in agent order' % (paid,))


def answered(value, name="reward", hosted=False):
    """What the host is told of a value that a function returned. hosted: it is in the user's own process."""
    if value is None:
        raise TypeError("%s returned None, expected a number, or a dict with the key reward: is a return missing?" % name)
    if isinstance(value, (list, tuple)):
        lists = "; a function that takes and returns lists is marked with @parley.batched" if hosted else ""
        raise TypeError("%s returned a %s, expected one number for all responses, or a dict with the key reward%s" % (name, type(value).__name__, lists))
    if not isinstance(value, dict):
        return {"reward": number(value)}
    strange = set(value) - {"reward", "parts", "flags", "agents"}
    if strange:
        raise KeyError("reward returned the key %s, expected reward, parts, flags and agents" % sorted(map(str, strange))[0])
    if "reward" not in value:
        raise KeyError("%s returned a dict without the key reward" % name)
    return {
        "reward": number(value.get("reward")),
        "parts": parts(value.get("parts")),
        "flags": flags(value.get("flags")),
        "agents": agents(value.get("agents")),
    }


def scored(reward, call):
    """The answer to one call."""
    return answered(reward(call["item"], call["responses"]))


def once(job):
    """Score one call. What the user's code prints is nobody's answer."""
    with silenced() as out:
        json.dump(guarded(job["name"], job["seconds"], lambda: scored(load(job["name"], job["source"]), job)), out)


def serve(name, seconds, memory):
    """Score calls as the host's child."""
    child(name, seconds, memory, scored)
