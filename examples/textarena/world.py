"""Games of TextArena for two, in turns. An item names the game and its seed."""
import textarena

PLAYERS = ["first", "second"]


def turn(game):
    player, text = game.get_observation()
    seen = {PLAYERS[player]: text.strip() + "\nYour turn.", PLAYERS[1 - player]: "The other one is to move."}
    return {"state": (game, PLAYERS[player]), "observations": seen}


def reset(item):
    game = textarena.make(item["game"])
    game.reset(num_players=2, seed=item["seed"])
    return turn(game)


def step(state, actions):
    game, player = state
    done, _ = game.step(actions[player])
    if not done:
        return turn(game)
    rewards, _ = game.close()  # by the number of the player
    return {"state": None, "observations": "The game is over.", "rewards": {PLAYERS[i]: paid for i, paid in rewards.items()}, "done": True}
