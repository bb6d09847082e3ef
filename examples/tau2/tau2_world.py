"""The worlds of tau2-bench (version 1.0) for two agents: agent, who serves, and user, who calls.

    python3 tau2_world.py FOLDER DOMAIN... [--judge URL]

writes train.jsonl and test.jsonl, the official splits of the domains, without the tasks that a judge has to score where there is none.
"""
import json
import pathlib
import re
import sys
import uuid

from tau2.data_model.message import AssistantMessage, ToolCall, UserMessage
from tau2.data_model.simulation import SimulationRun, TerminationReason
from tau2.data_model.tasks import RewardType
from tau2.evaluator.evaluator import EvaluationType, evaluate_simulation
from tau2.registry import registry
from tau2.utils.utils import get_now

MOST_STEPS, MOST_ERRORS = 200, 10  # the benchmark's
GREETING = "Hi! How can I help you today?"
STOPS = "###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"  # of the user
TRANSFER = "transfer_to_human_agents"  # a tool of the agent's
CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
HOW = 'To call a tool, write <tool_call>{"name": "NAME", "arguments": {}}</tool_call> and nothing else.'
OTHER = {"agent": "user", "user": "agent"}


class World:
    """A conversation that is under way."""

    def __init__(self, item):
        self.domain, self.judge = item["domain"], item.get("judge")
        self.task = next(t for t in registry.get_tasks_loader(self.domain)() if t.id == item["task_id"])
        if judged(self.task) and not self.judge:
            raise ValueError(f"task {self.task.id} of {self.domain} needs a judge")
        self.env = registry.get_env_constructor(self.domain)()
        start = self.task.initial_state
        history = list(start.message_history or []) if start else []
        self.env.set_state(start and start.initialization_data, start and start.initialization_actions, history)
        self.messages = history or [AssistantMessage(role="assistant", content=GREETING)]
        self.steps = self.errors = 0
        self.turn = "agent" if self.messages[-1].role == "user" else "user"
        said = "\n".join(f"{m.role}: {m.content}" for m in self.messages if m.role != "tool" and m.content)
        self.unread = {
            "agent": [self.env.get_policy(), tools(self.env.get_tools()), said],
            "user": [str(self.task.user_scenario), tools(self.env.get_user_tools() if self.env.user_tools else []), f"End with {STOPS[0]}.", said],
        }

    def seen(self):
        """Who speaks next reads all that came since it spoke last."""
        text = "\n\n".join(part for part in self.unread[self.turn] if part)
        return {self.turn: text + "\n\nYour turn.", OTHER[self.turn]: "The other one speaks."}

    def speak(self, words):
        """Takes what was said. It returns why the conversation is over; None: it goes on."""
        who, self.unread[self.turn] = self.turn, []
        self.steps += 1
        try:
            calls = [self.call(text) for text in CALL.findall(words)]
        except (ValueError, KeyError, TypeError) as error:
            self.errors += 1
            self.unread[who].append(f"Error: this is no tool call: {error}")
            return self.limit()
        message = AssistantMessage if who == "agent" else UserMessage
        role = "assistant" if who == "agent" else "user"
        if not calls:
            self.messages.append(message(role=role, content=words))
            self.unread[OTHER[who]].append(f"{who}: {words}")
            self.turn = OTHER[who]
            return TerminationReason.USER_STOP if who == "user" and any(stop in words for stop in STOPS) else self.limit()
        self.messages.append(message(role=role, content=None, tool_calls=calls))
        for call in calls:
            result = self.env.get_response(call)
            self.messages.append(result)
            self.unread[who].append(result.content)
            self.errors += result.error
        self.steps += 1
        return TerminationReason.AGENT_STOP if any(call.name == TRANSFER for call in calls) else self.limit()

    def call(self, text):
        said = json.loads(text)
        requestor = "assistant" if self.turn == "agent" else "user"
        return ToolCall(id=str(uuid.uuid4()), name=said["name"], arguments=dict(said.get("arguments", {})), requestor=requestor)

    def limit(self):
        if self.errors >= MOST_ERRORS:
            return TerminationReason.TOO_MANY_ERRORS
        return TerminationReason.MAX_STEPS if self.steps >= MOST_STEPS else None

    def reward(self, why):
        """The product of what the task's reward basis names; 0 where nobody has ended the conversation."""
        if self.judge and judged(self.task):
            import tau2.evaluator.evaluator_nl_assertions as judge

            judge.DEFAULT_LLM_NL_ASSERTIONS, judge.DEFAULT_LLM_NL_ASSERTIONS_ARGS = "openai/judge", {"api_base": self.judge}
        now = get_now()
        run = SimulationRun(
            id=str(uuid.uuid4()), task_id=self.task.id, start_time=now, end_time=now, duration=0.0, termination_reason=why, messages=self.messages
        )
        return evaluate_simulation(
            simulation=run, task=self.task, evaluation_type=EvaluationType.ALL, solo_mode=False, domain=self.domain
        ).reward


def judged(task):
    return bool(task.evaluation_criteria) and RewardType.NL_ASSERTION in task.evaluation_criteria.reward_basis


def tools(list_of_tools):
    return "\n".join([HOW, *(json.dumps(tool.openai_schema["function"]) for tool in list_of_tools)]) if list_of_tools else ""


def reset(item):
    world = World(item)
    return {"state": world, "observations": world.seen()}


def step(world, actions):
    why = world.speak(actions[world.turn])
    if why is None:
        return {"state": world, "observations": world.seen()}
    return {"state": world, "observations": f"It is over: {why.value}.", "reward": world.reward(why), "done": True}


def write(folder, domains, judge):
    folder.mkdir(exist_ok=True)
    left = 0
    for split in "train", "test":
        with open(folder / f"{split}.jsonl", "w") as file:
            for domain in domains:
                for task in registry.get_tasks_loader(domain)(split):
                    if judged(task) and not judge:
                        left += 1
                        continue
                    print(json.dumps({"domain": domain, "task_id": task.id, **({"judge": judge} if judge else {})}), file=file)
    print(f"{left} tasks are left out: they need a judge", file=sys.stderr)


if __name__ == "__main__":
    words = sys.argv[1:]
    url = words[words.index("--judge") + 1] if "--judge" in words else None
    write(pathlib.Path(words[0]), [w for w in words[1:] if w not in ("--judge", url)], url)
