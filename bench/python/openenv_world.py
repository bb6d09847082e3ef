"""Serves examples/own-world by OpenEnv's own server, for the step python of CI: openenv_world.py PORT EPISODES"""
import importlib.util
import pathlib
import sys

import uvicorn
from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app

path = pathlib.Path(__file__).parents[2] / "examples/own-world/world.py"
spec = importlib.util.spec_from_file_location("world", path)
world = importlib.util.module_from_spec(spec)
spec.loader.exec_module(world)


class Says(Action):
    message: str


class Sees(Observation):
    text: str


class Loads(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, **item):
        self.waiting = ["north", "south"]
        return self.seen(world.reset(item))

    def step(self, action, timeout_s=None, **_):
        if not any(digit in action.message for digit in "0123456789"):
            raise ValueError("say a number")  # the episode goes on
        return self.seen(world.step(self.inner, {self.waiting.pop(0): action.message}))

    def seen(self, answer):
        self.inner, texts = answer["state"], answer["observations"]
        text = texts if isinstance(texts, str) else texts[self.waiting[0]]
        return Sees(text=text, reward=answer.get("reward"), done=answer.get("done", False))

    @property
    def state(self):
        return State()


app = create_fastapi_app(Loads, Says, Sees, max_concurrent_envs=int(sys.argv[2]))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", ws_ping_interval=0.2, ws_ping_timeout=5)
