"""Checks that what parley exports is what it trained: in llama.cpp, transformers and peft.

    python check_export.py --parley ./parley --shipped model/shipped/model --docs docs/export.md [--models DIR]

  shipped  a team is trained over the shipped base, in float32 and in nf4, and exported in all forms. Log-probabilities of the team's
           held-out answers are compared with the policy's, as `parley model score` has them.
  families for each checkpoint in DIR, and for tiny ones of the families that transformers makes here: a team is trained over it; llama.cpp loads the merged model, and the adapter over the base.
  over     a team is trained over a GGUF file, and exported as one again.
  docs     the Python of docs/export.md runs over a run of debate-sums.

Prints one JSON object for each comparison and exits with 1 where one is off, or where an adapter changes too little to prove anything.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peft"))
import check_goldens  # noqa: E402
import check_peft  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "families"))
import tiny  # noqa: E402

RECIPE = check_goldens.RECIPE.replace("lr: 0.05", "lr: 0.02").replace("eval: {problems: 2", "eval: {problems: 8")
POLICY = "policy-agent1"
# How far the mean distance of log-probabilities, and the greatest, may be. llama.cpp rounds what it multiplies with weights of 16 and 8 bits.
BOUNDS = {"f32": (1e-5, 1e-4), "f16": (5e-3, 0.1), "bf16": (0.05, 1), "q8_0": (0.1, 2)}
GELU = (5e-3, 0.05)  # of Gemma: llama.cpp takes its activation from a table of 16 bits


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--parley", default="parley", help="the program")
    p.add_argument("--shipped", required=True, type=pathlib.Path, help="the folder of the shipped base")
    p.add_argument("--docs", type=pathlib.Path, help="the document whose Python is run")
    p.add_argument("--models", type=pathlib.Path, help="folder with checkpoints of all families")
    args = p.parse_args()
    check = Check(str(pathlib.Path(args.parley).resolve()))
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        check.shipped(scratch / "shipped", args.shipped.resolve())
        check.over(scratch / "over")
        for folder in made(scratch / "made") + (sorted(d for d in args.models.iterdir() if d.is_dir()) if args.models else []):
            check.family(scratch / folder.name, folder)
        if args.docs:
            check.docs(scratch / "docs", args.docs.resolve(), args.shipped.resolve())
    return 1 if check.bad else 0


class Check:
    def __init__(self, program):
        self.parley, self.bad = program, 0

    def run(self, *arguments, cwd, stdin=None):
        done = subprocess.run([self.parley, *map(str, arguments)], cwd=cwd, input=stdin, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"parley {' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    def compare(self, what, theirs, ours, bounds):
        """Prints how far two lists of lists of log-probabilities are from each other."""
        d = np.concatenate([np.abs(np.array(a) - np.array(b)) for a, b in zip(theirs, ours, strict=True)])
        good = bool(d.mean() <= bounds[0] and d.max() <= bounds[1])
        self.report(good, {"what": what, "tokens": len(d), "mean": float(d.mean()), "max": float(d.max())})

    def report(self, good, line):
        self.bad += not good
        print(json.dumps({**line, "good": good}), flush=True)

    def score(self, model, sequences, *arguments, cwd):
        lines = "".join(json.dumps({"ids": ids}) + "\n" for ids in sequences)
        out = self.run("model", "score", model, *arguments, cwd=cwd, stdin=lines)
        return [json.loads(line)["logprobs"][1:] for line in out.splitlines()]

    def train(self, folder, model, *arguments):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "recipe.yaml").write_text(RECIPE.replace("NAME", "export").replace("MODEL", str(model)))
        self.run("train", "recipe.yaml", "--out", "run", *arguments, cwd=folder)

    def answers(self, folder):
        """The held-out answers of the policy with their prompts."""
        text = next((folder / "run" / "evaluation").glob("trained-*.json")).read_text()
        return [a["prompt"] + a["tokens"] for a in json.loads(text)["answers"] if a["policy"] == POLICY]

    def shipped(self, folder, base):
        for held in "f32", "nf4":
            here = folder / held
            self.train(here, "parley-base", "--set", f"engine.dtype={held}")
            self.run("run", "export", "run", "--out", "peft", cwd=here)
            self.run("run", "export", "run", "--out", "merged", "--merged", "--dtype", "f32", cwd=here)
            sequences = self.answers(here)
            policy = self.score("parley-base", sequences, "--adapter", f"peft/{POLICY}", "--dtype", held, cwd=here)
            merged = self.score(f"merged/{POLICY}", sequences, cwd=here)
            if held == "nf4":  # products of bfloat16 lie between the two
                self.compare("nf4: merged against the policy", merged, policy, (0.02, 0.5))
                policy = merged
            else:
                untrained = self.score("parley-base", sequences, cwd=here)
                self.report(check_peft.distance(untrained, policy) > 0.1, {"what": "training changes log-probabilities"})
                self.compare("f32: peft", check_peft.reference(base, here / "peft" / POLICY, sequences), policy, BOUNDS["f32"])
            self.compare(f"{held}: transformers, merged", check_peft.reference(here / "merged" / POLICY, None, sequences), policy, BOUNDS["f32"])
            self.gguf(here, held, sequences, policy)

    def gguf(self, here, held, sequences, policy):
        for kind, bounds in BOUNDS.items():
            self.run("run", "export", "run", "--out", kind, "--gguf", "--with-base", "--dtype", kind, cwd=here)
            self.compare(f"{held}: llama.cpp, model {kind}", llama(here / kind / POLICY / "model.gguf", sequences), policy, bounds)
            if held == "f32":
                theirs = llama(here / kind / "base.gguf", sequences, here / kind / POLICY / "adapter.gguf")
                self.compare(f"{held}: llama.cpp, adapter over base {kind}", theirs, policy, bounds)
        self.words(here / "f16" / POLICY / "model.gguf")

    def words(self, file):
        """llama.cpp cuts texts into the tokens that parley does, and ends answers where it does."""
        from llama_cpp import Llama, llama_model_get_vocab, llama_vocab_is_eog

        model = Llama(str(file), vocab_only=True, verbose=False)
        texts = ["<|user|>What is 12 + 345?<|end|><|assistant|>", "it's  3.5, isn't it?\n\n  é 漢 🙂\t1234567"]
        lines = "".join(json.dumps({"text": t}) + "\n" for t in texts)
        ours = [json.loads(line)["ids"] for line in self.run("model", "tokenize", "parley-base", cwd=file.parent, stdin=lines).splitlines()]
        theirs = [model.tokenize(t.encode(), add_bos=False, special=True) for t in texts]
        end = model.tokenize(b"<|end|>", add_bos=False, special=True)
        ends = len(end) == 1 and llama_vocab_is_eog(llama_model_get_vocab(model.model), end[0])
        self.report(ours == theirs and ends, {"what": "llama.cpp, tokens", "texts": len(texts)})

    def over(self, folder):
        """A team over a GGUF file."""
        folder.mkdir(parents=True)
        self.run("train", write(folder / "first.yaml", RECIPE.replace("NAME", "first").replace("MODEL", "parley-base")), "--out", "first", cwd=folder)
        self.run("run", "export", "first", "--out", "first-gguf", "--gguf", "--with-base", "--dtype", "q8_0", cwd=folder)
        base = folder / "first-gguf" / "base.gguf"
        self.train(folder, base)
        self.run("run", "export", "run", "--out", "adapters", "--base-name", "org/model", cwd=folder)
        self.run("run", "export", "run", "--out", "gguf", "--gguf", "--dtype", "f32", cwd=folder)
        sequences = self.answers(folder)
        policy = self.score(base, sequences, "--adapter", f"adapters/{POLICY}", cwd=folder)
        self.compare("over a GGUF file: llama.cpp, model f32", llama(folder / "gguf" / POLICY / "model.gguf", sequences), policy, BOUNDS["f32"])
        theirs = llama(base, sequences, folder / "gguf" / POLICY / "adapter.gguf")
        self.compare("over a GGUF file: llama.cpp, adapter over it", theirs, policy, BOUNDS["q8_0"])

    def family(self, folder, source):
        model = folder / "base"
        shutil.copytree(source, model)
        for path in model.iterdir():
            path.chmod(0o644)
        config = json.loads((model / "config.json").read_text())
        constants(config)
        (model / "config.json").write_text(json.dumps(config))
        if not (model / "tokenizer.json").exists():
            check_goldens.write_tokenizer(model, config["vocab_size"])
        self.train(folder, model)
        self.run("run", "export", "run", "--out", "adapters", cwd=folder)
        self.run("run", "export", "run", "--out", "gguf", "--gguf", "--with-base", "--dtype", "f32", "--policy", POLICY, cwd=folder)
        sequences = fitting(config, check_peft.draw(config, 24, seed=7))
        policy = self.score(model, sequences, "--adapter", f"adapters/{POLICY}", cwd=folder)
        bounds = GELU if config["model_type"].startswith("gemma") else BOUNDS["f32"]
        self.compare(f"{source.name}: llama.cpp, model", llama(folder / "gguf" / POLICY / "model.gguf", sequences), policy, bounds)
        theirs = llama(folder / "gguf" / "base.gguf", sequences, folder / "gguf" / POLICY / "adapter.gguf")
        self.compare(f"{source.name}: llama.cpp, adapter over base", theirs, policy, bounds)

    def docs(self, folder, document, base):
        """Runs the Python of a document, one block after another, beside what its commands export."""
        folder.mkdir()
        (folder / "MODEL").symlink_to(base)
        self.run("train", "debate-sums", "--max-updates", "1", "--set", "eval.problems=4", "--set", "training.problems=4",
                 "--set", "eval.baselines=[]", "--out", "runs/debate-sums-s1", cwd=folder)
        text = document.read_text()
        for command in re.findall(r"^parley (run export .*)$", text, re.MULTILINE):
            self.run(*command.split(), cwd=folder)
        for code in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
            first = code.strip().splitlines()[0]
            self.report(done.returncode == 0, {"what": f"{document.name}: {first}", **({} if done.returncode == 0 else {"error": done.stderr[-1500:]})})


def made(folder):
    """Tiny checkpoints with multipliers, capped logits, norms after blocks, and YaRN."""
    wide = {"vocab_size": 128, "hidden_size": 32}  # room for the tokens of check_goldens.write_tokenizer
    yarn = {k: v for k, v in tiny.YARN.items() if not k.startswith("beta")}  # llama.cpp has its own
    configs = {
        "gemma2": tiny.family("gemma2", **wide),
        "granite": tiny.family("granite", **wide),
        "olmo2": tiny.family("olmo2", **wide),
        "yarn": tiny.family("qwen3", **wide, rope_scaling=yarn | {"attention_factor": 1.2}),
        "granite-yarn": tiny.family("granite", **wide, rope_scaling=yarn),
    }
    for seed, (name, config) in enumerate(configs.items()):
        tiny.write(tiny.build(folder / name, config, seed), folder / name)
    return [folder / name for name in configs]


def write(path, text):
    path.write_text(text)
    return path


def constants(config):
    """Sets what GGUF files have no place for to what llama.cpp takes it for."""
    if config["model_type"] == "smollm3":
        config.pop("no_rope_layers", None)
        config["no_rope_layer_interval"] = 4
    if config["model_type"] == "gemma3_text":
        config.pop("layer_types", None)
        config.update(sliding_window_pattern=6, query_pre_attn_scalar=config["head_dim"])
    if config["model_type"] == "gemma2":
        config["query_pre_attn_scalar"] = config["head_dim"]


def fitting(config, sequences):
    """The sequences that llama.cpp computes as the model does: it has no windows of Mistral and Phi-3, and takes Phi-4-mini's long factors for all."""
    window = config.get("sliding_window")
    if window and config["model_type"] in ("mistral", "phi3") and window < 64:
        return [ids[:window] for ids in sequences]
    if (config.get("rope_scaling") or {}).get("type") == "longrope":
        return [ids for ids in sequences if len(ids) > config["original_max_position_embeddings"]]
    return sequences


def llama(file, sequences, adapter=None):
    """Log-probabilities of all tokens but the first of each sequence, as llama.cpp has them."""
    from llama_cpp import Llama

    model = Llama(str(file), lora_path=adapter and str(adapter), n_ctx=512, n_batch=512, logits_all=True, type_k=0, type_v=0, verbose=False)
    result = []
    for ids in sequences:
        model.reset()
        model.eval(ids)
        scores = np.array(model.scores[: len(ids)], dtype=np.float64)
        scores -= scores.max(-1, keepdims=True)
        scores -= np.log(np.exp(scores).sum(-1, keepdims=True))
        result.append([float(scores[i, token]) for i, token in enumerate(ids[1:])])
    return result


if __name__ == "__main__":
    sys.exit(main())
