"""Runs two recipes of tinker-cookbook, unchanged, against `parley serve --tinker`: its supervised example, and tic-tac-toe by self-play.

usage: python cookbook.py --parley FILE [--model DIR] [--games 4] [--updates 2]

--model is a folder in Hugging Face layout: the cookbook reads its tokenizer there, and the server its weights, under one name. Without it, it is the base
that ships, with room for the game's prompts. Nothing is fetched: the conversations that the supervised example learns from are moves of random games, and
the self-play begins with what it learned. https_proxy leads nowhere, because the cookbook would ask a price list on the internet.
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from sdk import Server

SHIPPED = os.path.join(os.path.dirname(__file__), "..", "..", "model", "shipped", "model")
CONTEXT = 4096
os.environ.update(TINKER_TELEMETRY="0", HF_HUB_OFFLINE="1", https_proxy="http://127.0.0.1:9", TOKENIZERS_PARALLELISM="false")


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--parley", required=True)
    args.add_argument("--model")
    args.add_argument("--games", type=int, default=4, help="games of an update")
    args.add_argument("--updates", type=int, default=2)
    args = args.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = args.model or longer(os.path.join(folder, "base"))
        server = Server(os.path.abspath(args.parley), folder, model)
        try:
            play(model, folder, supervised(model, folder), args.games, args.updates)
        finally:
            code = server.stop()
        if code:
            sys.exit("the server ended with %d" % code)


def longer(folder):
    """The base that ships, with a longer context: its positions are computed, not learned."""
    shutil.copytree(SHIPPED, folder)
    path = os.path.join(folder, "config.json")
    with open(path) as f:
        config = json.load(f)
    config["max_position_embeddings"] = CONTEXT
    with open(path, "w") as f:
        json.dump(config, f)
    return folder


def moves(path, games):
    """Writes the moves of random games as conversations."""
    import textarena

    rng = random.Random(1)
    with open(path, "w") as f:
        for number in range(games):
            game = textarena.make(env_id="TicTacToe-v0")
            game.reset(num_players=2, seed=number)
            done, free = False, list(range(9))
            while not done:
                _, seen = game.get_observation()
                move = "[%d]" % free.pop(rng.randrange(len(free)))
                f.write(json.dumps({"messages": [{"role": "user", "content": seen}, {"role": "assistant", "content": move + "\n"}]}) + "\n")
                done, _ = game.step(move)


def supervised(model, folder):
    """The command of the supervised example. Returns the checkpoint that it names."""
    data, log = os.path.join(folder, "moves.jsonl"), os.path.join(folder, "supervised")
    moves(data, 40)
    settings = {"model_name": model, "renderer_name": "role_colon", "dataset": data, "log_path": log, "batch_size": 16, "max_length": 2048}
    settings.update(learning_rate=1e-2, lora_rank=16, num_epochs=2, save_every=20)
    command = [sys.executable, "-m", "tinker_cookbook.recipes.chat_sl.train"] + ["%s=%s" % s for s in settings.items()]
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
    losses = [line["train_mean_nll"] for line in rows(log, "metrics") if "train_mean_nll" in line]
    print("supervised: %d steps, loss %.2f to %.2f" % (len(losses), losses[0], losses[-1]))
    if not losses[-1] < 0.5 * losses[0]:
        sys.exit("it does not learn")
    return rows(log, "checkpoints")[-1]["state_path"]


def play(model, folder, checkpoint, games, updates):
    """Self-play, as the recipe sets it up, from a checkpoint on."""
    import chz
    from tinker_cookbook.recipes.multiplayer_rl.text_arena import train as recipe
    from tinker_cookbook.rl import train

    log, players = os.path.join(folder, "play"), 2 * games
    settings = {"model_name": model, "renderer_name": "role_colon", "log_path": log, "batch_size": players, "num_train_datapoints": players * updates}
    settings.update(num_test_datapoints=4, max_tokens=8, eval_every=updates, save_every=2, learning_rate=1e-3, test_opponent="random")
    config = chz.replace(recipe.build_config(recipe.CLIConfig(**settings)), load_checkpoint_path=checkpoint, lora_rank=16)
    asyncio.run(train.main(config))
    got = [line for line in rows(log, "metrics") if "env/all/reward/total" in line]
    turns = [line["env/all/turns_per_episode"] for line in got]
    gaps = [abs(line["optim/kl_sample_train_v1"]) for line in got if "optim/kl_sample_train_v1" in line]
    print("tic-tac-toe: %d updates of %d games, %.1f moves of a player, reward %.2f to %.2f" % (len(got), games, sum(turns) / len(turns), *(got[i]["env/all/reward/total"] for i in (0, -1))))
    print("what was sampled and what was trained differ by %.2g" % max(gaps))
    if len(got) != updates or not gaps or max(gaps) > 1e-6 or not rows(log, "checkpoints"):
        sys.exit("that is another run than was asked for")


def rows(log, name):
    with open(os.path.join(log, name + ".jsonl")) as f:
        return [json.loads(line) for line in f]


if __name__ == "__main__":
    main()
