# Runs the program in the global argument and prints what simple_math_problem() returns, as JSON. What the program prints
# itself goes nowhere.
import io
import json
import sys

channel, sys.stdout = sys.stdout, io.StringIO()
scope = {"__name__": "problem"}
exec(compile(argument, "problem.py", "exec"), scope)
value = scope["simple_math_problem"]()
if isinstance(value, bool) or not isinstance(value, (int, float)):
    value = None
channel.write("\n" + json.dumps({"value": None if value is None else repr(value)}))
channel.flush()
