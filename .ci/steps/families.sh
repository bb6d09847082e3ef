# Every family, in many configurations, against transformers and peft; and the goldens of families, made again.
python="$(torch)/bin/python"
quietly "$python" bench/families/check.py --parley "$(parley)" --random 100
quietly "$python" bench/families/goldens.py --check engine/native/testdata/goldens
