"""A graph of LangGraph: a writer, and an editor who sends a draft back once where it has no box."""
from typing import TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    question: str
    draft: str
    final: str
    rounds: int


def build():
    writer, editor = ChatOpenAI(model="writer"), ChatOpenAI(model="editor")

    def write(state):
        prompt = f"Question: {state['question']}\nSolve step by step. Answer: \\boxed{{XX}}"
        return {"draft": writer.invoke(prompt).content, "rounds": state["rounds"] + 1}

    def edit(state):
        prompt = f"Question: {state['question']}\nAgent 1 solution: {state['draft']}\nOnce again, the question is: {state['question']}"
        return {"final": editor.invoke(prompt).content}

    def good(state):
        return "edit" if "\\boxed{" in state["draft"] or state["rounds"] == 2 else "write"

    graph = StateGraph(State)
    graph.add_node("write", write)
    graph.add_node("edit", edit)
    graph.add_edge(START, "write")
    graph.add_conditional_edges("write", good)
    graph.add_edge("edit", END)
    return graph.compile()


def episode(e):
    state = build().invoke({"question": e["item"]["question"], "draft": "", "final": "", "rounds": 0})
    return {"answer": state["final"]}


if __name__ == "__main__":
    import sys

    print(episode({"item": {"question": sys.argv[1]}})["answer"])
