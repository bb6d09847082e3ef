"""Checks adapters both ways, and merged checkpoints, against transformers and peft on tiny checkpoints of every architecture.

    python check_goldens.py --parley ./parley --models DIR [NAME...]

For each checkpoint in DIR:
  out     parley trains a team for two updates and exports its adapters and merged checkpoints; peft and transformers load
          them and give the log-probabilities that parley gives.
  in      peft makes adapters in many ways; parley gives their log-probabilities.
  refused peft makes adapters that are more than low-rank products; parley names the field.

Prints one JSON object per checkpoint and exits with 1 where one is off by more than 1e-4, or where an adapter changes too
little to prove anything.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import check_peft as check

TOLERANCE = 1e-4
# The spread of made adapters: they move log-probabilities by 2 and more. At 0.2 single tokens are so ill-conditioned that two right
# programs in float32, PyTorch among them, are 2e-4 apart, on one CPU and not on the next; here they are at most 4e-5 apart.
SPREAD = 0.1
# Nothing here can be learned: random models are rewarded for not repeating themselves, which moves their adapters.
RECIPE = """
name: NAME
model: MODEL
task: {name: sums, train: 50}
team: {turns: 1, prompts: {first: 'Add up.', later: 'Once more.'}}
reward: {penalties: {no_box: false, min_tokens: 0, repeats: 1, repeat_min: 1}}
ppo: {epochs: 1, minibatches: 1}
training: {problems: 24, updates: 2}
optimizer: {lr: 0.05, warmup: 0}
sampling: {max_tokens: 24, temperature: 1}
policies: {sharing: per-agent, rank: 4}
eval: {problems: 2, examples: 0}
"""


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--parley", default="parley", help="the program")
    p.add_argument("--models", required=True, type=pathlib.Path, help="folder with checkpoints")
    p.add_argument("names", nargs="*", metavar="NAME", help="checkpoints; all where none is given")
    args = p.parse_args()
    args.parley = str(pathlib.Path(args.parley).resolve())
    names = args.names or sorted(d.name for d in args.models.iterdir() if d.is_dir())
    bad = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            case = Case(args.parley, name, args.models / name, pathlib.Path(scratch) / name)
            case.outward()
            case.inward()
            case.refused()
            bad += case.bad
            print(json.dumps({"model": name, "comparisons": case.comparisons, "worst": case.worst, "bad": case.bad}), flush=True)
    return 1 if bad or not names else 0


class Case:
    """One checkpoint, copied to a scratch folder and given a tokenizer."""

    def __init__(self, program, name, source, scratch):
        self.parley, self.name, self.scratch, self.bad = program, name, scratch, []
        self.comparisons, self.worst = 0, 0.0
        self.model = scratch / "base"
        shutil.copytree(source, self.model)
        for path in self.model.iterdir():
            path.chmod(0o644)
        self.config = json.loads((self.model / "config.json").read_text())
        if not (self.model / "tokenizer.json").exists():
            write_tokenizer(self.model, self.config["vocab_size"])
        self.sequences = check.draw(self.config, 8, seed=len(name))
        self.plain = check.reference(self.model, None, self.sequences)

    def compare(self, what, ours, theirs, effect_needed=True):
        error, effect = check.distance(ours, theirs), check.distance(theirs, self.plain)
        good = error <= TOLERANCE and (effect > 10 * TOLERANCE or not effect_needed)
        self.comparisons, self.worst = self.comparisons + 1, max(self.worst, error)
        if not good:
            self.bad.append(f"{self.name}: {what}: error {error:.2g}, effect {effect:.2g}")

    def run(self, *arguments, code=0):
        done = subprocess.run([self.parley, *map(str, arguments)], cwd=self.scratch, capture_output=True, text=True)
        if done.returncode != code:
            sys.exit(f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}")
        return done

    def score(self, model, adapter=None):
        return check.parley(self.parley, model, adapter, self.sequences)

    def outward(self):
        recipe = self.scratch / "recipe.yaml"
        recipe.write_text(RECIPE.replace("NAME", self.name).replace("MODEL", str(self.model)))
        self.run("train", recipe, "--out", "run")
        self.run("run", "export", "run", "--out", "adapters")
        self.run("run", "export", "run", "--out", "merged", "--merged", "--dtype", "f32")
        self.run("run", "export", "run", "--out", "stored", "--merged", "--policy", "policy-agent1")
        for adapter in sorted((self.scratch / "adapters").iterdir()):
            ours, merged = self.score(self.model, adapter), self.scratch / "merged" / adapter.name
            self.compare(f"peft loads {adapter.name}", ours, check.reference(self.model, adapter, self.sequences))
            theirs = check.reference(merged, None, self.sequences)
            self.compare(f"transformers loads {adapter.name} merged", ours, theirs)
            self.compare(f"parley loads {adapter.name} merged", self.score(merged), theirs)
        stored = self.scratch / "stored" / "policy-agent1"
        self.compare("merged as the base is stored", self.score(stored), check.reference(stored, None, self.sequences))
        self.check_tokenizer(stored)

    def check_tokenizer(self, folder):
        from transformers import AutoTokenizer

        text = "Add up: 1 + 2."
        theirs = AutoTokenizer.from_pretrained(folder)(text, add_special_tokens=False)["input_ids"]
        line = subprocess.run([self.parley, "model", "tokenize", folder], input=json.dumps({"text": text}), capture_output=True, text=True, check=True)
        if json.loads(line.stdout)["ids"] != theirs:
            self.bad.append(f"{self.name}: the merged checkpoint's tokenizer")

    def inward(self):
        for what, settings in adapters(self.config).items():
            folder = self.scratch / "in" / what.replace(" ", "-")
            order = settings.pop("file_order", False)
            make_adapter(self.model, folder, settings, order)
            self.compare(f"parley loads {what}", self.score(self.model, folder), check.reference(self.model, folder, self.sequences))

    def refused(self):
        for field, settings in {
            "use_dora": {"use_dora": True}, "bias": {"bias": "all"}, "modules_to_save": {"modules_to_save": ["norm"]},
            "lm_head": {"target_modules": ["lm_head", "o_proj"]}, "init_lora_weights": {"init_lora_weights": "olora"},
        }.items():
            if field == "lm_head" and self.config.get("tie_word_embeddings"):
                continue
            folder = self.scratch / "refused" / field
            make_adapter(self.model, folder, {"target_modules": ["o_proj"], **settings})
            done = subprocess.run([self.parley, "model", "score", self.model, "--adapter", folder], input="", capture_output=True, text=True)
            if done.returncode != 2 or field not in done.stderr:
                self.bad.append(f"{self.name}: {field} is not refused by name: {done.stderr}")


def adapters(config):
    """Settings of peft's LoraConfig under which it makes plain low-rank products."""
    fused = config["model_type"] == "phi3"
    first, up = ("qkv_proj", "gate_up_proj") if fused else ("q_proj", "up_proj")
    some = [first, up, "o_proj"]
    return {
        "a plain adapter": {"target_modules": some},
        "rsLoRA": {"target_modules": some, "use_rslora": True},
        "ranks and alphas of modules": {"target_modules": some, "rank_pattern": {up: 2, rf"layers\.1\.self_attn\.{first}": 6},
                                        "alpha_pattern": {"o_proj": 3, "layers.0.*": 5}},
        "patterns in the file's order": {"target_modules": some, "rank_pattern": {rf"self_attn\.{first}": 6, rf"layers\.0\..*": 2, first: 3},
                                         "file_order": True},
        "rsLoRA with patterns": {"target_modules": [first], "use_rslora": True, "rank_pattern": {first: 5}, "alpha_pattern": {first: 2}},
        "an expression": {"target_modules": rf".*\.(self_attn\.o_proj|mlp\.{up})"},
        "all linear layers": {"target_modules": "all-linear"},
        "one layer": {"target_modules": some, "layers_to_transform": [1], "layers_pattern": "layers"},
        "all but some": {"target_modules": "all-linear", "exclude_modules": ["o_proj", up]},
        "full names": {"target_modules": [f"model.layers.0.self_attn.{first}", "layers.1.mlp.down_proj"]},
        "gaussian beginnings": {"target_modules": some, "init_lora_weights": "gaussian", "lora_dropout": 0.1},
    }


def make_adapter(model, folder, settings, file_order=False):
    """Saves an adapter with random A and B. peft sorts the keys of what it saves; with file_order they are put back."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    torch.manual_seed(7)
    net = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
    net = get_peft_model(net, LoraConfig(r=4, lora_alpha=8, task_type="CAUSAL_LM", **settings))
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if "lora_" in name:
                parameter.normal_(std=SPREAD)
    net.save_pretrained(folder)
    if file_order:
        path = folder / "adapter_config.json"
        config = json.loads(path.read_text())
        config["rank_pattern"] = settings["rank_pattern"]
        path.write_text(json.dumps(config))


def write_tokenizer(folder, vocabulary):
    """A tokenizer of single characters for checkpoints that have none."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    tokens = [chr(c) for c in range(33, 127)] + ["Ġ", "Ċ"]
    tokens += [f"<{i}>" for i in range(len(tokens), vocabulary)]
    tokenizer = Tokenizer(models.BPE({t: i for i, t in enumerate(tokens)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))


if __name__ == "__main__":
    sys.exit(main())
