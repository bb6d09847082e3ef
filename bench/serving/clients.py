"""Real clients against `parley serve`: whole answers, streams, errors, retries and clients that leave.

    python3 bench/serving/clients.py --parley ./parley
"""
import argparse
import asyncio
import contextlib
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", OPENAI_AGENTS_DISABLE_TRACING="1")
QUESTION = [{"role": "user", "content": "What is 2 + 3?"}]
TEAM, AGENT, MODEL = "chain-tiny", "chain-tiny/agent-editor", "parley-base"


@contextlib.contextmanager
def served(parley, *flags, serves=(TEAM, MODEL)):
    """A server on a free port, and its address and token. It has to end with exit code 0."""
    server = subprocess.Popen([parley, "serve", *serves, "--addr", "127.0.0.1:0", *flags], stderr=subprocess.PIPE, text=True, env={**os.environ, "PARLEY_TOKEN": ""})
    head = ""
    while "listening on" not in head:
        line = server.stderr.readline()
        assert line, f"it does not listen: {head}"
        head += line
    try:
        yield re.search(r"listening on (\S+)", head)[1] + "/v1", re.search(r"token (\S+)", head)[1]
    finally:
        server.terminate()
        assert server.wait(60) == 0, server.stderr.read()


def openai_python(url, key):
    import openai

    client = openai.OpenAI(base_url=url, api_key=key)
    assert AGENT in [m.id for m in client.models.list()] and client.models.retrieve(AGENT).id == AGENT
    chat = client.chat.completions
    whole = chat.create(model=TEAM, messages=QUESTION, seed=5, n=2)
    message = whole.choices[1].message
    assert message.content and "[critic, turn 2]" in message.reasoning == message.reasoning_content
    assert whole.usage.completion_tokens_details.reasoning_tokens > 0 and len(whole.usage.parley["agents"]) == 3
    content = reasoning = ""
    usage = None
    for chunk in chat.create(model=TEAM, messages=QUESTION, seed=5, stream=True, stream_options={"include_usage": True}):
        for choice in chunk.choices:
            content += choice.delta.content or ""
            reasoning += getattr(choice.delta, "reasoning", None) or ""
        usage = chunk.usage or usage
    first = whole.choices[0].message
    assert (content, reasoning) == (first.content, first.reasoning) and usage.prompt_tokens == whole.usage.prompt_tokens
    tokens = chat.create(model=MODEL, messages=QUESTION, logprobs=True, top_logprobs=3, temperature=0).choices[0]
    assert "".join(t.token for t in tokens.logprobs.content) == tokens.message.content
    assert all(t.top_logprobs[0].token == t.token and len(t.top_logprobs) == 3 for t in tokens.logprobs.content)
    text = client.completions.create(model=MODEL, prompt=[328, 28, 223], logprobs=1, seed=1, max_tokens=4, extra_body={"return_token_ids": True}).choices[0]
    assert len(text.logprobs.token_logprobs) == len(text.token_ids) > 0
    response = client.responses.create(model=TEAM, input="What is 2 + 3?", instructions="Answer.")
    assert response.output_text and response.usage.output_tokens > 0
    typed = [e for e in client.responses.create(model=TEAM, input="What is 2 + 3?", instructions="Answer.", stream=True, extra_body={"seed": 5})]
    assert typed[-1].type == "response.completed" and [e.sequence_number for e in typed] == list(range(len(typed)))
    assert "".join(e.delta for e in typed if e.type == "response.output_text.delta") == typed[-1].response.output_text
    assert "[critic, turn 2]" in "".join(e.delta for e in typed if e.type == "response.reasoning_summary_text.delta")
    given = client.completions.create(model=MODEL, prompt=[328, 28, 223], max_tokens=1, extra_body={"prompt_logprobs": 1}).choices[0].prompt_logprobs
    assert given[0] is None and given[2]["223"]["logprob"] < 0
    for change, kind, param in [
        ({"temperature": 3}, openai.BadRequestError, "temperature"), ({"model": "x"}, openai.NotFoundError, "model"),
        ({"messages": [{"role": "user", "content": "x " * 5000}]}, openai.BadRequestError, "messages"),
    ]:
        try:
            chat.create(**{"model": MODEL, "messages": QUESTION, **change})
            raise AssertionError(f"{change} was answered")
        except kind as error:
            assert error.param == param, error
    for broken, kind in [(lambda: openai.OpenAI(base_url=url, api_key="x").models.list(), openai.AuthenticationError), (lambda: client.embeddings.create(model="x", input="y"), openai.NotFoundError)]:
        try:
            broken()
            raise AssertionError(f"{kind} was not raised")
        except kind:
            pass


