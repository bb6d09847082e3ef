"""Frameworks of agents against `parley serve`: types, tools and choices. Weak models say nothing sensible: what counts is that it always has its form.

    python3 bench/serving/frameworks.py --parley ./parley --model SmolLM2-135M-Instruct.Q4_1.gguf
"""
import argparse
import asyncio
import contextlib
import json
import math
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
from typing import Annotated, Literal

import openai
import pydantic

from clients import served

SHIPPED = pathlib.Path(__file__).parents[2] / "model/shipped/model"
TEMPLATE = """
{%- if tools %}<|user|>Functions:
{% for t in tools %}{{ t | tojson }}
{% endfor %}Call one so: <tool_call>{"name": NAME, "arguments": OBJECT}</tool_call><|end|>{% endif %}
{%- for m in messages %}
{%- if m.role == 'assistant' %}<|assistant|>{{ m.content or '' }}
{%- for c in m.tool_calls or [] %}<tool_call>
{"name": {{ c.function.name | tojson }}, "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}
{%- elif m.role == 'tool' %}<|user|><tool_response>
{{ m.content }}
</tool_response>
{%- else %}<|user|>{{ m.content }}{% endif %}<|end|>
{%- endfor %}
{%- if add_generation_prompt %}<|assistant|>{% endif %}"""
ASKED = "What is 2 + 3?"
MESSAGES = [{"role": "user", "content": ASKED}]
Small = Annotated[int, pydantic.Field(ge=0, le=99)]


class Step(pydantic.BaseModel):
    operation: Literal["add", "subtract"]
    by: Small


class Sum(pydantic.BaseModel):
    """A sum. Who makes one has checked that it is within all bounds."""

    value: int = pydantic.Field(ge=0, le=999)
    sure: bool
    steps: Annotated[list[Step], pydantic.Field(max_length=2)]
    note: str | None = pydantic.Field(max_length=12)


class Object(pydantic.BaseModel, extra="allow"):
    """Any object: what is asked for where a client describes a schema in the prompt alone."""


class Adder:
    """A tool, and what it was called with."""

    def __init__(self):
        self.calls = []

    def add(self, a: Small, b: Small) -> int:
        """Adds two numbers.

        Args:
            a: one number
            b: another number
        """
        self.calls.append((a, b))
        return a + b

    def check(self):
        assert self.calls and all(0 <= n <= 99 for call in self.calls for n in call), self.calls


def openai_python(url, key, model):
    client = openai.OpenAI(base_url=url, api_key=key, max_retries=0)
    chat, tool = client.chat.completions, openai.pydantic_function_tool(Sum)
    flat = {"type": "function", **tool["function"]}
    forms = [{"response_format": Sum}, {"tools": [tool], "tool_choice": "required"}, {"tools": [tool], "tool_choice": {"type": "function", "function": {"name": "Sum"}}}]
    for form in forms:
        whole = chat.parse(model=model, messages=MESSAGES, seed=1, **form).choices[0].message
        with chat.stream(model=model, messages=MESSAGES, seed=1, **form) as stream:
            kinds = {event.type for event in stream}
            streamed = stream.get_final_completion().choices[0].message
        if "tools" in form:
            assert "tool_calls.function.arguments.delta" in kinds and not whole.content and not streamed.content
            whole, streamed = (m.tool_calls[0].function.parsed_arguments for m in (whole, streamed))
        else:
            assert "content.delta" in kinds
            whole, streamed = whole.parsed, streamed.parsed
        assert isinstance(whole, Sum) and whole == streamed, (whole, streamed)
    for form in ({"text_format": Sum}, {"tools": [flat], "tool_choice": "required"}, {"tools": [flat], "tool_choice": {"type": "function", "name": "Sum"}}):
        asked = {"model": model, "input": ASKED, "extra_body": {"seed": 1}, **form}
        whole = client.responses.parse(**asked)
        with client.responses.stream(**asked) as stream:
            for _ in stream:
                pass
            streamed = stream.get_final_response()
        if "tools" in form:
            assert len(whole.output) == 1 and whole.output[0].name == "Sum"
            whole, streamed = (Sum.model_validate(r.output[0].parsed_arguments) for r in (whole, streamed))
        else:
            whole, streamed = whole.output_parsed, streamed.output_parsed
        assert isinstance(whole, Sum) and whole == streamed, (whole, streamed)
    for stream in (False, True):
        try:
            chat.create(model=model, messages=[{"role": "user", "content": "x " * 5000}], stream=stream)
            raise AssertionError("what is too long was answered")
        except openai.BadRequestError as error:
            assert error.code == "context_length_exceeded", error


