"""One step of MAGRPO with CoMLRL: every agent is a model of its own, samples a group of completions and is trained on it.

With --full all parameters are trained, which is how CoMLRL's users run it; else the agents are PEFT models that are handed in.
"""

import importlib.metadata
import os

os.environ.setdefault("WANDB_MODE", "disabled")

import torch
from comlrl.trainers.reinforce import MAGRPOConfig, MAGRPOTrainer
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

import torch_model
from common import SHAPES, arguments, serve, timed

args = arguments(model="tiny", dtype="f32", agents=2, group=4, prompt=128, new=128, rank=8, full=False)
torch.set_num_threads(args.threads)
vocabulary = SHAPES[args.model]["vocab_size"]


def words_tokenizer():
    """A tokenizer of one token a word, so that a prompt has as many tokens as words. The last ids are special."""
    words = {f"w{i}": i for i in range(vocabulary - 2)}
    words.update({"<eos>": vocabulary - 2, "<pad>": vocabulary - 1})
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>", pad_token="<pad>")


def agent():
    return torch_model.base(args.model, args.dtype) if args.full else torch_model.lora(args.model, args.dtype, args.rank)


def rewards(*completions, batch_items=None):
    return [float(i) for i in range(len(completions[0]))]


config = MAGRPOConfig(num_agents=args.agents, num_generations=args.group, max_new_tokens=args.new, num_turns=1, num_train_epochs=1,
                      temperature=1.0, top_p=1.0, top_k=0, eval_interval=0, early_termination_threshold=None,
                      agent_devices="cpu")
tokenizer = words_tokenizer()
agents = [agent() for _ in range(args.agents)]


def prompt(rng):
    return " ".join(f"w{rng.randrange(vocabulary - 2)}" for _ in range(args.prompt))


trainer = MAGRPOTrainer(agents=agents, num_agents=args.agents, tokenizer=[tokenizer] * args.agents, reward_func=rewards,
                        formatters=[lambda item, i=i: item[f"prompt{i}"] for i in range(args.agents)],
                        train_dataset=Dataset.from_list([{"prompt": ""}]), args=config)


def run(rng):
    trainer.train_dataset = Dataset.from_list([{f"prompt{i}": prompt(rng) for i in range(args.agents)}])
    return {"step": timed(lambda: trainer.train(min_new_tokens=args.new))}


serve(run, torch_model.versions(comlrl=importlib.metadata.version("comlrl"), peft=importlib.metadata.version("peft")))
