"""Plays conversations in tau2_world.py over the stub: python3 test/test_world.py."""
import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1])]
import tau2_world


def call(name):
    return f'<tool_call>{{"name": "{name}", "arguments": {{}}}}</tool_call>'


def play(task, *said):
    out = tau2_world.reset({"domain": "lamp", "task_id": task})
    seen = []
    for words in said:
        [who] = [a for a, text in out["observations"].items() if text.endswith("Your turn.")]
        seen.append((who, out["observations"][who]))
        out = tau2_world.step(out["state"], {"agent": words, "user": words})
    return out, seen


class Conversations(unittest.TestCase):
    def test_both_sides_act(self):
        out, seen = play("1", call("push_fuse"), "It is dark.", call("switch_lamp"), "And now?", "Yes. ###STOP###")
        self.assertEqual((out["reward"], out["done"]), (1.0, True))
        self.assertEqual([who for who, _ in seen], ["user", "user", "agent", "agent", "user"])
        self.assertIn("It is dark.", seen[0][1])  # the scenario
        self.assertIn("assistant: Hi!", seen[0][1])
        self.assertEqual(seen[1][1], "True\n\nYour turn.")  # the caller alone sees what a tool answers
        self.assertIn("Help the user.", seen[2][1])
        self.assertIn("user: It is dark.", seen[2][1])
        self.assertEqual(seen[4][1], "agent: And now?\n\nYour turn.")

    def test_half_is_nothing(self):
        self.assertEqual(play("1", call("push_fuse"), "###STOP###")[0]["reward"], 0.0)

    def test_no_call(self):
        _, seen = play("1", "<tool_call>push</tool_call>", call("switch_lamp"), "Help.")
        self.assertIn("this is no tool call", seen[1][1])
        self.assertIn("no tool switch_lamp", seen[2][1])

    def test_transfer_and_limits(self):
        self.assertIn("agent_stop", play("1", "Help.", call(tau2_world.TRANSFER))[0]["observations"])
        self.assertIn("too_many_errors", play("1", *["<tool_call></tool_call>"] * 10)[0]["observations"])
        out, _ = play("1", *["Hm."] * 200)
        self.assertEqual((out["observations"], out["reward"]), ("It is over: max_steps.", 0.0))

    def test_judge(self):
        with self.assertRaisesRegex(ValueError, "needs a judge"):
            play("9")


if __name__ == "__main__":
    unittest.main()
