# Here and for other systems, without cgo: on a landing for one of them. They are built as a release is, from a clone whose commit has a version's tag.
parley >/dev/null
host="$(go env GOHOSTOS)/$(go env GOHOSTARCH)"
targets=(linux/arm64 darwin/arm64 darwin/amd64 windows/amd64)
[ -z "${PARLEY_CI_TURN:-}" ] || targets=("${targets[PARLEY_CI_TURN % 4]}")
for each in one two; do
  git clone -q --no-tags . "$work/$each"
  git -C "$work/$each" tag v0.0.1-rc.1
done
(cd "$work/one" && go run ./tools/wheel --release --archives --out "$work/dist" "$host" "${targets[@]}")

# A release from another clone in another time zone has the same bytes, and its program says its version and completes words.
(cd "$work/two" && TZ=Pacific/Honolulu go run ./tools/wheel --release --archives --out "$work/again" "$host")
grep -Ff "$work/again/SHA256SUMS" "$work/dist/SHA256SUMS" | diff - "$work/again/SHA256SUMS"
(cd "$work/dist" && sha256sum --quiet -c SHA256SUMS)
(cd "$work/again" && sha256sum --quiet -c SHA256SUMS && tar xzf parley_*.tar.gz)
[ "$("$work"/again/parley_*/parley --version | head -n 1)" = "parley v0.0.1-rc.1" ]
env -i bash -c 'PATH="$(echo "$1"/again/parley_*_*/)"; . "$PATH/completions/parley.bash"; COMP_WORDS=(parley recipe sh); COMP_CWORD=2; _parley; [ "${COMPREPLY[*]}" = show ]' bash "$work"

# Without a tag there is no release.
git -C "$work/two" tag -d v0.0.1-rc.1 >/dev/null
! (cd "$work/two" && go run ./tools/wheel --release --out "$work/none" "$host" 2>"$work/refused")
grep -q 'this is no release: the program says that it is v0.0.0-' "$work/refused"
