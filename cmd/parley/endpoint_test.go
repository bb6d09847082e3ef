package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/engine/openai"
)

// TestEndpointExample: the team of the example trains against our own server, and again without it, byte for byte.
func TestEndpointExample(t *testing.T) {
	recipe, err := os.ReadFile("../../examples/endpoint/team.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "team.yaml")
	url, token, stop := serving(t, "parley-base")
	if err := os.WriteFile(file, bytes.Replace(recipe, []byte("http://127.0.0.1:8139"), []byte(url), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PARLEY_TOKEN", token)
	train := func(out string, sets ...string) []byte {
		args := []string{"train", file, "--out", filepath.Join(dir, out)}
		for _, set := range append(sets, "training.updates=2", "training.problems=2", "eval.problems=2") {
			args = append(args, "--set", set)
		}
		var said bytes.Buffer
		if code := run(t.Context(), args, strings.NewReader(""), &said, &said); code != 0 {
			t.Fatalf("exit code %d: %s", code, &said)
		}
		data, err := os.ReadFile(filepath.Join(dir, out, "metrics.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	first := train("first")
	if code := stop(); code != 0 {
		t.Errorf("the server ended with code %d", code)
	}
	if again := train("again", "servers.replay=true"); !bytes.Equal(first, again) || !bytes.Contains(first, []byte(`"servers":{"requests":`)) {
		t.Errorf("%s\nthen\n%s", first, again)
	}
}

// TestTokensOfOurServer: token ids go to our own server and come back with their log-probabilities, a chat comes in pieces, and both are read as they
// are from others.
func TestTokensOfOurServer(t *testing.T) {
	url, token, stop := serving(t, "parley-base")
	defer stop()
	p, err := openai.OpenPool(openai.PoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := p.Server(openai.Address{URL: url + "/v1", Key: token, Deadline: time.Minute})
	ask := openai.CompletionRequest{Model: "parley-base", Prompt: []int{5, 6, 7}, MaxTokens: 6, Temperature: 0.7, Seed: 4, IgnoreEnd: true}
	one, err := s.Complete(t.Context(), ask)
	if err != nil || len(one.Tokens) != 6 || !one.Cut {
		t.Fatalf("%+v, %v", one, err)
	}
	if two, err := s.Complete(t.Context(), ask); err != nil || two.Logprobs[5] != one.Logprobs[5] {
		t.Errorf("the same seed: %+v, then %+v, %v", one, two, err)
	}
	q := openai.ChatRequest{Model: "parley-base", Messages: []openai.Message{{Role: "user", Content: "Question: 1+1"}}, MaxTokens: 8}
	whole, err := s.Chat(t.Context(), q, nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Stream = true
	if pieces, err := s.Chat(t.Context(), q, nil); err != nil || pieces.Text != whole.Text || pieces.Cut != whole.Cut {
		t.Errorf("%+v in pieces, %+v at once, %v", pieces, whole, err)
	}
	if got := p.Spent()["parley-base"]; got.Requests != 4 || got.Drawn < 14 {
		t.Errorf("%+v", got)
	}
}
