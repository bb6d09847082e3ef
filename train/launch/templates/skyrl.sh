{{/* A script for this machine, without Docker. GPUs are given by their numbers, so that no two servers have one. */ -}}
{{template "process" .}}
{{text "install.sh" . -}}
{{text "start.sh" . -}}

{{define "process" -}}
#!/bin/bash
# {{template "made by"}}
export CUDA_VISIBLE_DEVICES={{range $i, $device := .Devices}}{{if $i}},{{end}}{{$device}}{{end}}
{{- end -}}
