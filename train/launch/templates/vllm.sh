{{/* A script for a frozen model on this machine. */ -}}
{{template "process" .}}
{{text "install-vllm.sh" . -}}
{{text "start-vllm.sh" . -}}
