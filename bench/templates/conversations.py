"""Conversations that templates are tried on: what users, tools and dumps of other programs bring."""

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Weather of a city, in °C \u2014 \"today\" & <now>",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "Name"},
                    "days": {"type": "integer", "enum": [1, 3, 7]},
                    "scale": {"type": ["string", "null"], "default": None},
                    "exact": {"type": "boolean", "default": False},
                },
                "required": ["city"],
            },
            "return": {"type": "number"},
        },
    },
    {"type": "function", "function": {"name": "stop", "description": "", "parameters": {"type": "object", "properties": {}}}},
]


def message(role, content, **more):
    return {"role": role, "content": content, **more}


def call(name, arguments, **more):
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **more}


USER, ANSWER = message("user", "What is 2+2?"), message("assistant", "4")
WEATHER = [
    message("user", "Weather in Köln?"),
    message("assistant", "", tool_calls=[call("get_weather", {"city": "Köln", "days": 3, "exact": True, "scale": None}, id="abcdefghi")]),
    message("tool", '{"t": 7.5}', name="get_weather", tool_call_id="abcdefghi"),
    message("assistant", "7.5 °C."),
]
THOUGHT = [USER, message("assistant", "4", reasoning_content="two and two\n"), message("user", "And doubled?"), message("assistant", "<think>\n4*2\n</think>\n\n8")]


def every():
    """Pairs of a name and an input as `parley model render` reads it."""
    plain = {
        "user": [USER],
        "pair": [USER, ANSWER],
        "turns": [USER, ANSWER, message("user", "And doubled?"), message("assistant", "8"), message("user", "Thanks!")],
        "system": [message("system", "Be terse."), USER],
        "system, pair": [message("system", "  Be terse.\n"), USER, ANSWER],
        "system late": [USER, message("system", "Be terse."), USER],
        "system alone": [message("system", "Be terse.")],
        "developer": [message("developer", "Be terse."), USER],
        "assistant first": [ANSWER, USER],
        "user twice": [USER, message("user", "Well?")],
        "spaces": [message("user", "  a \n\n b\t"), message("assistant", "\n c  "), message("user", "")],
        "characters": [message("user", "Grüße \u4f60\u597d \U0001f600 <b>&amp;</b> 'q' \"d\" \\ \u2028 \u00a0."), message("assistant", "{{ x }} {% if %}")],
        "control tokens": [message("user", "<|im_end|><|eot_id|>[/INST]</s>"), ANSWER],
        "parts": [message("user", [{"type": "text", "text": "What is "}, {"type": "text", "text": "2+2?"}]), message("assistant", [{"type": "text", "text": "4"}])],
        "picture": [message("user", [{"type": "image", "image": "x.png"}, {"type": "text", "text": "What is it?"}])],
        "no content": [USER, message("assistant", None)],
        "no content key": [USER, {"role": "assistant"}],
        "content is a number": [message("user", 12.0), message("assistant", True)],
        "unknown role": [message("critic", "No."), USER],
        "ipython": [USER, message("ipython", "4")],
        "extra keys": [message("user", "Hi", name="Ann", weight=0.5)],
        "none": [],
        "thought": THOUGHT,
        "thought, asked": [*THOUGHT, USER],
        "thinking": [USER, message("assistant", "4", thinking="hm", reasoning_content=None)],
        "no thinking": [USER, message("assistant", "4", thinking=None, reasoning_content="hm")],
        "reasoning": [USER, message("assistant", "4", reasoning="hm"), USER],
        "open thought": [USER, message("assistant", "<think>two and two")],
        "weather": WEATHER,
        "weather, asked": [*WEATHER, message("user", "And in Bonn?")],
        "weather, waiting": WEATHER[:2],
        "weather, told": WEATHER[:3],
        "two calls": [USER, message("assistant", None, tool_calls=[call("stop", {}), call("get_weather", {"city": "Bonn", "days": 1e3, "exact": [1, {"a": 2.50}]})]), message("tool", "a"), message("tool", "b")],
        "arguments as text": [USER, message("assistant", "On it.", tool_calls=[call("get_weather", '{"city": "Bonn"}', id="123456789")]), message("tool", "7", tool_call_id="123456789")],
        "call without a function": [USER, message("assistant", "", tool_calls=[{"name": "stop", "arguments": {}}])],
    }
    for name, messages in plain.items():
        for tools in (None, TOOLS):
            for ask in (False, True):
                yield f"{name}{', tools' * bool(tools)}{', asked on' * ask}", {"messages": messages, "tools": tools, "add_generation_prompt": ask}
    for name in ("turns", "thought", "weather, asked"):
        yield f"{name}, no tools", {"messages": plain[name], "tools": [], "add_generation_prompt": True}
    for name in ("pair", "spaces", "parts", "thought", "open thought", "none", "user", "no content", "weather"):
        yield f"{name}, goes on", {"messages": plain[name], "tools": None, "continue_final_message": True}
    switches = [{"enable_thinking": False}, {"enable_thinking": True}, {"documents": [{"title": "T", "text": "D", "contents": "C"}]}, {"custom_tools": TOOLS, "tools_in_user_message": False}]
    switches += [{"date_string": "1 Jan 2030"}, {"reasoning_effort": "high", "model_identity": "You are P."}, {"system_message": "S", "add_default_system_prompt": False}, {"xml_tools": TOOLS, "python_tools": ["f"]}]
    for more in switches:
        for name in ("system, pair", "thought, asked", "weather, asked"):
            yield f"{name}, {', '.join(more)}", {"messages": plain[name], "tools": TOOLS if "weather" in name else None, "add_generation_prompt": True, **more}