def pydantic_ai(url, key, model):
    from pydantic_ai import Agent, NativeOutput, PromptedOutput, ToolOutput, UsageLimitExceeded, UsageLimits
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    limits = UsageLimits(request_limit=6)

    async def run():
        async with openai.AsyncOpenAI(base_url=url, api_key=key, max_retries=0) as client:
            for form in (OpenAIChatModel, OpenAIResponsesModel):
                to = form(model, provider=OpenAIProvider(openai_client=client))
                for output, kind in ((ToolOutput, Sum), (NativeOutput, Sum), (PromptedOutput, Object)):
                    agent = Agent(to, output_type=output(kind), instructions="Add.", retries=0, model_settings={"extra_body": {"seed": 1}})
                    whole = (await agent.run(ASKED, usage_limits=limits)).output
                    async with agent.run_stream(ASKED, usage_limits=limits) as stream:
                        streamed = await stream.get_output()
                    assert isinstance(whole, kind) and whole == streamed, (whole, streamed)
                await tools(to)

    async def tools(to):
        adder = Adder()
        for seed in range(30):  # until the model has chosen both the tool and the end
            agent = Agent(to, output_type=ToolOutput(Sum), tools=[adder.add], instructions="Add.", retries=0, model_settings={"extra_body": {"seed": seed}})
            try:
                assert isinstance((await agent.run(ASKED, usage_limits=limits)).output, Sum)
            except UsageLimitExceeded:
                continue
            if adder.calls:
                break
        adder.check()

    asyncio.run(run())


def instructor(url, key, model):
    import instructor

    mode = instructor.Mode
    for how, kind in ((mode.TOOLS, Sum), (mode.TOOLS_STRICT, Sum), (mode.JSON, Object), (mode.JSON_SCHEMA, Sum), (mode.RESPONSES_TOOLS, Sum)):
        client = instructor.from_openai(openai.OpenAI(base_url=url, api_key=key, max_retries=0), mode=how)
        got = client.chat.completions.create(model=model, messages=MESSAGES, response_model=kind, max_retries=0, extra_body={"seed": 1})
        assert isinstance(got, kind), (how, got)
    client = instructor.from_openai(openai.OpenAI(base_url=url, api_key=key, max_retries=0), mode=mode.TOOLS)
    pieces = list(client.chat.completions.create_partial(model=model, messages=MESSAGES, response_model=Sum, seed=1))
    assert len(pieces) > 1 and Sum.model_validate(pieces[-1].model_dump()), pieces


def openai_agents(url, key, model):
    import agents

    async def run():
        async with openai.AsyncOpenAI(base_url=url, api_key=key, max_retries=0) as client:
            for form in (agents.OpenAIResponsesModel, agents.OpenAIChatCompletionsModel):
                for streamed in (False, True):
                    adder = Adder()
                    agent = agents.Agent(
                        name="a", instructions="Answer.", model=form(model=model, openai_client=client), output_type=Sum,
                        tools=[agents.function_tool(adder.add)], model_settings=agents.ModelSettings(tool_choice="add", extra_body={"seed": 1}),
                    )
                    if streamed:
                        result = agents.Runner.run_streamed(agent, ASKED, max_turns=4)
                        async for _ in result.stream_events():
                            pass
                    else:
                        result = await agents.Runner.run(agent, ASKED, max_turns=4)
                    adder.check()
                    assert isinstance(result.final_output, Sum), result.final_output

    asyncio.run(run())


def smolagents(url, key, model):
    import smolagents

    class Add(smolagents.Tool):
        name, description, output_type = "add", "Adds two numbers.", "integer"
        inputs = {"a": {"type": "integer", "description": "one number"}, "b": {"type": "integer", "description": "another number"}}

        def forward(self, a: int, b: int) -> int:
            calls.append((a, b))
            return a + b

    calls = []
    for seed in range(20):  # until the model has chosen the tool, not the end
        to = smolagents.OpenAIServerModel(model_id=model, api_base=url, api_key=key, client_kwargs={"max_retries": 0}, seed=seed, max_tokens=120)
        agent = smolagents.ToolCallingAgent(tools=[Add()], model=to, max_steps=2, verbosity_level=smolagents.LogLevel.OFF)
        agent.run(ASKED)
        steps = [s for s in agent.memory.steps if isinstance(s, smolagents.ActionStep) and s.tool_calls]
        assert steps and all(c.name in ("add", "final_answer") for s in steps for c in s.tool_calls) and not any(s.error for s in steps), steps
        if calls:
            break
    assert calls and all(isinstance(n, int) for call in calls for n in call), calls


def dspy(url, key, model):
    import dspy
    import litellm

    class Solve(dspy.Signature):
        """Solve."""

        question: str = dspy.InputField()
        steps: Literal["one", "two"] = dspy.OutputField()
        sure: bool = dspy.OutputField()
        value: int = dspy.OutputField()

    litellm.suppress_debug_info = True
    litellm.register_model({model: {"supports_response_schema": True, "litellm_provider": "openai", "mode": "chat"}})
    lm = dspy.LM(f"openai/{model}", engine="litellm", api_base=url, api_key=key, cache=False, num_retries=0, max_tokens=100, temperature=1.0)
    with dspy.context(lm=lm, adapter=dspy.JSONAdapter()):
        got = dspy.Predict(Solve)(question=ASKED)
    assert got.steps in ("one", "two") and isinstance(got.sure, bool) and isinstance(got.value, int), got


