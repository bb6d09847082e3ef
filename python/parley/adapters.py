"""Environments that others made, as environments of parley. Nothing is imported before it is used.

Each adapter is given as ``environment``: ``parley.train(recipe, environment=adapters.PettingZoo(make))``. ``make`` is called once an episode. The
agents of the recipe take the places of the game's players in their order, by ``seats`` or by the players' own names. A recipe asks who is to move
with :func:`in_turn`, and says in ``task.min_reward`` and ``task.max_reward`` what can be earned.
"""

from __future__ import annotations

import copy
import hashlib
import random
import re
import zlib
from collections.abc import Mapping as Maps
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Sequence, cast

from parley._callables import Step, identity
from parley._program import UsageError

Player = Any  # as the game names it

OVER = "The game is over."


def number(text: str, legal: Sequence[Any]) -> Any:
    """The last whole number of a text; None where there is none."""
    found = re.findall(r"-?\d+", text)
    return int(found[-1]) if found else None


def seed_of(item: Mapping[str, Any]) -> int:
    """The seed of an episode: the item's ``seed``, else CRC-32 of its id."""
    return int(item["seed"]) if "seed" in item else zlib.crc32(str(item.get("id")).encode())


def in_turn(names: Sequence[str], steps: int, prompt: str = "{{.Observation}}") -> list[dict[str, Any]]:
    """Steps of a workflow that ask who is to move, whoever that is, and let them act, so often at most."""
    return [{"repeat": steps, "steps": [{"ask": '=[a for a in agents if observation(a) != ""]', "prompt": prompt}, {"act": list(names)}]}]


@dataclass
class Adapter:
    """``describe(env, player, observation, legal)`` is the text that a player reads, ``parse(text, legal)`` an action, or None.

    An illegal or unreadable move is not passed on: it costs ``illegal`` and ends the episode. With ``resample`` the player is asked again instead,
    which uses up a round. Seats are names of the recipe's agents in the players' order.

    A call makes an episode: texts in, texts out, by the names of agents. Each kind of game says who moves, what they see and may do, and what a
    move brings: ``begin(seed)`` returns the players; ``movers()`` those who are to move, ``view(player)`` what one observes, ``legal(player, view)``
    what one may do, empty where the game does not say; ``apply(moves)`` makes moves and returns a step whose rewards are by player.
    """

    make: Callable[[], Any]
    describe: Callable[[Any, Any, Any, Sequence[Any]], str] | None = None
    parse: Callable[[str, Sequence[Any]], Any] = number
    seats: Sequence[str] = ()
    illegal: float = -1.0
    resample: bool = False

    def __post_init__(self) -> None:
        if not callable(self.make):
            raise UsageError(f"{type(self).__name__} takes what makes a game, and this is a {type(self.make).__name__}: write {type(self).__name__}(lambda: …)")

    def __call__(self) -> Any:
        return copy.copy(self)._over(self.make())

    def _over(self, env: Any) -> Any:
        self.env: Any = env
        self.seen: Any = None
        self.due: list[Player] = []  # who is to move
        self.moves: dict[Player, Any] = {}  # of those who have, while others are asked again
        return self

    @property
    def parley_identity(self) -> str:
        """Its settings and its callables, as :func:`parley.identity` sees them."""
        settings = [type(self).__name__, repr((list(self.seats), self.illegal, self.resample))]
        return hashlib.sha256("\0".join(settings + [identity(f) for f in (self.make, self.describe, self.parse)]).encode()).hexdigest()

    def begin(self, seed: int) -> Sequence[Player]:
        raise NotImplementedError

    def movers(self) -> Sequence[Player]:
        return list(self.names)

    def view(self, player: Player) -> Any:
        return self.seen

    def legal(self, player: Player, view: Any) -> Sequence[Any]:
        space: Any = getattr(self.env, "action_space", None)
        space = space(player) if callable(space) else space
        first = int(getattr(space, "start", 0))
        if isinstance(view, Maps) and "action_mask" in view:
            return [first + i for i, ok in enumerate(cast("Sequence[Any]", view["action_mask"])) if ok]
        return range(first, first + int(space.n)) if hasattr(space, "n") else ()

    def apply(self, moves: dict[Player, Any]) -> Step:
        raise NotImplementedError

    def text(self, player: Player, view: Any, legal: Sequence[Any]) -> str:
        return f"{_listed(view)}\nLegal moves: {', '.join(map(str, legal))}\nYour move:"

    def read(self, player: Player, said: str) -> Any:
        """The move that a text means; None: it is none that is legal."""
        legal = self.legal(player, self.view(player))
        move = self.parse(said, legal)
        return move if not len(legal) or move in legal else None

    def close(self) -> None:
        getattr(self.env, "close", lambda: None)()

    def seated(self, seed: int) -> list[str]:
        """Begin, give each player a seat, and return these."""
        players = list(self.begin(seed))
        names = list(self.seats) or [str(p) for p in players]
        if len(names) != len(players):
            raise UsageError(f"the game has {len(players)} players ({', '.join(map(str, players))}), and there are {len(names)} seats ({', '.join(names)})")
        self.names: dict[Player, str] = dict(zip(players, names))
        return names

    def reset(self, item: Mapping[str, Any]) -> Step:
        self.seated(seed_of(item))
        return Step(self.asked(self.movers()))

    def asked(self, due: Sequence[Player], before: str = "") -> dict[str, str]:
        """What all observe: those who are to move a text, the others nothing."""
        self.due = list(due)
        seen = dict.fromkeys(self.names.values(), "")
        for p in self.due:
            view = self.view(p)
            legal = self.legal(p, view)
            seen[self.names[p]] = before + (self.describe(self.env, p, view, legal) if self.describe else self.text(p, view, legal))
        return seen

    def step(self, actions: Mapping[str, str]) -> Step:
        self.moves.update({p: self.read(p, actions.get(self.names[p], "")) for p in self.due})
        wrong = [p for p in self.due if self.moves[p] is None]
        names = [self.names[p] for p in wrong]
        if wrong and self.resample:
            return Step(self.asked(wrong, "That is no legal move.\n"), info={"illegal": names})
        if wrong:
            return Step(f"{OVER} An illegal move.", rewards=dict.fromkeys(names, self.illegal), done=True, info={"illegal": names})
        moves, self.moves = self.moves, {}
        came = self.apply(moves)
        paid = {self.names[p]: float(r) for p, r in (came.rewards or {}).items() if r}
        return Step(OVER if came.done else self.asked(self.movers()), came.reward, paid or None, came.done, came.info)


