"""MAGRPO on TLDR with CoMLRL, beside a run of parley's: the same base, posts in the same order, prompts, settings and rewards.

All of that is read from the folder of the run. Every run of this peer is so many updates; then it leaves its adapters in a folder
of their own, which takes no time that counts.
"""

import importlib.metadata
import json
import os
import pathlib
import random
import subprocess

os.environ.setdefault("WANDB_MODE", "disabled")

import torch
import yaml
from comlrl.trainers.reinforce import MAGRPOConfig, MAGRPOTrainer
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer

import episodes
import torch_model
from common import arguments, serve, timed

args = arguments(run="", base="", dtype="f32", every=1, seed=1, out="", parley="parley", lr=0.0)
torch.set_num_threads(args.threads)
recipe = yaml.safe_load(json.loads(pathlib.Path(args.run, "run.json").read_text())["recipe"])
scorer = subprocess.Popen([args.parley, "reward", "tldr"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def reward(*responses, batch_items=None):
    """parley's own reward, one line a joint action."""
    return [ask({"item": {"prompt": batch_items[0]["post"]}, "responses": texts}) for texts in zip(*responses, strict=True)]


def ask(line):
    scorer.stdin.write(json.dumps(line) + "\n")
    scorer.stdin.flush()
    return json.loads(scorer.stdout.readline())["reward"]


def item(episode):
    """What CoMLRL is given of a problem. Its own tokens of the prompts must be parley's."""
    prompts = [seat["prompt"] for seat in episode["nodes"][0]["agents"]]
    texts = [tokenizer.decode(p) for p in prompts]
    assert [tokenizer(t).input_ids for t in texts] == prompts, "the peer reads other tokens"
    return {"post": episode["problem"]["question"], "prompt0": texts[0], "prompt1": texts[1]}


def configuration():
    sampling, group = recipe["sampling"], recipe["group"]
    assert group["joint"] == "aligned" and not group["normalize"] and recipe["optimizer"]["beta2"] == 0.999
    return MAGRPOConfig(num_agents=2, num_generations=group["size"], max_new_tokens=sampling["max_tokens"], temperature=sampling["temperature"],
                        top_p=sampling["top_p"], top_k=sampling["top_k"], num_turns=1, num_train_epochs=1, eval_interval=0,
                        early_termination_threshold=None, advantage_normalization=False, agent_devices="cpu",
                        agent_learning_rate=args.lr or recipe["optimizer"]["lr"], rollout_buffer_size=recipe["training"]["problems"])


def agent():
    net = AutoModelForCausalLM.from_pretrained(args.base, dtype=torch_model.DTYPES[args.dtype])
    return torch_model.adapted(net, recipe["policies"]["rank"], recipe["policies"]["alpha"])


tokenizer = AutoTokenizer.from_pretrained(args.base)
items = [item(e) for e in episodes.read(args.run)]
# CoMLRL takes a prompt and an answer to end at the first pad, so it is one that no text has. Generation fills rows with the base's own pad all the same.
tokenizer.add_special_tokens({"pad_token": "<|never|>"})


def team(items):
    return MAGRPOTrainer(agents=[agent(), agent()], num_agents=2, tokenizer=[tokenizer] * 2, reward_func=reward,
                         formatters=[lambda item: item["prompt0"], lambda item: item["prompt1"]], train_dataset=Dataset.from_list(items), args=configuration())


team(items[:1]).train()  # what libraries do once must not count
torch.manual_seed(args.seed)
random.seed(args.seed)
trainer = team(items[:1])
done = 0


def run(_):
    global done
    questions = recipe["training"]["problems"]
    trainer.train_dataset = Dataset.from_list(items[done * questions:(done + args.every) * questions])
    seconds = timed(trainer.train)
    done += args.every
    for i, net in enumerate(trainer.agents, start=1):
        net.save_pretrained(pathlib.Path(args.out, f"{done:06d}", f"policy-agent{i}"))
    return {"train": seconds}


serve(run, torch_model.versions(comlrl=importlib.metadata.version("comlrl"), peft=importlib.metadata.version("peft")))
