"""A stub of tau2 for CI: one world, a lamp behind a fuse, with two tools a side, under the names that tau2_world.py imports."""
import enum
import sys
from types import SimpleNamespace as Thing

for name in "data_model data_model.message data_model.simulation data_model.tasks evaluator evaluator.evaluator registry utils utils.utils".split():
    sys.modules["tau2." + name] = sys.modules[__name__]

AssistantMessage = UserMessage = lambda role, content=None, tool_calls=None: Thing(role=role, content=content, tool_calls=tool_calls)
ToolCall = SimulationRun = Thing
TerminationReason = enum.Enum("TerminationReason", {name.upper(): name for name in ("agent_stop", "user_stop", "max_steps", "too_many_errors")})
RewardType = enum.Enum("RewardType", ["DB", "NL_ASSERTION"])
EvaluationType = enum.Enum("EvaluationType", ["ALL"])
TOOLS = {"assistant": ["read_lamp", "switch_lamp"], "user": ["read_fuse", "push_fuse"]}


class Environment:
    user_tools = TOOLS["user"]

    def __init__(self):
        self.db = {"lamp": False, "fuse": False}

    def set_state(self, data, actions, history):
        self.db.update(data or {})

    get_policy = lambda self: "Help the user."
    get_user_tools = lambda self: self.get_tools("user")

    def get_tools(self, side="assistant"):
        return [Thing(openai_schema={"function": {"name": name}}) for name in TOOLS[side]]

    def get_response(self, call):
        if call.name not in TOOLS[call.requestor]:
            return Thing(role="tool", content=f"Error: no tool {call.name}", error=True)
        what, thing = call.name.split("_")
        self.db[thing] = self.db[thing] or what != "read"
        return Thing(role="tool", content=str(self.db[thing]), error=False)


def evaluate_simulation(simulation, task, **_):
    if simulation.termination_reason.value not in ("agent_stop", "user_stop"):
        return Thing(reward=0.0)
    env = Environment()
    env.set_state(task.initial_state.initialization_data, None, [])
    for message in simulation.messages:
        for call in getattr(message, "tool_calls", None) or []:
            env.get_response(call)
    return Thing(reward=float(all(env.db.values())))


def loader(split="base"):
    basis = lambda i: [RewardType.NL_ASSERTION if i == 9 else RewardType.DB]
    start = lambda i: Thing(message_history=None, initialization_actions=None, initialization_data={"lamp": i % 2 == 0})
    all_tasks = [Thing(id=str(i), user_scenario="It is dark.", initial_state=start(i), evaluation_criteria=Thing(reward_basis=basis(i))) for i in range(12)]
    return {"base": all_tasks, "train": all_tasks[:8], "test": all_tasks[8:]}[split]


registry = Thing(get_tasks_loader=lambda domain: loader, get_env_constructor=lambda domain: Environment)
get_now = lambda: "now"
