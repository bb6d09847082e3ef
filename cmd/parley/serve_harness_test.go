package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inProgram is a recipe whose team works in a program.
func inProgram(name, agents, models string) string {
	return `
name: ` + name + `
model: parley-base
task: {name: sums}
team:
  protocol: harness
  agents: {` + agents + `}
  harness: {url: "http://127.0.0.1:9/episode", models: {` + models + `}}
policies: {sharing: per-agent}
sampling: {max_tokens: 8}
algorithm: magrpo
`
}

// TestServeHarness: agents of a program answer to the names by which it asks them, unless something else is called so, and as it asks them. The team
// has no name.
func TestServeHarness(t *testing.T) {
	t.Setenv("PARLEY_TOKEN", "")
	dir := t.TempDir()
	var recipes []string
	for name, text := range map[string]string{
		"one": inProgram("one", "writer: {}, critic: {}", "gpt-4o: writer, parley-base: critic"), "two": inProgram("two", "writer: {}, editor: {}", "gpt-4.1: editor"),
	} {
		recipes = append(recipes, filepath.Join(dir, name+".yaml"))
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	url, token, stop := serving(t, append(recipes, "parley-base")...)
	for name, want := range map[string]struct {
		status int
		words  string
	}{
		"critic": {200, `"model":"critic"`}, "editor": {200, ""}, "gpt-4o": {200, ""}, "gpt-4.1": {200, ""}, "one/agent-writer": {200, ""}, "two/agent-writer": {200, ""},
		"parley-base": {400, "response_format"}, // the model, which forces forms, and refuses those that it does not know
		"writer":      {404, "there are "},      // are two
		"one":         {404, "is a program, which asks its agents: run it, or ask one of one/agent-writer, one/agent-critic"},
	} {
		status, body := call(t, url+"/v1/chat/completions", token, `{"model":"`+name+`","messages":[{"role":"user","content":"2 + 3"}],"max_tokens":2,"response_format":{"type":"any"}}`)
		if status != want.status || !strings.Contains(body, want.words) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if code := stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
