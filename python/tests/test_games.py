"""Two updates of each real game: the packages of bench/python/requirements.txt. The shipped base for games plays."""

from __future__ import annotations

import unittest
import warnings
from typing import Any

import parley
from parley import adapters
from support import Case, quiet


def recipe(name: str, players: list[str], steps: int, low: float = -1, high: float = 1, **more: Any) -> dict[str, Any]:
    team = {"reward": {"team": 0, "own": 1}} if len(players) > 1 else {}
    return {
        "name": name, "model": "parley-games", "task": {"min_reward": low, "max_reward": high},
        "team": {"protocol": "workflow", "agents": {p: team for p in players}, "workflow": adapters.in_turn(players, steps)},
        "policies": {"sharing": "per-agent"}, "sampling": {"max_tokens": 8}, "algorithm": "magrpo", "group": {"size": 4},
        "training": {"updates": 2, "problems": 2, "failed_share": 0}, "eval": {"problems": 2, "baselines": []}, **more,
    }  # fmt: skip


class TestGames(Case):
    def setUp(self) -> None:
        super().setUp()
        warnings.simplefilter("ignore", DeprecationWarning)

    def plays(self, adapter: adapters.Adapter, of: dict[str, Any]) -> parley.Run:
        run = parley.train(of, environment=adapter, data=[{"id": n} for n in range(30)], **quiet())
        self.assertEqual(len(run.metrics), 2)
        for m in run.metrics:
            self.assertFalse(m.get("failed_episodes"), m)
        self.assertTrue(run.verify()["ok"])
        return run

    def test_pettingzoo_by_turns(self) -> None:
        from pettingzoo.classic import tictactoe_v3

        def board(env: Any, player: str, seen: Any, legal: Any) -> str:
            own, other = seen["observation"][:, :, 0].T.flatten(), seen["observation"][:, :, 1].T.flatten()
            cells = "".join("x" if a else "o" if b else str(i) for i, (a, b) in enumerate(zip(own, other)))
            return f"{cells[:3]}\n{cells[3:6]}\n{cells[6:]}\nYour move:"

        self.plays(adapters.PettingZoo(tictactoe_v3.env, describe=board), recipe("tictactoe", ["player_1", "player_2"], 9))

    def test_pettingzoo_at_once(self) -> None:
        from pettingzoo.classic import rps_v2

        self.plays(adapters.PettingZoo(lambda: rps_v2.parallel_env(max_cycles=3)), recipe("rps", ["player_0", "player_1"], 3, -3, 3))

    def test_openspiel_with_chance(self) -> None:
        import pyspiel

        run = self.plays(adapters.OpenSpiel(lambda: pyspiel.load_game("kuhn_poker")), recipe("kuhn", ["player_0", "player_1"], 4, -2, 2))
        self.assertTrue(any(any(m["return"].values()) for m in run.metrics))

    def test_openspiel_at_once(self) -> None:
        import pyspiel

        self.plays(adapters.OpenSpiel(lambda: pyspiel.load_game("matrix_pd"), resample=True), recipe("dilemma", ["player_0", "player_1"], 3, 0, 10))

    def test_textarena(self) -> None:
        import textarena

        game = adapters.TextArena(lambda: textarena.make("TicTacToe-v0"), seats=["x", "o"])
        self.plays(game, recipe("arena", ["x", "o"], 9, truncate="left"))

    def test_gymnasium(self) -> None:
        import gymnasium

        game = adapters.Gymnasium(lambda: gymnasium.make("FrozenLake-v1", max_episode_steps=4), seats=["walker"])
        self.plays(game, recipe("lake", ["walker"], 4))


if __name__ == "__main__":
    unittest.main()
