# Here and for other systems, without cgo. Step arm64 builds for Linux on arm64.
parley >/dev/null
for target in darwin/arm64 windows/amd64; do
  CGO_ENABLED=0 GOOS="${target%/*}" GOARCH="${target#*/}" go build -o /dev/null ./cmd/parley
done
