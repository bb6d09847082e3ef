# One reward for all three: their answers are right, that of the seller is brief, and the bookkeeper and the auditor show their work.
import re


def right(response, truth):
    box = re.search(r"\\boxed\{(\d+)\}", response)
    return box is not None and box.group(1) == truth


def reward(item, responses):
    parts = {"right": 0.4 * sum(right(r, item["truth"]) for r in responses) / len(responses)}
    if len(responses) == 3:  # a single agent that is measured beside the team gives one response
        seller, keeper, auditor = responses
        parts["brief"] = 0.2 * (seller.count("=") <= 1 and len(seller) < len(keeper))
        parts["worked"] = 0.2 * (keeper.count("=") >= 2)
        parts["audited"] = 0.2 * (auditor.count("=") >= 2)
    return {"reward": sum(parts.values()), "parts": parts}
