{{/* Installs vLLM, once. */ -}}
{{template "uv" .}}
[ -e vllm/complete ] || {
  uv venv --clear --python 3.12 vllm
  uv pip install --python vllm/bin/python vllm=={{template "vllm version"}}
  touch vllm/complete
}
