"""Compares parley's compatibility settings with the published library, CoMLRL, on the same tokens and rewards.

    python check_comlrl.py [--recipes DIR]

parley trains for one update of every recipe in DIR and writes down what it did (see check.py). CoMLRL's own trainer then goes the same way,
from the same adapters: its generation hands out the recorded answers, its reward function the recorded rewards, and everything between
and after is the library's. Losses, gradients and new parameters must agree within 1e-4, relatively.
"""

import argparse
import importlib.metadata
import json
import os
import pathlib
import sys
import tempfile

os.environ.setdefault("WANDB_MODE", "disabled")

import torch
from comlrl.trainers.reinforce import MAGRPOConfig, MAGRPOTrainer
from datasets import Dataset
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

import check
import model
import record


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--recipes", type=pathlib.Path, default=check.HERE / "comlrl", help="folder of recipes")
    args = p.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        check.write_down(args.recipes.resolve(), pathlib.Path(scratch))
        results = [compare(folder) for folder in sorted(pathlib.Path(scratch).iterdir())]
    for r in results:
        print(json.dumps(r))
    return 0 if results and all(r["ok"] for r in results) else 1


def compare(folder):
    r = record.Record(folder, model.Base(check.BASE))
    trainer = Replay(r)
    trainer.train()
    assert not trainer.waiting, "the library made fewer nodes"
    worst = {"loss": 0.0, "gradient": 0.0, "parameters": 0.0}
    ours = {}
    steps = [i for i, c in enumerate(r.calls) if c["kind"] == "step"]
    for i in steps:
        name = r.calls[i]["policy"]
        theirs = trainer.steps[name][ours.setdefault(name, 0)]
        ours[name] += 1
        worst["gradient"] = max(worst["gradient"], check.distance(r.gradient(i, r.calls[i]["adam"]["beta1"]), theirs["gradient"]))
        worst["parameters"] = max(worst["parameters"], check.distance(r.after(i), theirs["parameters"]))
    assert all(len(trainer.steps[name]) == n for name, n in ours.items()), "the library took more steps"
    losses = [loss for name in trainer.steps for loss in trainer.losses[name]]
    # Normalised advantages cancel: what a mean loss of nearly nothing is off by is a share of the losses that it is made of.
    worst["loss"] = abs(r.metrics["policy_loss"] - sum(losses) / len(losses)) / max(map(abs, losses))
    version = importlib.metadata.version("comlrl")
    return {"recipe": r.recipe["name"], "comlrl": version, "steps": len(steps), **worst, "ok": all(w <= check.TOLERANCE for w in worst.values())}


class Replay(MAGRPOTrainer):
    """CoMLRL's trainer over recorded answers and rewards. It visits nodes depth first, as it makes them."""

    def __init__(self, r):
        self.waiting = [(e, n) for e in r.episodes for n in depth_first(e["nodes"])]
        self.names = [s["policy"] for s in r.episodes[0]["nodes"][0]["agents"]]
        self.rewards, self.asked = [], 0
        self.steps, self.losses = {name: [] for name in self.names}, {name: [] for name in self.names}
        group, o = r.recipe["group"], r.recipe["optimizer"]
        assert group["padding"] == "padded" and group["logprobs_at"] == "full" and group["normalize"] and (group["joint"] == "aligned" or group["cross_credit"] == "sum") and group["discount"] == 1
        # One drain, one step a turn: the order of the library's shuffle does not matter.
        everything = len(self.waiting)
        config = MAGRPOConfig(
            num_agents=len(self.names), num_generations=group["size"], num_turns=r.recipe["team"]["turns"], joint_mode=group["joint"],
            agent_learning_rate=o["lr"], num_train_epochs=1, eval_interval=0, early_termination_threshold=None, rollout_buffer_size=everything,
            train_batch_size=everything, agent_devices="cpu", max_new_tokens=r.recipe["sampling"]["max_tokens"])
        tokenizer = AutoTokenizer.from_pretrained(check.BASE)
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
        super().__init__(
            agents=[agent(r.folder / "before" / name) for name in self.names], num_agents=len(self.names), tokenizer=[tokenizer] * len(self.names),
            reward_func=self.recorded_reward, formatters=[lambda item: "" for _ in self.names], train_dataset=Dataset.from_list([{"prompt": ""}] * len(r.episodes)),
            external_transition=lambda **_: [""] * len(self.names), args=config)
        for optimizer in self.optimizers:
            optimizer.param_groups[0].update(betas=(o["beta1"], o["beta2"]), eps=o["eps"], weight_decay=o["weight_decay"])

    def _generate_completions_with_external_prompts(self, agent, batch_items, agent_idx=0, **kwargs):
        if agent_idx == 0:
            self.node = self.waiting.pop(0)[1]
            self.rewards = list(self.node["rewards"])
        seat = self.node["agents"][agent_idx]
        rows = [c["tokens"] for c in seat["completions"]]
        longest = max(map(len, rows))
        padded = [torch.tensor(row + [self.tokenizers[agent_idx].pad_token_id] * (longest - len(row))) for row in rows]
        return {"prompts": [""], "batch_items": batch_items, "prompt_input_ids": torch.tensor([seat["prompt"]]),
                "completions": [[c["text"] for c in seat["completions"]]], "completion_input_ids": [padded], "reference_kls": []}

    def recorded_reward(self, *completions, batch_items=None):
        """Rewards in the order of joint actions, which is the library's too."""
        return [self.rewards.pop(0) for _ in completions[0]]

    def _compute_loss_with_gradients(self, agent, completions_data, returns):
        loss = super()._compute_loss_with_gradients(agent, completions_data, returns)
        self.parts.append(loss.item())
        return loss

    def _update_from_samples(self, agent_idx, samples):
        """One step; its mean loss, gradient and result are kept."""
        self.parts = []
        super()._update_from_samples(agent_idx, samples)
        name, parameters = self.names[agent_idx], adapter(self.agents[agent_idx])
        self.losses[name].append(sum(self.parts) / len(self.parts))
        self.steps[name].append({"gradient": {n: p.grad.double().clone() for n, p in parameters.items()},
                                 "parameters": {n: p.detach().double().clone() for n, p in parameters.items()}})


def agent(folder):
    net = AutoModelForCausalLM.from_pretrained(check.BASE, dtype=torch.float32, attn_implementation="eager")
    return PeftModel.from_pretrained(net, folder, is_trainable=True)


def adapter(agent):
    """The adapter's parameters, by the names of its file."""
    return {name.replace(".default", ""): p for name, p in agent.named_parameters() if "lora_" in name}


def depth_first(nodes, at=0):
    yield nodes[at]
    children = sorted((n["parent_action"], i) for i, n in enumerate(nodes) if n["parent"] == at)
    for _, i in children:
        yield from depth_first(nodes, i)


if __name__ == "__main__":
    sys.exit(main())
