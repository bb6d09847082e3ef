package schema

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"

	"parley/internal/plainfile"
)

// TestBounds: a text that nests too deep or goes on too long is refused, in a file and in a change, and the message says where. What a bound
// allows is read.
func TestBounds(t *testing.T) {
	steps := func(n int) string { // n sections in each other, a line each
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	const deep, long = "more than 64 deep", "after 20000 words and marks"
	for _, c := range []struct{ name, text, want string }{
		{"brackets", strings.Repeat("[", 64) + strings.Repeat("]", 64), ""},
		{"deep brackets", strings.Repeat("[", 65), deep},
		{"many brackets", strings.Repeat("[", 200_000), deep},
		{"closed brackets", strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), deep},
		{"deep braces", strings.Repeat("{a: ", 65), deep},
		{"brackets and braces", strings.Repeat("[{a: ", 33), deep},
		{"sections", steps(32), ""},
		{"deep sections", steps(33), deep},
		{"lists", strings.Repeat("- ", 32) + "a", ""},
		{"deep lists", strings.Repeat("- ", 33), deep},
		{"complex keys", strings.Repeat("? ", 33), deep},
		{"brackets in a list", strings.Repeat("- ", 31) + strings.Repeat("[", 10), deep},
		{"quoted brackets", "'" + strings.Repeat("[", 1000) + "'", ""},
		{"brackets in a block", "a: |\n  " + strings.Repeat("[", 1000) + "\n", ""},
		{"brackets in a comment", "a: 1 # " + strings.Repeat("[", 1000) + "\n", ""},
		{"pairs after each other", strings.Repeat("[], ", 100), ""},
		{"long keys", strings.Repeat("\"a b\": 1\nlonger: {b: 1}\n", 100), ""},
		{"many items", strings.Repeat("- a\n", 9_999), ""},
		{"too many items", strings.Repeat("- a\n", 10_001), long},
		{"too many in brackets", "[" + strings.Repeat("a,", 10_001) + "]", long},
		{"comments", strings.Repeat("# a\n", 50_000), ""},
		{"closing brackets", strings.Repeat("]", 1000), ""},
	} {
		_, at, message := plainfile.YAMLTokens(c.text)
		if c.want == "" && message != "" || !strings.Contains(message, c.want) || (message != "" && at.Line == 0) {
			t.Errorf("%s: %d:%d %q, want %q", c.name, at.Line, at.Column, message, c.want)
		}
	}
	if _, _, message := parseYAML([]byte(strings.Repeat("[", 40_000))); !strings.Contains(message, deep) {
		t.Errorf("message %q", message)
	}
}

// FuzzBounds: a text that the bounds let pass has no collections in each other beyond them, whatever the parser makes of it.
func FuzzBounds(f *testing.F) {
	for _, s := range []string{
		"a:\n- b:\n  - c: [d, {e: f}]\n", "- - - a\n", "? - a\n: - b\n", "a: &x {b: *x}\n", "\"a\": 'b'\n", "a: |\n  [\n", "!!map {a: !t [b]}", "a:\n  b:\n c: d\n", "[a: b, ? c : d]",
		strings.Repeat("- ", 40), strings.Repeat("{a: ", 70), strings.Repeat("!a ", 100), strings.Repeat("&a ", 100), strings.Repeat("a: ", 100), strings.Repeat("-\n", 100), "- a: - b: - c",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		docs, _, _ := parseYAML(data)
		for _, doc := range docs {
			if n := deepest(doc); n > plainfile.MaxYAMLDepth {
				t.Errorf("%d collections in each other in %q", n, data)
			}
		}
	})
}

// deepest counts the collections in each other in a tree.
func deepest(node ast.Node) int {
	n := 0
	switch c := node.(type) {
	case *ast.MappingNode:
		for _, pair := range c.Values {
			n = max(n, deepest(pair.Value), deepest(pair.Key))
		}
		return n + 1
	case *ast.MappingValueNode:
		return max(deepest(c.Key), deepest(c.Value)) + 1
	case *ast.MappingKeyNode:
		return deepest(c.Value)
	case *ast.SequenceNode:
		for _, item := range c.Values {
			n = max(n, deepest(item))
		}
		return n + 1
	case *ast.AnchorNode:
		return deepest(c.Value)
	case *ast.TagNode:
		return deepest(c.Value)
	}
	return n
}
