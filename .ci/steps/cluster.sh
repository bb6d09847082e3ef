# Does a training cluster train as this machine does? SkyRL from the registry, on the CPU, serves the base that ships.
python312="$(command -v python3.12 >/dev/null && python3.12 -c 'import sys; print(sys.executable)' 2>/dev/null || ls -d "$HOME"/.pyenv/versions/3.12.*/bin/python 2>/dev/null | head -n 1)"
[ -n "$python312" ] || { echo "install Python 3.12: SkyRL needs it" >&2; exit 1; }
environment="$cache/cluster-$(sha256sum <bench/cluster/requirements.txt | cut -c1-12)"
[ -e "$environment/complete" ] || {
  rm -rf "$environment"
  "$python312" -m venv "$environment"
  "$environment/bin/pip" install --quiet --no-cache-dir --requirement bench/cluster/requirements.txt >&2
  touch "$environment/complete"
}
folder="$work/cluster"
mkdir -p "$folder"
"$environment/bin/python" bench/cluster/float32.py model/shipped/model "$folder/base"
port="$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
url="http://127.0.0.1:$port"
serve() {
  (cd "$folder" && exec setsid env JAX_COMPILATION_CACHE_DIR="$cache/cluster-jax" "$environment/bin/python" "$OLDPWD/bench/cluster/serve.py" "$folder/base" "$port" >>server.log 2>&1) &
  server=$!
  for _ in $(seq 300); do
    curl --silent --fail "$url/api/v1/healthz" >/dev/null && return
    kill -0 "$server" 2>/dev/null || break
    sleep 1
  done
  tail -n 40 "$folder/server.log"
  return 1
}
stop() { kill -- "-$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; } # the server and its engine
trap 'stop; [ -n "${PARLEY_CI_WORK:-}" ] || rm -rf "$work"' EXIT
serve
parley="$(parley)"
"$parley" doctor --engine "$url" --recipe examples/cluster/magrpo-tiny-cluster.yaml
PARLEY_TINKER_URL="$url" PARLEY_TINKER_MODEL="$folder/base" go test -vet=off -count=1 -tags cluster -run 'TestServer(Parity|Resume)' -v ./engine/tinker
for recipe in magrpo-tiny debate-sums; do
  run="$folder/$recipe"
  quietly "$parley" train "examples/cluster/$recipe-cluster.yaml" --set "engine.tinker.url=$url" --out "$run" --max-updates 2
  # The server is killed and comes up again over its database and its checkpoints; the run goes on.
  stop
  serve
  quietly "$parley" train --resume "$run"
  grep -c update "$run/metrics.jsonl"
  grep -o '"apart":[^,}]*' "$run/timing.jsonl" || true # of the recipe that scores again: nats
done
