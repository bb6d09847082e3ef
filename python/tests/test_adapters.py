"""Adapters over games that have the interfaces of the real packages; test_games.py has the packages themselves."""

from __future__ import annotations

import os
import tempfile
import zlib
from types import SimpleNamespace
from typing import Any
from unittest import TestCase, mock

import parley
from parley import Step, UsageError, adapters, identity
from parley._callables import Callables


class Games(TestCase):
    def test_what_is_no_maker(self) -> None:
        with self.assertRaisesRegex(UsageError, "PettingZoo takes what makes a game, and this is a Sticks"):
            adapters.PettingZoo(Sticks())  # type: ignore[arg-type]
        with self.assertRaisesRegex(UsageError, "Sticks is one of PettingZoo"):
            Callables(environment=adapters.Gymnasium(Sticks))

    def test_players_that_are_no_agents(self) -> None:
        steps = adapters.in_turn(["x", "o"], 3)
        team = {"protocol": "workflow", "agents": {"x": {}, "o": {}}, "workflow": steps}
        recipe = {"name": "sticks", "model": "parley-games", "task": {"min_reward": -1}, "team": team, "policies": {"sharing": "per-agent"}, "algorithm": "magrpo", "eval": {"baselines": []}}
        data = [{"id": n} for n in range(30)]
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"PARLEY_RUNS": folder}):
            for of in (parley.check, parley.train):
                with self.assertRaisesRegex(UsageError, "players are ann, bob, and team.agents are x, o: .*seats="):
                    of(recipe, environment=adapters.PettingZoo(Sticks), data=data)
            self.assertEqual(parley.check(recipe, environment=adapters.PettingZoo(Sticks, seats=["x", "o"]), data=data), [])


class Space:
    def __init__(self, n: int, start: int = 0):
        self.n, self.start = n, start


class Sticks:
    """An AEC environment: two players take 1 or 2 sticks by turns; who takes the last wins. Both leave in steps of None."""

    possible_agents = ["ann", "bob"]

    def __init__(self, sticks: int = 3, masked: bool = True):
        self.sticks, self.masked, self.closed = sticks, masked, False

    def agent_iter(self) -> None: ...

    def reset(self, seed: int) -> None:
        self.seed, self.left, self.agents, self.agent_selection = seed, self.sticks, list(self.possible_agents), "ann"
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.rewards = dict.fromkeys(self.agents, 0)

    def observe(self, agent: str) -> Any:
        return {"observation": [self.left], "action_mask": [0, 1, self.left > 1]} if self.masked else [self.left]

    def action_space(self, agent: str) -> Space:
        return Space(2, 1) if not self.masked else Space(3)

    def step(self, action: Any) -> None:
        me = self.agent_selection
        other = "bob" if me == "ann" else "ann"
        if self.terminations[me]:
            assert action is None
            self.agents.remove(me)
            self.rewards = dict.fromkeys(self.possible_agents, 0)
        else:
            self.left -= action
            self.rewards = {me: 0, other: 0}
            if self.left == 0:
                self.rewards = {me: 1, other: -1}
                self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = other if other in self.agents else me

    def close(self) -> None:
        self.closed = True


class Match:
    """A parallel environment: all name a number, and who names the greater is paid. ann leaves after the first round."""

    possible_agents = ["ann", "bob"]

    def reset(self, seed: int) -> Any:
        self.agents, self.round = list(self.possible_agents), 0
        return {a: [seed % 7] for a in self.agents}, {}

    def action_space(self, agent: str) -> Space:
        return Space(5)

    def step(self, moves: Any) -> Any:
        assert list(moves) == self.agents, moves
        self.round += 1
        best = max(moves, key=lambda a: moves[a])
        rewards = {a: float(a == best) for a in self.agents}
        self.agents = ["bob"] if self.round == 1 else []
        return {a: [self.round] for a in self.agents}, rewards, {}, {}, {}

    def close(self) -> None: ...


