# Here and for other systems, without cgo.
parley >/dev/null
for target in linux/arm64 darwin/arm64 windows/amd64; do
  GOOS="${target%/*}" GOARCH="${target#*/}" go build -o /dev/null ./cmd/parley
done
