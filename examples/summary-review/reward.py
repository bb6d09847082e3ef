# One reward for both: the summary is short and made of the text's words, and the review is about the summary and longer than it.
import re


def words(text):
    return re.findall(r"[a-z]+", text.lower())


def share(part, whole):
    return sum(w in whole for w in part) / len(part) if part else 0.0


def reward(item, responses):
    text = words(item["question"])
    summary = words(responses[0])
    parts = {
        "faithful": 0.5 * share(summary, set(text)),
        "short": 0.3 * (3 <= len(summary) <= len(text) / 2),
    }
    if len(responses) > 1:  # a single agent that is measured beside the team writes no review
        review = words(responses[1])
        parts["reviewed"] = 0.2 * (len(review) > len(summary) and share(summary, set(review)) > 0)
    return {"reward": sum(parts.values()), "parts": parts}
