# The module, as it is committed, gets another path in a scratch clone, is served by a proxy of files, and is imported from a module outside, examples/outside.
module=example.com/you/parley
version="v0.1.0-ci.t$(git rev-parse --short=12 "HEAD^{tree}")" # one of its own for each content: Go takes a version for immutable
modules="$(go env GOMODCACHE)"
# forget takes the version out of Go's cache of modules, from where Go would take it the next time, whatever is in it then.
forget() {
  [ ! -e "$modules/$module@$version" ] || chmod -R u+w "$modules/$module@$version"
  rm -rf "$modules/$module@$version" "$modules/cache/download/$module"
}
mkdir -p "$cache"
exec 8>"$cache/rehome.lock"
flock 8 # another run may have the same version
forget
rm -rf "$work/rehomed" "$work/proxy" "$work/outside"
git clone -q . "$work/rehomed"
(
  cd "$work/rehomed"
  make --no-print-directory rehome MODULE="$module"
  go list -deps -test ./... >/dev/null # every import leads somewhere
  go test -run 'Arrows|PureCore|Formatted' house_test.go # the house still stands; the program outside compiles it
  git add -A
  git -c user.name=ci -c user.email=ci@example.com commit -q -m "$module"

  proxy="$work/proxy/$module/@v"
  mkdir -p "$proxy"
  git archive --format=zip --prefix="$module@$version/" -o "$proxy/$version.zip" HEAD -- . ':!examples/outside' ':!tools/makebase'
  cp go.mod "$proxy/$version.mod"
  printf '{"Version":"%s","Time":"%s"}' "$version" "$(date -u +%FT%TZ)" >"$proxy/$version.info"
  echo "$version" >"$proxy/list"
  cp -r examples/outside "$work/outside"
)
failed=0
(
  export GOPROXY="file://$work/proxy,file://$modules/cache/download,$(go env GOPROXY)" GOSUMDB=off GOFLAGS="-trimpath -mod=mod"
  cd "$work/outside" && go get "$module@$version" && go mod tidy && go run .
) || failed=1
forget
rmdir "$modules/example.com/you" "$modules/example.com" 2>/dev/null || true
[ "$failed" = 0 ]