def choices(url, key, parley):
    """Multiple choice, asked and read as lm-eval's local-completions does, has the numbers of `parley model score`."""
    import openai

    client = openai.OpenAI(base_url=url, api_key=key)

    def ids(text):
        said = subprocess.run([parley, "model", "tokenize", MODEL], input=json.dumps({"text": text}), text=True, capture_output=True, check=True)
        return json.loads(said.stdout)["ids"]

    for question in ("What is 2 + 3?", "What is 4 + 4?"):
        context = ids(question)
        rows = [context + ids(f" {n}") for n in range(10)]
        asked = client.completions.create(model=MODEL, prompt=rows, temperature=0, max_tokens=1, logprobs=1, seed=1234, echo=True)
        read = [c.logprobs.token_logprobs[len(context):-1] for c in sorted(asked.choices, key=lambda c: c.index)]
        lines = "".join(json.dumps({"ids": row}) + "\n" for row in rows)
        said = subprocess.run([parley, "model", "score", MODEL], input=lines, text=True, capture_output=True, check=True)
        scored = [json.loads(line)["logprobs"][len(context):] for line in said.stdout.splitlines()]
        assert read == scored, (question, read, scored)


def litellm_client(url, key):
    import litellm

    stream = litellm.completion(model=f"openai/{TEAM}", api_base=url, api_key=key, messages=QUESTION, seed=5, stream=True)
    deltas = [c.choices[0].delta for c in stream if c.choices]
    assert "".join(d.content or "" for d in deltas) and "critic" in "".join(getattr(d, "reasoning_content", None) or "" for d in deltas)


def langchain(url, key):
    from langchain_openai import ChatOpenAI

    chat = ChatOpenAI(model=TEAM, base_url=url, api_key=key, seed=5)
    whole = chat.invoke("What is 2 + 3?")
    assert whole.content and whole.usage_metadata["output_tokens"] > 0
    assert "".join(c.content for c in chat.stream("What is 2 + 3?")) == whole.content


def agents(url, key):
    import agents
    import openai

    async def run():
        client = openai.AsyncOpenAI(base_url=url, api_key=key)
        for form in (agents.OpenAIResponsesModel, agents.OpenAIChatCompletionsModel):
            agent = agents.Agent(name="a", instructions="Answer.", model=form(model=TEAM, openai_client=client))
            assert (await agents.Runner.run(agent, "What is 2 + 3?")).final_output
            streamed = agents.Runner.run_streamed(agent, "What is 2 + 3?")
            async for _ in streamed.stream_events():
                pass
            assert streamed.final_output

    asyncio.run(run())


def ollama_python(url, key):
    import ollama

    client = ollama.Client(host=url.removesuffix("/v1"), headers={"Authorization": f"Bearer {key}"})
    assert AGENT in [m.model for m in client.list().models] and "thinking" in client.show(TEAM).capabilities
    whole = client.chat(model=TEAM, messages=QUESTION, options={"seed": 5})
    assert whole.message.content and "[critic, turn 2]" in whole.message.thinking and whole.done_reason and whole.eval_count > 0
    pieces = list(client.chat(model=TEAM, messages=QUESTION, options={"seed": 5}, stream=True))
    assert "".join(p.message.content or "" for p in pieces) == whole.message.content and "".join(p.message.thinking or "" for p in pieces) == whole.message.thinking
    assert pieces[-1].done and not any(p.done for p in pieces[:-1])
    silent = client.chat(model=TEAM, messages=QUESTION, options={"seed": 5}, think=False)
    assert silent.message.content == whole.message.content and not silent.message.thinking
    raw = client.generate(model=MODEL, prompt="Question: What is 2 + 3?", raw=True, options={"temperature": 0, "num_predict": 4})
    assert raw.response and raw.eval_count <= 4 and client.generate(model=MODEL, prompt="What is 2 + 3?", options={"seed": 1}).response
    for broken in (lambda: client.chat(model="x", messages=QUESTION), lambda: client.chat(model=TEAM, messages=QUESTION, format="json")):
        try:
            broken()
            raise AssertionError("it was answered")
        except ollama.ResponseError as error:
            assert error.status_code in (400, 404) and error.error, error


