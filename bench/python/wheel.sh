#!/usr/bin/env bash
# A wheel in an environment of its own, without an index: bash bench/python/wheel.sh dist/parley_rl-0.2.0-….whl. The program is on the search path and behind
# python -m, parley.find() finds it, and nothing else was installed. python names another interpreter than python3.
set -euo pipefail
wheel="$(realpath "$1")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
"${python:-python3}" -m venv alone
bin="$work/alone/bin"
"$bin/pip" list --format=freeze --disable-pip-version-check >before
"$bin/pip" install --quiet --no-index --no-cache-dir --disable-pip-version-check "$wheel"
"$bin/pip" list --format=freeze --disable-pip-version-check >after
diff before after >added || true
[ "$(grep -c '^[<>]' added)" = 1 ] && grep -q '^> parley[-_]rl==' added || { echo "the wheel installed more than itself:"; cat added; exit 1; }
unset PARLEY_BINARY
export PATH="$bin:/usr/bin:/bin"
[ "$(command -v parley)" = "$bin/parley" ]
parley version --json >called
python -m parley version --json >module
diff called module
python - "$bin/parley" <<'PYTHON'
import importlib.metadata, json, sys
import parley

assert str(parley.find()) == sys.argv[1], parley.find()
files = {str(file) for file in importlib.metadata.files("parley-rl")}
for part in "licenses/LICENSE", "licenses/THIRD_PARTY.txt", "sboms/parley.cdx.json":
    assert any(file.endswith(".dist-info/" + part) for file in files), part
assert parley.__version__ == importlib.metadata.version("parley-rl"), parley.__version__
assert json.load(open("called"))["api"] == 1
assert not importlib.metadata.distribution("parley-rl").requires or all("extra ==" in r for r in importlib.metadata.distribution("parley-rl").requires)
PYTHON
