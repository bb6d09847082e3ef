"""Renders conversations with chat templates in transformers and in parley, and compares the texts byte for byte.

    python check.py --parley ./parley [--goldens FOLDER] [--random N] [--verbose] [NAME...]

The templates are those of written.py, each with all conversations of conversations.py; expressions, each in a template of its own; N
templates that are drawn at random; and those of a folder of goldens, with the goldens' own conversations too. What transformers rejects
parley must reject: with the same words where these are the template's own. What parley does not support (unsupported.py) it must refuse,
and other templates it must not. Templates that are drawn may be refused for any reason; where both print a text it must be the same.

Prints what is off and a summary, and exits with 1 where something is off. NAME picks templates by the beginning of their names.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["TRANSFORMERS_VERBOSITY"] = "error"

import jinja2
from transformers.utils import chat_template_utils

import conversations
import drawn
import written
from unsupported import UNSUPPORTED

NOW = datetime.datetime(2026, 7, 14, 9, 5, 3)
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}
NO_TEMPLATE = 2  # the exit code of a model whose template cannot be parsed


class Clock(datetime.datetime):
    """What templates see of the time."""

    @classmethod
    def now(cls, tz=None):
        return NOW


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--parley", required=True, help="the program")
    p.add_argument("--goldens", metavar="FOLDER", help="templates and conversations of published models")
    p.add_argument("--random", type=int, default=0, metavar="N", help="draw N templates too")
    p.add_argument("--seed", type=int, default=1, help="of the templates that are drawn")
    p.add_argument("--verbose", action="store_true", help="print every template that parley refuses")
    p.add_argument("names", nargs="*", metavar="NAME", help="templates; all where none is given")
    args = p.parse_args()
    chat_template_utils.datetime = Clock
    every = list(cases(args))
    chosen = [c for c in every if not args.names or any(c.name.startswith(n) for n in args.names)]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(ask, args.parley, c, pathlib.Path(scratch) / str(i)) for i, c in enumerate(chosen)]
        results = [compare(c, reference(c), answers.result()) for c, answers in zip(chosen, asked)]
    bad = [line for r in results for line in r.bad]
    for line in brief(bad) + [r.refused for r in results if args.verbose and r.refused]:
        print(json.dumps(line, ensure_ascii=False))
    print(json.dumps({"templates": len(results), "texts": sum(r.texts for r in results), "rejected by both": sum(r.rejected for r in results), "refused": sum(bool(r.refused) for r in results), "bad": len(bad)}))
    return 1 if bad or not results else 0


def brief(bad):
    """The first of what is off with each template."""
    first = {}
    for line in bad:
        first.setdefault(line["template"], line | {"off": 0})["off"] += 1
    return list(first.values())


class Case:
    """A template and what it is tried on; free: parley may refuse it for any reason."""

    def __init__(self, name, template, inputs, tokens=TOKENS, free=False):
        self.name, self.template, self.inputs, self.tokens, self.free = name, template, inputs, tokens, free


def cases(args):
    inputs = list(conversations.every())
    for name, template in written.TEMPLATES.items():
        yield Case(name, template, inputs)
    for name, template in written.snippets():
        yield Case(name, template, inputs[4:5])
    for i, template in enumerate(drawn.templates(args.random, args.seed)):
        yield Case(f"drawn {i + 1}", template, inputs[:: len(inputs) // 12], free=True)
    if not args.goldens:
        return
    folder = pathlib.Path(args.goldens)
    for name, entry in json.loads((folder / "index.json").read_text()).items():
        own = [json.loads(line) for line in (folder / "cases" / f"{name}.jsonl").read_text().splitlines()]
        own = [(c["name"], {k: c[k] for k in ("messages", "tools", "add_generation_prompt", "continue_final_message")} | c["kwargs"]) for c in own]
        yield Case(name, (folder / "templates" / f"{name}.jinja").read_text(), inputs + own, entry["variables"])


def reference(case):
    """What transformers makes of the inputs: texts, or errors with whether the template itself has raised them."""
    answers = []
    for _, given in case.inputs:
        given = case.tokens | given
        try:
            texts, _ = chat_template_utils.render_jinja_template([given.pop("messages")], chat_template=case.template, **given)
            answers.append((texts[0], None, False))
        except jinja2.exceptions.TemplateError as e:
            answers.append((None, str(e), type(e) is jinja2.exceptions.TemplateError))
        except Exception as e:
            answers.append((None, f"{type(e).__name__}: {e}", False))
    return answers


def ask(parley, case, folder):
    """What parley makes of the inputs; a string: why it does not take the template."""
    folder.mkdir()
    (folder / "chat_template.jinja").write_text(case.template)
    (folder / "tokenizer_config.json").write_text(json.dumps(case.tokens))
    lines = "".join(json.dumps(given) + "\n" for _, given in case.inputs)
    done = subprocess.run([parley, "model", "render", folder, "--now", NOW.isoformat()], input=lines, capture_output=True, text=True)
    if done.returncode == NO_TEMPLATE and not done.stdout:
        return done.stderr.strip()
    done.check_returncode()
    return [json.loads(line) for line in done.stdout.splitlines()]


class Result:
    def __init__(self):
        self.texts, self.rejected, self.refused, self.bad = 0, 0, None, []


def compare(case, wanted, got):
    r = Result()

    def off(i, **what):
        r.bad.append({"template": case.name, "source": case.template if case.free else None, "conversation": case.inputs[i][0]} | what)

    refused = got if isinstance(got, str) else next((g["error"] for g in got if "error" in g and any(u in g["error"] for u in UNSUPPORTED)), None)
    if refused is not None and any(text is not None for text, _, _ in wanted):
        r.refused = {"template": case.name, "refused": refused}
        if not case.free and not any(u in refused for u in UNSUPPORTED):
            off(0, refused=refused)
    if isinstance(got, str):
        r.rejected += sum(text is None for text, _, _ in wanted)
        return r
    if len(got) != len(wanted):
        off(0, answers=len(got), inputs=len(wanted))
        return r
    for i, ((text, error, own), g) in enumerate(zip(wanted, got)):
        if text is None and "error" not in g:
            off(i, transformers=error, parley=g["text"])
        elif text is None:
            r.rejected += 1
            if own and not g["error"].endswith(error):
                off(i, transformers=error, parley=g["error"])
        elif "error" in g:
            if r.refused is None and not case.free:
                off(i, transformers=text, refused=g["error"])
            elif r.refused is None:
                r.refused = {"template": case.name, "source": case.template, "refused": g["error"]}
        else:
            r.texts += 1
            if g["text"] != text:
                off(i, transformers=text, parley=g["text"])
    return r


if __name__ == "__main__":
    sys.exit(main())
