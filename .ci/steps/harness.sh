# Programs of frameworks of agents, trained as they are; and the examples that need clients of their own, from a trial to the unchanged program behind a server.
export PARLEY_RUNS="$work/runs" PARLEY_TOKEN=secret
parley="$(parley)"
python="$(frameworks)/bin/python"
! turn || quietly "$python" bench/harness/train.py --parley "$parley"
rm -rf "$work/examples" "$PARLEY_RUNS"
cp -r examples/own-harness "$work/examples"
small=(--max-updates 2 --set training.problems=4 --set eval.problems=4)
for name in team graph; do
  turn || continue
  interpreter=(--set "team.harness.interpreter=$python")
  "$parley" harness play "$work/examples/$name.yaml" "${interpreter[@]}"
  quietly "$parley" train "$work/examples/$name.yaml" "${interpreter[@]}" "${small[@]}" --json >"$work/report.json"
done
if turn; then
  quietly "$parley" train "$work/examples/recipe.yaml" "${small[@]}" --json >"$work/report.json"
  quietly "$parley" eval own-harness-openai-s1 --json >"$work/report.json"
  port="$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
  "$parley" serve own-harness-s1 --addr "127.0.0.1:$port" 2>"$work/serve.log" &
  server=$!
  for _ in $(seq 100); do
    curl --silent --fail "http://127.0.0.1:$port/ready" >/dev/null && break
    sleep 0.1
  done
  OPENAI_BASE_URL="http://127.0.0.1:$port/v1" OPENAI_API_KEY=secret python3 examples/own-harness/solve.py "Sam has 18 cards. Sam buys 18 and gives 8 to Ana. How many cards does Sam have now?"
  kill "$server"
  wait "$server" || true
fi

# A team in a program learns as it does as a workflow: two seeds here; docs/results.md has five.
! turn || "$python" bench/harness/twin.py --parley "$parley" --seeds 1 2