class TestPettingZoo(TestCase):
    def episode(self, make: Any = Sticks, **more: Any) -> Any:
        return adapters.PettingZoo(make, **more)()

    def test_who_is_to_move_observes(self) -> None:
        e = self.episode()
        self.assertEqual(e.reset({"id": "7"}).observations, {"ann": "[3]\nLegal moves: 1, 2\nYour move:", "bob": ""})
        self.assertEqual(e.env.seed, zlib.crc32(b"7"))
        step = e.step({"ann": "I take 2, no, 1.", "bob": "2"})
        self.assertEqual(step, Step({"ann": "", "bob": "[2]\nLegal moves: 1, 2\nYour move:"}))
        # What ann said last comes again with what bob says: it does not count.
        step = e.step({"ann": "I take 2, no, 1.", "bob": "2"})
        self.assertEqual((step.done, step.rewards, step.reward), (True, {"bob": 1.0, "ann": -1.0}, 0))
        e.close()
        self.assertTrue(e.env.closed)

    def test_seed_of_the_item(self) -> None:
        e = self.episode()
        e.reset({"id": "7", "seed": "12"})
        self.assertEqual(e.env.seed, 12)

    def test_illegal_moves(self) -> None:
        for said in ("7", "I pass.", "0", ""):
            with self.subTest(said=said):
                e = self.episode(illegal=-2)
                e.reset({"id": "1"})
                step = e.step({"ann": said})
                self.assertEqual((step.done, step.rewards, step.info), (True, {"ann": -2}, {"illegal": ["ann"]}))
                self.assertEqual(e.env.left, 3)
        e = self.episode(resample=True)
        e.reset({"id": "1"})
        step = e.step({"ann": "7"})
        self.assertEqual((step.done, step.rewards, step.info), (False, None, {"illegal": ["ann"]}))
        self.assertEqual(step.observations, {"ann": "That is no legal move.\n[3]\nLegal moves: 1, 2\nYour move:", "bob": ""})
        self.assertEqual(e.step({"ann": "2"}).observations["ann"], "")

    def test_without_a_mask_the_space_counts(self) -> None:
        e = self.episode(lambda: Sticks(masked=False))
        self.assertIn("Legal moves: 1, 2\n", e.reset({"id": "1"}).observations["ann"])
        self.assertTrue(e.step({"ann": "3"}).done)

    def test_seats_and_texts(self) -> None:
        e = self.episode(seats=["x", "o"], describe=lambda env, p, o, legal: f"{p} {env.left} {o['observation']} {legal}", parse=lambda text, legal: len(text))
        self.assertEqual(e.reset({"id": "1"}).observations, {"x": "ann 3 [3] [1, 2]", "o": ""})
        self.assertEqual(e.step({"x": "ab"}).observations["o"], "bob 1 [1] [1]")
        with self.assertRaisesRegex(UsageError, r"2 players \(ann, bob\), and there are 1 seats \(x\)"):
            self.episode(seats=["x"]).reset({"id": "1"})
        for seats in (["x"], ["x", "o", "z"]):
            with self.assertRaisesRegex(UsageError, r"2 players \(ann, bob\), and there are . seats"):
                Callables(environment=adapters.PettingZoo(Sticks, seats=seats))  # before anything is started

    def test_parallel(self) -> None:
        e = self.episode(Match)
        self.assertEqual(list(e.reset({"seed": 4}).observations.values()), ["[4]\nLegal moves: 0, 1, 2, 3, 4\nYour move:"] * 2)
        step = e.step({"ann": "1", "bob": "3"})
        self.assertEqual((step.rewards, step.done, step.observations["ann"]), ({"bob": 1.0}, False, ""))
        step = e.step({"ann": "1", "bob": "3"})
        self.assertEqual((step.rewards, step.done), ({"bob": 1.0}, True))

        e = self.episode(Match, illegal=-1)
        e.reset({"seed": 4})
        self.assertEqual(e.step({"ann": "9", "bob": "none"}).rewards, {"ann": -1, "bob": -1})

        e = self.episode(Match, resample=True)
        e.reset({"seed": 4})
        step = e.step({"ann": "4", "bob": "none"})
        self.assertEqual([bool(o) for o in step.observations.values()], [False, True])
        self.assertEqual(e.step({"ann": "0", "bob": "3"}).rewards, {"ann": 1.0})  # ann's 4 is kept


