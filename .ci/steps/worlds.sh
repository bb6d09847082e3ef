# Environments that others wrote: a server of OpenEnv's own, games of TextArena, and the example of tau2-bench over a stub of it.
export PARLEY_RUNS="$work/runs"
parley="$(parley)"
python="$(python_layer)/bin/python"
rm -rf "$work/examples" "$PARLEY_RUNS"
cp -r examples "$work/examples"
small=(--set training.problems=4 --set eval.problems=4 --json)

# The world of examples/own-world behind OpenEnv's server, which pings every 0.2 s, and has room for the episodes of one update.
port="$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
"$python" bench/python/openenv_world.py "$port" 16 2>"$work/openenv.log" &
server=$!
for _ in $(seq 600); do
  curl --silent --fail "http://127.0.0.1:$port/health" >/dev/null && break
  sleep 0.1
done
quietly "$parley" train "$work/examples/own-world/recipe.yaml" --set name=openenv --set task.environment.python= --set "task.environment.openenv=ws://127.0.0.1:$port" \
  --set task.environment.observe=text --max-updates 4 "${small[@]}" >"$work/report.json"
kill "$server"
wait "$server" || true

PARLEY_PYTHON="$python" quietly "$parley" train "$work/examples/textarena/recipe.yaml" --max-updates 2 "${small[@]}" >"$work/report.json"

# The base that ships knows no tools, so that a form says what it may do.
cd "$work/examples/tau2"
export PYTHONPATH=test
python3 test/test_world.py
python3 tau2_world.py tasks lamp
quietly "$parley" train recipe.yaml --max-updates 1 "${small[@]}" --set group.size=4 --set sampling.max_tokens=60 --set sampling.temperature=2 --set truncate=left \
  --set team.agents.agent.sampling.regex="'<tool_call>\{\"name\": \"switch_lamp\"\}</tool_call>|Now you\.'" \
  --set team.agents.user.sampling.regex="'<tool_call>\{\"name\": \"push_fuse\"\}</tool_call>|Dark\.|###STOP###'" >"$work/report.json"

# No episode failed, and some were paid.
python3 - "$PARLEY_RUNS"/*/metrics.jsonl <<'PYTHON'
import json, sys
for name in sys.argv[1:]:
    updates = [json.loads(line) for line in open(name)]
    paid = [update["return"] for update in updates]
    print(name.split("/")[-2], paid)
    assert not any(update.get("failed_episodes") for update in updates), name
    assert any(value for update in paid for value in update.values()), name
assert len(sys.argv) == 4
PYTHON