def lm_eval(url, key, model, scored=None):
    """A multiple-choice task; scored(context, choices) are the log-probabilities that it has to find."""
    import lm_eval
    from lm_eval.tasks import TaskManager

    rows = [{"question": f"What is {a} + {b}?", "choices": [str(n) for n in range(10)], "answer": a + b} for a, b in ((2, 3), (4, 4), (1, 6))]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        pathlib.Path(folder, "sums.yaml").write_text(json.dumps({
            "task": "parley_sums", "dataset_path": "json", "dataset_kwargs": {"data_files": {"test": f"{folder}/rows.jsonl"}, "cache_dir": folder}, "test_split": "test",
            "output_type": "multiple_choice", "doc_to_text": "{{question}}", "doc_to_choice": "{{choices}}", "doc_to_target": "{{answer}}",
            "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
        }))
        os.environ["OPENAI_API_KEY"] = key
        result = lm_eval.simple_evaluate(
            model="local-completions", tasks=["parley_sums"], task_manager=TaskManager(include_path=folder, include_defaults=False), batch_size=4, bootstrap_iters=0,
            model_args={"model": model, "base_url": url + "/completions", "tokenizer": str(SHIPPED), "tokenizer_backend": "huggingface", "max_length": 512, "max_retries": 1},
        )
    right = 0
    for row, sample in zip(rows, result["samples"]["parley_sums"]):
        read = [value for [[value, _]] in sample["resps"]]
        assert len(read) == 10 and all(value < 0 for value in read), read
        if scored:
            assert all(math.isclose(x, y, abs_tol=1e-6) for x, y in zip(read, scored(row["question"], row["choices"]))), row
        right += read.index(max(read)) == row["answer"]
    assert result["results"]["parley_sums"]["acc,none"] == right / len(rows), result["results"]


def scores(parley):
    """scored for lm_eval, by `parley model score`."""

    def ran(command, lines):
        said = subprocess.run([parley, "model", command, "parley-base"], input=lines, text=True, capture_output=True, check=True).stdout
        return [json.loads(line) for line in said.splitlines()]

    def ids(texts):
        return [row["ids"] for row in ran("tokenize", "".join(json.dumps({"text": text}) + "\n" for text in texts))]

    def scored(context, choices):
        begin, *ends = ids([context, *(f" {c}" for c in choices)])
        rows = ran("score", "".join(json.dumps({"ids": begin + end}) + "\n" for end in ends))
        return [sum(row["logprobs"][len(begin):]) for row in rows]

    return scored


def base_with_tools(folder):
    """The shipped base with a longer context and a template that prints tools, in a folder."""
    base = pathlib.Path(folder, "base-with-tools")
    shutil.copytree(SHIPPED, base)
    (base / "chat_template.jinja").write_text(TEMPLATE)
    for file, change in (("config.json", {"max_position_embeddings": 8192}), ("tokenizer_config.json", {"chat_template": None})):
        values = json.loads((base / file).read_text()) | change
        (base / file).write_text(json.dumps({k: v for k, v in values.items() if v is not None}))
    return base


@contextlib.contextmanager
def bases(parley):
    """A base whose template prints tools, and a run of a team over it."""
    with tempfile.TemporaryDirectory() as folder:
        base, run = base_with_tools(folder), pathlib.Path(folder, "team")
        small = ["training.updates=1", "training.problems=2", "eval.problems=2", "sampling.max_tokens=300", f"model={base}"]
        subprocess.run([parley, "train", "chain-tiny", "--out", str(run), *(f"--set={s}" for s in small)], check=True, capture_output=True, cwd=folder)
        yield str(base), str(run)


def main():
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--parley", required=True)
    flags.add_argument("--model", required=True, help="a real checkpoint, such as SmolLM2-135M-Instruct.Q4_1.gguf")
    flags.add_argument("--only", help="one framework")
    args = flags.parse_args()
    parley = os.path.abspath(args.parley)
    done = {}
    with bases(parley) as (base, run), served(parley, serves=(run, base, "parley-base", args.model)) as (url, key), tempfile.TemporaryDirectory() as cache:
        os.environ.update(
            LITELLM_LOCAL_MODEL_COST_MAP="True", OPENAI_AGENTS_DISABLE_TRACING="1", HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HOME=cache, DSPY_CACHEDIR=cache,
        )
        names = [m.id for m in openai.OpenAI(base_url=url, api_key=key).models.list()]
        agent, tools, real = (next(n for n in names if end in n) for end in ("/agent-editor", "base-with-tools", ".gguf"))
        for framework, models in {
            openai_python: [agent, tools, "parley-base"], pydantic_ai: [agent, tools], instructor: [agent, tools, "parley-base"], openai_agents: [agent, tools],
            smolagents: [agent, tools, real], dspy: [agent, tools, real], lm_eval: [agent, "parley-base"],
        }.items():
            if args.only and framework.__name__ != args.only:
                continue
            for model in models:
                begun = time.time()
                more = {"scored": scores(parley)} if framework is lm_eval and model == "parley-base" else {}
                framework(url, key, model, **more)
                done.setdefault(framework.__name__, {})[os.path.basename(model)] = round(time.time() - begun, 1)
    print(json.dumps(done))


if __name__ == "__main__":
    main()
