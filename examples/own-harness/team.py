"""A writer drafts, an editor has the last word. The agents are the models that the client asks for."""
from openai import OpenAI


def episode(e):
    client = OpenAI()  # OPENAI_BASE_URL and OPENAI_API_KEY are those of this episode

    def say(agent, text):
        reply = client.chat.completions.create(model=agent, messages=[{"role": "user", "content": text}])
        return reply.choices[0].message.content

    question = e["item"]["question"]
    draft = say("writer", f"Question: {question}\nSolve step by step. Answer: \\boxed{{XX}}")
    final = say("editor", f"Question: {question}\nAgent 1 solution: {draft}\nOnce again, the question is: {question}")
    return {"answer": final}
