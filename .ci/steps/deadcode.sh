# Functions that neither the program, an example nor the tool that writes the pages on recipes reaches: there are none but those that .ci/deadcode.txt justifies, and none of these is reached.
deadcode="$(tool golang.org/x/tools/cmd/deadcode@v0.52.0)"
"$deadcode" -f '{{range .Funcs}}{{printf "%s %s\n" $.Path .Name}}{{end}}' $(go list -e -f '{{if eq .Name "main"}}{{.ImportPath}}{{end}}' ./cmd/parley ./examples/... ./tools/recipedocs 2>/dev/null) |
  sed "s,^$(GOWORK=off go list -m)/,," | sort >"$work/dead.txt"
sed -n 's/ *#.*//; /./p' .ci/deadcode.txt | sort >"$work/justified.txt"
diff "$work/justified.txt" "$work/dead.txt" >"$work/difference.txt" || {
  sed -n 's/^> \(.*\)/nothing reaches \1: use it, remove it, or justify it in .ci\/deadcode.txt/p; s/^< \(.*\)/.ci\/deadcode.txt justifies \1, which is reached or gone: take the line out/p' "$work/difference.txt"
  exit 1
}
echo "$(wc -l <"$work/dead.txt") functions that nothing reaches, each with its reason in .ci/deadcode.txt"
