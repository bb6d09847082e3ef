"""A program that knows nothing of training: python3 solve.py QUESTION asks two models at $OPENAI_BASE_URL and prints their answer."""
import json
import os
import sys
import urllib.request


def say(model, text):
    body = json.dumps({"model": model, "messages": [{"role": "user", "content": text}]}).encode()
    head = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, head)
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]


question = sys.argv[1]
draft = say("writer", f"Question: {question}\nSolve step by step. Answer: \\boxed{{XX}}")
print(say("editor", f"Question: {question}\nAgent 1 solution: {draft}\nOnce again, the question is: {question}"))
