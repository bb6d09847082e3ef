"""Teams of two in frameworks of agents, as their documentation has them: a writer drafts, a critic answers. FRAMEWORK names the one that plays.

Nothing here knows that it is trained but `episode`, which any program has that is to be.
"""
import inspect
import os


def openai(question):
    from openai import OpenAI

    client = OpenAI()
    draft = client.responses.create(model="writer", input=question).output_text
    chunks = client.chat.completions.create(model="critic", stream=True, messages=[
        {"role": "user", "content": question}, {"role": "assistant", "content": draft or "?"}, {"role": "user", "content": "Once again."},
    ])
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def langgraph(question):
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    @tool
    def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    writer, critic = ChatOpenAI(model="writer").bind_tools([add]), ChatOpenAI(model="critic")
    graph = StateGraph(MessagesState)
    graph.add_node("writer", lambda state: {"messages": [writer.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([add]))
    graph.add_node("critic", lambda state: {"messages": [critic.invoke([("user", question + "\n" + str(state["messages"][-1].content))])]})
    graph.add_edge(START, "writer")
    graph.add_conditional_edges("writer", tools_condition, {"tools": "tools", END: "critic"})
    graph.add_edge("tools", "critic")
    graph.add_edge("critic", END)
    return graph.compile().invoke({"messages": [("user", question)]})["messages"][-1].content


def openai_agents(question):
    from agents import Agent, Runner, function_tool

    @function_tool
    def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    writer = Agent(name="writer", instructions="Work it out.", model="writer", tools=[add])
    critic = Agent(name="critic", instructions="Check it.", model="critic")

    async def both():
        draft = await Runner.run(writer, question, max_turns=4)
        return (await Runner.run(critic, f"{question}\n{draft.final_output}")).final_output

    return both()


def autogen(question):
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.conditions import MaxMessageTermination
    from autogen_agentchat.teams import RoundRobinGroupChat
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    info = {"vision": False, "function_calling": True, "json_output": True, "family": "unknown", "structured_output": True}

    async def chat():
        clients = [OpenAIChatCompletionClient(model=name, model_info=info) for name in ("writer", "critic")]
        writer = AssistantAgent("writer", clients[0], system_message="You write.")
        critic = AssistantAgent("critic", clients[1], system_message="You criticise.")
        team = RoundRobinGroupChat([writer, critic], termination_condition=MaxMessageTermination(4))
        result = await team.run(task=question)
        for client in clients:
            await client.close()
        return result.messages[-1].content

    return chat()


def pydantic_ai(question):
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel

    async def both():
        draft = await Agent(OpenAIChatModel("writer")).run(question)
        return (await Agent(OpenAIChatModel("critic"), system_prompt="Check it.").run(f"{question}\n{draft.output}")).output

    return both()


def smolagents(question):
    from smolagents import ChatMessage, CodeAgent, OpenAIServerModel

    key, base = os.environ["OPENAI_API_KEY"], os.environ["OPENAI_BASE_URL"]
    writer, critic = (OpenAIServerModel(model_id=name, api_base=base, api_key=key) for name in ("writer", "critic"))
    draft = str(CodeAgent(tools=[], model=writer, max_steps=2, verbosity_level=0).run(question))
    return critic.generate([ChatMessage(role="user", content=[{"type": "text", "text": f"{question}\n{draft}"}])]).content


PROGRAMS = [openai, langgraph, openai_agents, autogen, pydantic_ai, smolagents]


async def episode(e):
    play = {p.__name__: p for p in PROGRAMS}[os.environ["FRAMEWORK"]]
    said = play(e["item"]["question"])
    if inspect.isawaitable(said):
        said = await said
    return {"answer": str(said or "")}
