# What was trained is what is exported: llama.cpp, transformers and peft load all forms and give the policy's log-probabilities.
llamacpp="$(llamacpp)"
families=()
if have_shared; then
  families=(--models "$shared/goldens/models")
else
  left_out "exports of all families in llama.cpp"
fi
PYTHONPATH="$llamacpp" quietly "$(torch)/bin/python" bench/export/check_export.py --parley "$(parley)" --shipped model/shipped/model --docs docs/export.md "${families[@]}"
PYTHONPATH="$llamacpp" quietly "$(torch)/bin/python" bench/export/splits.py --parley "$(parley)"