class Coins:
    """A game of OpenSpiel: chance turns a coin, both guess it at once, then player 1 guesses the next."""

    def num_players(self) -> int:
        return 2

    def get_type(self) -> Any:
        return SimpleNamespace(provides_observation_string=False)

    def new_initial_state(self) -> Any:
        return CoinsState()


class CoinsState:
    def __init__(self) -> None:
        self.at, self.coin, self.sums = 0, -1, [0.0, 0.0]

    def is_chance_node(self) -> bool:
        return self.at in (0, 2)

    def is_simultaneous_node(self) -> bool:
        return self.at == 1

    def is_terminal(self) -> bool:
        return self.at == 4

    def current_player(self) -> int:
        return 1

    def chance_outcomes(self) -> Any:
        return [(0, 0.5), (1, 0.5)]

    def legal_actions(self, player: int) -> list[int]:
        return [0, 1] if self.at == 1 or (self.at == 3 and player == 1) else []

    def action_to_string(self, player: int, action: int) -> str:
        return ("heads", "tails")[action]

    def information_state_string(self, player: int) -> str:
        return f"guess {self.at}"

    def apply_action(self, action: int) -> None:
        if self.is_chance_node():
            self.coin = action
        else:
            self.sums[1] += 1 if action == self.coin else -1
        self.at += 1

    def apply_actions(self, actions: list[int]) -> None:
        for player, action in enumerate(actions):
            self.sums[player] += 1 if action == self.coin else -1
        self.at += 1

    def returns(self) -> list[float]:
        return list(self.sums)


class TestOpenSpiel(TestCase):
    def test_simultaneous_moves_chance_and_pay(self) -> None:
        coins = set()
        for seed in range(12):
            e = adapters.OpenSpiel(Coins)()
            first = e.reset({"seed": seed})
            self.assertEqual(first.observations, dict.fromkeys(["player_0", "player_1"], "guess 1\nLegal moves: 0 heads, 1 tails\nYour move:"))
            coin = e.state.coin
            coins.add(coin)
            step = e.step({"player_0": "0", "player_1": "1"})
            pay = {0: {"player_0": 1.0, "player_1": -1.0}, 1: {"player_0": -1.0, "player_1": 1.0}}[coin]
            self.assertEqual((step.rewards, step.observations["player_0"], step.done), (pay, "", False))
            second = e.state.coin
            step = e.step({"player_0": "0", "player_1": "1"})
            self.assertEqual((step.rewards, step.done), ({"player_1": 1.0 if second == 1 else -1.0}, True))  # the difference alone
            again = adapters.OpenSpiel(Coins)()
            again.reset({"seed": seed})
            self.assertEqual(again.state.coin, coin)
            e.close()
        self.assertEqual(coins, {0, 1})


class Echo:
    """A game of TextArena: each says something once; the longer text wins. It pays when it is closed."""

    def reset(self, num_players: int, seed: int) -> None:
        self.players, self.seed, self.said = num_players, seed, []

    def get_observation(self) -> Any:
        return len(self.said), f"{len(self.said)} spoke" if self.seed % 2 else [(-1, "say"), (0, "something")]

    def step(self, action: str) -> Any:
        self.said.append(action)
        return len(self.said) == self.players, {"turn": len(self.said)}

    def close(self) -> Any:
        best = max(range(self.players), key=lambda i: len(self.said[i]))
        return {i: 1 if i == best else -1 for i in range(self.players)}, {i: {"words": len(t)} for i, t in enumerate(self.said)}


