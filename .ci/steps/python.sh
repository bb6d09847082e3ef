# The package for Python: its size, its types, its tests over the program, real games, a notebook, its wheel in an environment of its own, other Pythons.
need bwrap bubblewrap
export PARLEY_BINARY="$(parley)" PYTHONPATH="$PWD/python" PYRIGHT_PYTHON_IGNORE_WARNINGS=1
python="$(python_layer)/bin"
newest="$(newest_python)"
"$python/python" python/tests/lines.py
(cd python && "$python/mypy" --strict --cache-dir "$work/mypy" parley tests/uses.py && "$python/pyright" --pythonpath "$python/python" parley tests/uses.py)

# Two halves of the tests at once, which mostly wait.
cd python/tests
mkdir "$work/half"
(work="$work/half" && quietly "$python/python" -m unittest test_train test_games) &
half=$!
quietly "$python/python" -m unittest $(ls test_*.py | grep -v -e test_train -e test_games | sed 's/\.py$//')
wait "$half"

# What needs no other package runs on the oldest and on the newest Python that is here, and on 3.14, too.
for each in "$HOME"/.pyenv/versions/3.10.*/bin/python $(ls -d "$HOME"/.pyenv/versions/3.1[3-9].*/bin/python 2>/dev/null | sort -V | tail -n 1) "$newest"; do
  [ -x "$each" ] || continue
  "$each" --version
  quietly "$each" -m unittest test_host test_data test_adapters
done
cd ../..

go run ./tools/wheel --binary "$PARLEY_BINARY" --out "$work/wheel"
env -u PYTHONPATH bash bench/python/wheel.sh "$work"/wheel/parley_rl-*.whl
