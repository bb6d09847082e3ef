# Adapters both ways, against peft and transformers.
if have_shared; then
  quietly "$(torch)/bin/python" bench/peft/check_goldens.py --parley "$(parley)" --models "$shared/goldens/models"
else
  left_out "adapters against peft over the reference models"
fi
