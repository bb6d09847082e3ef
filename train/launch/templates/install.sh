{{/* Installs what the training server needs, once. */ -}}
{{template "uv" .}}
{{if eq .Backend "jax" -}}
[ -e skyrl/complete ] || {
  uv venv --clear --python 3.12 skyrl
  uv pip install --python skyrl/bin/python 'skyrl[tinker,jax,gpu]=={{template "skyrl version"}}' aiohttp
  touch skyrl/complete
}
{{else -}}
[ -e SkyRL ] || git clone --filter=blob:none https://github.com/NovaSky-AI/SkyRL SkyRL
git -C SkyRL checkout --quiet --detach {{with .Source}}{{shell .}}{{else}}{{template "skyrl commit"}}{{end}}
(cd SkyRL && uv sync --python 3.12 --extra tinker --extra megatron)
{{end -}}

{{define "uv" -}}
set -euo pipefail
mkdir -p {{.Folder}}
cd {{.Folder}}
command -v uv >/dev/null || { python3 -m pip install --user uv; export PATH="$HOME/.local/bin:$PATH"; }
{{- end -}}
