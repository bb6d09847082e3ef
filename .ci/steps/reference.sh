# Whole updates against PyTorch and CoMLRL.
python="$(torch)/bin/python"
"$python" bench/reference/check.py
quietly "$python" bench/reference/check_comlrl.py