def llm(url, key):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "extra-openai-models.yaml").write_text(f"- model_id: team\n  model_name: {TEAM}\n  api_base: {url}\n  api_key_name: parley\n")
        pathlib.Path(folder, "keys.json").write_text(json.dumps({"parley": key}))
        said = [subprocess.run([sys.executable, "-m", "llm", "-m", "team", "-n", "-o", "seed", "5", *how, "What is 2 + 3?"], env={**os.environ, "LLM_USER_PATH": folder}, text=True, capture_output=True) for how in ([], ["--no-stream"])]
        assert all(s.returncode == 0 and s.stdout.strip() for s in said) and said[0].stdout == said[1].stdout, [(s.stdout, s.stderr) for s in said]


def node(url, key, modules):
    said = subprocess.run(["node", "clients.mjs", url, key, TEAM, MODEL], cwd=modules, text=True, capture_output=True)
    assert said.returncode == 0, said.stdout + said.stderr


def busy(parley):
    """Of more clients than there is room for, all get their answers, because they come back; those who leave are gone."""
    import openai

    with served(parley, "--working", "2", "--waiting", "2") as (url, key):
        async def all_at_once():
            client = openai.AsyncOpenAI(base_url=url, api_key=key, max_retries=30)
            ask = lambda seed: client.chat.completions.create(model=MODEL, messages=QUESTION, seed=seed % 4, max_tokens=20)
            answers = await asyncio.gather(*(ask(i) for i in range(12)))
            for i, answer in enumerate(answers):
                assert answer.choices[0].message.content == answers[i % 4].choices[0].message.content
            stream = await client.chat.completions.create(model=MODEL, messages=QUESTION, temperature=2, max_tokens=480, extra_body={"stop_token_ids": []}, stream=True)
            async for _ in stream:
                break
            await stream.close()

        asyncio.run(all_at_once())
        page = ""
        for _ in range(200):
            page = urllib.request.urlopen(url.removesuffix("/v1") + "/metrics").read().decode()
            if "parley_num_requests_running 0\n" in page:
                break
            time.sleep(0.1)
        assert 'code="429"' in page and "parley_num_requests_running 0\n" in page, page
        check(page)


def check(page):
    """promtool has nothing to say."""
    said = subprocess.run(["promtool", "check", "metrics"], input=page, text=True, capture_output=True)
    assert said.returncode == 0, said.stdout + said.stderr


def main():
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--parley", required=True)
    flags.add_argument("--node", help="a folder with the node_modules of package.json; without it, clients on Node are left out")
    args = flags.parse_args()
    parley = args.parley
    done = {}
    with served(parley) as (url, key):
        clients = [openai_python, functools.partial(choices, parley=parley), litellm_client, langchain, agents, ollama_python, llm]
        if args.node:
            here = pathlib.Path(__file__).parent
            for file in (here / "clients.mjs", here.parent.parent / "cmd/parley/internal/servecmd/page.js"):
                shutil.copy(file, pathlib.Path(args.node, file.name.replace("page.js", "page.mjs")))
            clients.append(functools.partial(node, modules=args.node))
        for client in clients:
            begun = time.time()
            client(url, key)
            done[getattr(client, "__name__", None) or getattr(client.func, "__name__")] = round(time.time() - begun, 1)
    busy(parley)
    print(json.dumps({"clients": done, "busy": "ok"}))


if __name__ == "__main__":
    main()
