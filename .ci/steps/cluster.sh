# Does a training cluster train as this machine does? SkyRL from the registry, on the CPU, serves the base that ships. It is measured once, runs the suite of
# all engines, and trains two recipes; a client is killed, then the server, and both runs go on.
environment="$(skyrl)"
folder="$work/cluster"
mkdir -p "$folder"
"$environment/bin/python" bench/cluster/float32.py model/shipped/model "$folder/base"
port="$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
url="http://127.0.0.1:$port"
serve() {
  # What was compiled once, for a shape of a batch, is kept with the packages that compiled it.
  (cd "$folder" && exec setsid env JAX_COMPILATION_CACHE_DIR="$environment/jax" "$environment/bin/python" "$OLDPWD/bench/cluster/serve.py" "$folder/base" "$port" >>server.log 2>&1) &
  server=$!
  for _ in $(seq 300); do
    curl --silent --fail "$url/api/v1/healthz" >/dev/null && return
    kill -0 "$server" 2>/dev/null || break
    sleep 1
  done
  tail -n 40 "$folder/server.log"
  return 1
}
stop() { kill -9 -- "-$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; } # the server and its engine
trap 'stop; [ -n "${PARLEY_CI_WORK:-}" ] || rm -rf "$common"' EXIT
# done_with PHASE says when it ended, and for how long the processors have worked for the server since it was started.
done_with() { echo "-- $1 (${SECONDS}s; server $(ps -o cputimes= -s "$server" | awk '{ s += $1 } END { print s + 0 }')s)"; }

serve
parley="$(parley)"
done_with start
"$parley" doctor --engine "$url" --alone --json >"$folder/doctor.json"
python3 -c 'import json, sys; [print(f["probe"], f["what"], f["found"], sep="\t") for f in json.load(sys.stdin)["profile"]["findings"]]' <"$folder/doctor.json"
done_with doctor
PARLEY_TINKER_URL="$url" PARLEY_TINKER_MODEL="$folder/base" PARLEY_TINKER_PROFILE="$folder/doctor.json" go test -count=1 -tags cluster -run '^TestServer$' -v ./engine/tinker
done_with suite

# Its first update is done, and it works on the second, when the client is killed.
"$parley" train examples/cluster/magrpo-tiny-cluster.yaml --set "engine.tinker.url=$url" --out "$folder/magrpo-tiny" --set training.problems=4 --set eval.problems=8 2>"$folder/killed.log" &
client=$!
until [ -s "$folder/magrpo-tiny/timing.jsonl" ]; do
  kill -0 "$client" 2>/dev/null || { tail -n 40 "$folder/killed.log"; exit 1; }
  sleep 0.2
done
kill -9 "$client"
wait "$client" 2>/dev/null || true
done_with magrpo-tiny
quietly "$parley" train --resume "$folder/magrpo-tiny" --max-updates 2
done_with "magrpo-tiny, resumed"
# train RECIPE CHANGES... starts a run of an example.
train() { quietly "$parley" train "examples/cluster/$1-cluster.yaml" --set "engine.tinker.url=$url" --out "$folder/$1" "${@:2}"; }
train debate-sums --set training.problems=2 --set eval.problems=4 --set engine.tinker.again=2 --max-updates 2
done_with debate-sums
train mixed-team --set training.problems=2 --set eval.problems=2 --max-updates 1
done_with mixed-team
# The server is killed and comes up again over its database and its checkpoints; the runs go on.
stop
serve
for run in magrpo-tiny debate-sums; do
  quietly "$parley" train --resume "$folder/$run"
  done_with "$run, resumed"
done
stop
# The files for two machines, with a process of each on this one.
quietly env JAX_COMPILATION_CACHE_DIR="$environment/jax" "$environment/bin/python" bench/cluster/machines.py --parley "$parley" --environment "$environment" --base "$folder/base"
"$environment/bin/python" bench/cluster/check.py "$folder/magrpo-tiny" "$folder/debate-sums"
