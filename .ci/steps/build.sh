# Here and for other systems, without cgo: on a landing for one of them.
parley >/dev/null
targets=(linux/arm64 darwin/arm64 windows/amd64)
[ -z "${PARLEY_CI_TURN:-}" ] || targets=("${targets[PARLEY_CI_TURN % 3]}")
for target in "${targets[@]}"; do
  GOOS="${target%/*}" GOARCH="${target#*/}" go build -o /dev/null ./cmd/parley
done

# A release from a copy of the sources in another folder, without version control, has the same bytes, and its program says its version and completes words.
host="$(go env GOHOSTOS)/$(go env GOHOSTARCH)"
mkdir "$work/copy"
git ls-files -z | tar -c --null -T - | tar -x -C "$work/copy"
go run ./tools/release -version 0.0.0-ci -out "$work/here" "$host"
(cd "$work/copy" && go run ./tools/release -version 0.0.0-ci -out "$work/there" "$host")
diff -r "$work/here" "$work/there"
(cd "$work/here" && sha256sum --quiet -c checksums.txt && tar xzf parley_*.tar.gz)
[ "$("$work"/here/parley_*/parley --version | head -n 1)" = "parley 0.0.0-ci" ]
env -i bash -c 'PATH="$(echo "$1"/here/parley_*/)"; . "$PATH/completions/parley.bash"; COMP_WORDS=(parley recipe sh); COMP_CWORD=2; _parley; [ "${COMPREPLY[*]}" = show ]' bash "$work"
