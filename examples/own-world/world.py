# Two carriers share a load. North says how many it takes, then south says how many it takes. Together they are to take all.
import re


def number(text):
    box = re.search(r"\\boxed\{(\d+)\}", text)
    return int(box.group(1)) if box else None


def question(load, gives, good):
    return f"Ana has {load} {good}. Ana gives {gives} to Hugo. How many {good} are left?"


def reset(item):
    state = {"load": item["load"], "good": item["good"], "taken": []}
    return {"state": state, "observations": {"north": question(item["load"], item["offer"], item["good"]), "south": "Wait for north."}}


def step(state, actions):
    [(name, text)] = actions.items()  # one agent acts at a time
    takes, left = number(text), state["load"] - sum(state["taken"])
    if takes is None or takes > left:  # an illegal move: it ends the episode
        return {"state": state, "observations": f"{name} cannot take that.", "rewards": {name: 0}, "done": True}
    state = {**state, "taken": state["taken"] + [takes]}
    if name == "north":
        seen = question(state["load"], takes, state["good"])
        return {"state": state, "observations": {"south": seen}, "rewards": {"north": 1 if 0 < takes < left else 0}}
    missed = left - takes
    return {"state": state, "observations": f"{missed} are left behind.", "reward": 1 - missed / state["load"], "done": True}
