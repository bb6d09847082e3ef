# Both answers are right, and the second one is worked out.
def reward(item, responses):
    right = sum(item["truth"] in r for r in responses)
    longer = len(responses[1]) > 1.5 * len(responses[0])
    return {"reward": 0.4 * right + 0.2 * longer, "parts": {"right": 0.4 * right, "longer": 0.2 * longer}}