class PettingZoo(Adapter):
    """``PettingZoo(tictactoe_v3.env)``: an AEC environment, or a parallel one (``parallel_env``)."""

    def begin(self, seed: int) -> Sequence[Player]:
        self.turns = hasattr(self.env, "agent_iter")  # it is an AEC environment, whose reset returns nothing
        self.seen = next(iter(self.env.reset(seed=seed) or [None]))
        return list(self.env.possible_agents)

    def movers(self) -> Sequence[Player]:
        return [self.env.agent_selection] if self.turns else list(self.env.agents)

    def view(self, player: Player) -> Any:
        return self.env.observe(player) if self.turns else self.seen[player]

    def apply(self, moves: dict[Player, Any]) -> Step:
        env = self.env
        if not self.turns:
            self.seen, rewards, *_ = env.step(moves)
            return Step(rewards=rewards, done=not env.agents)
        env.step(*moves.values())
        rewards = dict(env.rewards)  # those of this step; last() has sums
        while env.agents and (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            env.step(None)  # who is out has to say so, and is paid nothing for it
        return Step(rewards=rewards, done=not env.agents)


class OpenSpiel(Adapter):
    """``OpenSpiel(lambda: pyspiel.load_game("kuhn_poker"))``. The players are player_0, player_1 and so on; the seed draws chance."""

    def begin(self, seed: int) -> Sequence[Player]:
        self.random, self.state = random.Random(seed), self.env.new_initial_state()
        self.number = {f"player_{i}": i for i in range(self.env.num_players())}
        self.chance()
        self.paid = list(self.state.returns())
        return list(self.number)

    def chance(self) -> None:
        while self.state.is_chance_node():
            moves, weights = zip(*self.state.chance_outcomes())
            self.state.apply_action(self.random.choices(moves, weights)[0])

    def movers(self) -> Sequence[Player]:
        if self.state.is_simultaneous_node():
            return [p for p, i in self.number.items() if self.state.legal_actions(i)]
        return [list(self.number)[self.state.current_player()]]

    def view(self, player: Player) -> Any:
        kind, i = self.env.get_type(), self.number[player]
        return self.state.observation_string(i) if kind.provides_observation_string else self.state.information_state_string(i)

    def legal(self, player: Player, view: Any) -> Sequence[Any]:
        return list(self.state.legal_actions(self.number[player]))

    def text(self, player: Player, view: Any, legal: Sequence[Any]) -> str:
        return super().text(player, view, [f"{a} {self.state.action_to_string(self.number[player], a)}" for a in legal])

    def apply(self, moves: dict[Player, Any]) -> Step:
        self.state.apply_actions([moves.get(p, 0) for p in self.number]) if self.state.is_simultaneous_node() else self.state.apply_action(*moves.values())
        self.chance()
        before, self.paid = self.paid, list(self.state.returns())
        return Step(rewards={p: self.paid[i] - before[i] for p, i in self.number.items()}, done=self.state.is_terminal())


class TextArena(Adapter):
    """``TextArena(lambda: textarena.make("TicTacToe-v0"), seats=["x", "o"])``. Texts go as they are: the game reads moves, judges them and pays at its end."""

    def begin(self, seed: int) -> Sequence[Player]:
        players = range(len(self.seats))
        if not players:
            raise UsageError('TextArena: it takes as many players as there are seats; give them, for example seats=["x", "o"]')
        self.env.reset(num_players=len(players), seed=seed % 2**31)
        return players

    def movers(self) -> Sequence[Player]:
        player, self.seen = self.env.get_observation()
        return [player]

    def text(self, player: Player, view: Any, legal: Sequence[Any]) -> str:
        return view if isinstance(view, str) else "\n".join(str(part[1]) for part in view)

    def read(self, player: Player, said: str) -> Any:
        return said  # the game reads and judges it

    def apply(self, moves: dict[Player, Any]) -> Step:
        done, info = self.env.step(*moves.values())
        if not done:
            return Step(info=info or None)
        rewards, notes = self.env.close()
        return Step(rewards=rewards or {}, done=True, info={str(p): note for p, note in (notes or {}).items()})

    def close(self) -> None:
        pass  # it has been, for its rewards


class Gymnasium(Adapter):
    """``Gymnasium(lambda: gymnasium.make("FrozenLake-v1"))``: one agent, named agent or by its seat. What it earns is the team's."""

    def begin(self, seed: int) -> Sequence[Player]:
        if hasattr(self.env, "possible_agents"):
            raise UsageError(f"Gymnasium takes environments with one agent, and {type(self.env).__name__} is one of PettingZoo: use adapters.PettingZoo")
        self.seen, _ = self.env.reset(seed=seed)
        return ["agent"]

    def apply(self, moves: dict[Player, Any]) -> Step:
        self.seen, reward, terminated, truncated, _ = self.env.step(*moves.values())
        return Step(reward=float(reward), done=bool(terminated or truncated))


def _listed(view: Any) -> Any:
    """An observation as text: that of an array is its list."""
    shown: Any = cast("Mapping[str, Any]", view)["observation"] if isinstance(view, Maps) and "observation" in view else view
    return shown.tolist() if hasattr(shown, "tolist") else shown


def taskset(tasks: Any) -> list[dict[str, Any]]:
    """The tasks of a ``verifiers.v1.Taskset`` as data: ``id``, ``question``, ``system`` where there is one, and every field of their own.

    Tasks that need tools, a container or an end are refused. Their scores are not taken over: give a reward.
    """
    if not tasks.bounded:
        raise UsageError("taskset: it has no end; bound it first, for example with take(1000)")
    return [_row(task) for task in tasks]


def _row(task: Any) -> dict[str, Any]:
    data = task.data
    if task.NEEDS_CONTAINER or data.image or data.skills or type(task).toolsets(task.config):
        raise UsageError(f"taskset: task {task.key} needs tools or a container, which cannot be mapped")
    base: Any = next(c for c in type(data).__mro__ if c.__name__ == "TaskData")
    own = {key: value for key, value in data.model_dump(mode="json").items() if key not in base.model_fields}
    return {"id": str(task.key), "question": data.prompt_text, **({"system": data.system_prompt} if data.system_prompt else {}), **own}
