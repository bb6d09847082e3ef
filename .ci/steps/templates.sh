# Chat templates in transformers and in parley: written ones, drawn ones, and those of published models.
published=()
if have_shared; then
  published=(--goldens "$shared/goldens/chat")
else
  left_out "the chat templates of published models in transformers"
fi
quietly "$(torch)/bin/python" bench/templates/check.py --parley "$(parley)" --random 600 "${published[@]}"
