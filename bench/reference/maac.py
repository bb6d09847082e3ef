"""MAAC: as IAC, with one critic for all agents, which reads what every agent is asked at a node, and for q what they answered."""

from iac import IAC
from transformers import AutoTokenizer

CRITIC = "value-central"


class MAAC(IAC):
    def __init__(self, record):
        self.tokenizer = AutoTokenizer.from_pretrained(record.base.folder)
        super().__init__(record)

    def critic_of(self, a):
        return CRITIC

    def read(self, node, seat, a):
        """The prompt of the joint text: the critic is asked once for a joint action, whichever agent's answer is judged."""
        message = {"role": "user", "content": joint_text(node, self.critic["input"] == "q")}
        return self.tokenizer.apply_chat_template([message], add_generation_prompt=True, return_dict=False)


def joint_text(node, answers):
    parts = [("prompt", s["agent"], "\n".join(m["content"] for m in s["messages"])) for s in node["agents"]]
    if answers:
        parts += [("answer", s["agent"], s["completions"][0]["text"]) for s in node["agents"]]
    return "".join(f"<{kind}_{agent + 1}>\n{text}\n</{kind}_{agent + 1}>\n" for kind, agent, text in parts)