class TestTextArena(TestCase):
    def test_texts_go_as_they_are(self) -> None:
        e = adapters.TextArena(Echo, seats=["x", "o"])()
        self.assertEqual(e.reset({"seed": 2**31 + 1}).observations, {"x": "0 spoke", "o": ""})
        step = e.step({"x": "not a number"})
        self.assertEqual((step.observations, step.rewards, step.info), ({"x": "", "o": "1 spoke"}, None, {"turn": 1}))
        step = e.step({"x": "not a number", "o": "9"})
        self.assertEqual((step.done, step.rewards, step.info), (True, {"x": 1.0, "o": -1.0}, {"0": {"words": 12}, "1": {"words": 1}}))
        self.assertEqual(e.env.said, ["not a number", "9"])
        e = adapters.TextArena(Echo, seats=["x", "o"])()
        self.assertEqual(e.reset({"seed": 2}).observations["x"], "say\nsomething")
        with self.assertRaisesRegex(UsageError, "seats"):
            adapters.TextArena(Echo)().reset({"id": "1"})


class Walk:
    """An environment of Gymnasium."""

    action_space = Space(2, -1)

    def reset(self, seed: int) -> Any:
        self.at = 0
        return self.at, {}

    def step(self, move: int) -> Any:
        self.at += move
        return self.at, 0.5, self.at == 0, False, {}


class TestGymnasium(TestCase):
    def test_one_agent_is_paid_as_the_team(self) -> None:
        e = adapters.Gymnasium(Walk)()
        self.assertEqual(e.reset({"id": "1"}).observations, {"agent": "0\nLegal moves: -1, 0\nYour move:"})
        self.assertEqual(e.step({"agent": "-1"}), Step({"agent": "-1\nLegal moves: -1, 0\nYour move:"}, reward=0.5))
        self.assertEqual(e.step({"agent": "5"}).rewards, {"agent": -1.0})
        e.close()
        e = adapters.Gymnasium(Walk, seats=["walker"])()
        e.reset({"id": "1"})
        self.assertTrue(e.step({"walker": "0"}).done)


class TestOthers(TestCase):
    def test_identity(self) -> None:
        some = [adapters.PettingZoo(Sticks), adapters.PettingZoo(Match), adapters.PettingZoo(Sticks, resample=True), adapters.OpenSpiel(Sticks)]
        self.assertEqual(len({identity(a) for a in some}), len(some))
        self.assertEqual(identity(some[0]), identity(adapters.PettingZoo(Sticks)))

    def test_in_turn(self) -> None:
        want = [{"repeat": 9, "steps": [{"ask": '=[a for a in agents if observation(a) != ""]', "prompt": "{{.Observation}}"}, {"act": ["x", "o"]}]}]
        self.assertEqual(adapters.in_turn(["x", "o"], 9), want)

    def test_taskset(self) -> None:
        class TaskData:
            model_fields = {"idx": None, "prompt": None, "system_prompt": None}
            image = None
            skills: list[Any] = []

            def __init__(self, **own: Any):
                self.own = own
                self.prompt_text, self.system_prompt = own["prompt"], own["system_prompt"]

            def model_dump(self, mode: str) -> Any:
                return self.own

        class Sum(TaskData): ...

        class Task:
            NEEDS_CONTAINER, key, config = False, "k", None

            def __init__(self, data: Any):
                self.data = data

            @classmethod
            def toolsets(cls, config: Any) -> list[Any]:
                return []

        class Tooled(Task):
            @classmethod
            def toolsets(cls, config: Any) -> list[Any]:
                return ["search"]

        class Tasks(list[Any]):
            bounded = True

        data = Sum(idx=0, prompt="1+1?", system_prompt="Be brief.", answer="2")
        self.assertEqual(adapters.taskset(Tasks([Task(data)])), [{"id": "k", "question": "1+1?", "system": "Be brief.", "answer": "2"}])
        with self.assertRaisesRegex(UsageError, "task k needs tools"):
            adapters.taskset(Tasks([Tooled(data)]))
        endless = Tasks()
        endless.bounded = False
        with self.assertRaisesRegex(UsageError, "no end"):
            adapters.taskset(endless)
