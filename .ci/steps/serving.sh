# Real clients of OpenAI's protocol against the server, and the page of metrics against Prometheus's own reader.
! turn || quietly "$(clients)/bin/python" bench/serving/clients.py --parley "$(parley)" --node "$(node_clients)"

# Frameworks of agents, which ask for types and calls, and lm-eval's multiple choice.
! turn || quietly "$(frameworks)/bin/python" bench/serving/frameworks.py --parley "$(parley)" --model "$(smollm2)/SmolLM2-135M-Instruct.Q4_1.gguf"

# Texts of random schemas, over the tokens of the shipped base, are what another validator of JSON Schema accepts.
if turn; then
  PARLEY_FORM_TEXTS="$work/texts.jsonl" go test -count=1 -run 'TestRandomTexts' ./model/form/lexicon
  "$(clusterfiles)/bin/python" - "$work/texts.jsonl" <<'PYTHON'
import json, sys, jsonschema
pairs = [json.loads(line) for line in open(sys.argv[1])]
for pair in pairs:
    jsonschema.validate(json.loads(pair["text"]), pair["schema"], jsonschema.Draft202012Validator)
assert len(pairs) >= 1000, len(pairs)
print(len(pairs), "texts satisfy their schemas")
PYTHON
fi

# The example with a member behind a server: it trains against our own server, and again without it, to the same bytes.
if turn; then
  port="$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
  cp -r examples/endpoint "$work/endpoint"
  sed -i "s/127.0.0.1:8139/127.0.0.1:$port/" "$work/endpoint/team.yaml"
  export PARLEY_TOKEN=secret
  "$(parley)" serve parley-base --addr "127.0.0.1:$port" 2>"$work/serve.log" &
  server=$!
  for _ in $(seq 100); do
    curl --silent --fail "http://127.0.0.1:$port/ready" >/dev/null && break
    sleep 0.1
  done
  small=(--set training.updates=3 --set training.problems=4 --set eval.problems=4)
  quietly "$(parley)" train "$work/endpoint/team.yaml" "${small[@]}" --out "$work/endpoint/first"
  kill "$server"
  wait "$server" || true
  quietly "$(parley)" train "$work/endpoint/team.yaml" "${small[@]}" --set servers.replay=true --out "$work/endpoint/again"
  cmp "$work/endpoint/first/metrics.jsonl" "$work/endpoint/again/metrics.jsonl"
fi

# The same team with its critic on llama.cpp's server.
llama="$(environment llama bench/serving/llama.txt bench/serving/llama.txt)/bin/python"
! turn || "$llama" bench/endpoints/llamacpp.py --parley "$(parley)" --model "$(smollm2)/SmolLM2-135M-Instruct.Q4_1.gguf"

# The comparison of servers, as short as it can be: that it works, not how fast.
! turn || quietly "$llama" bench/serve.py --parley "$(parley)" --model "$(smollm2)/SmolLM2-135M-Instruct.Q4_1.gguf" --python "$llama" --users 1,2 --rounds 1 --tokens 4
