package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/engine"
	"parley/engine/tinker"
	"parley/engine/tinker/link"
	"parley/model"
	"parley/model/config"
)

// A spoken is what a program writes, for others to read meanwhile.
type spoken struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *spoken) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *spoken) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// serving starts `parley serve` and returns where it listens, its token, and what ends it and returns its exit code.
func serving(t *testing.T, args ...string) (url, token string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	var stderr spoken
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...), strings.NewReader(""), io.Discard, &stderr)
	}()
	listening := regexp.MustCompile(`(?s)token ((?:tml-)?[0-9a-f]+)\nlistening on (http://127\.0\.0\.1:\d+)\n`)
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if m := listening.FindStringSubmatch(stderr.String()); m != nil {
			return m[2], m[1], func() int { cancel(); return <-code }
		}
		select {
		case c := <-code:
			t.Fatalf("exit code %d: %s", c, stderr.String())
		default:
		}
		if time.Since(begun) > 2*time.Minute {
			t.Fatalf("it does not listen: %s", stderr.String())
		}
	}
}

// call posts a body and returns the status and the answer.
func call(t *testing.T, url, token, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

// TestServe: a team and its agents, and a model, are served under their names, a seed gets the same answer in a new server, and ^C ends it
// with exit code 0.
func TestServe(t *testing.T) {
	t.Setenv("PARLEY_TOKEN", "")
	var texts [2]string
	for i := range texts {
		url, token, stop := serving(t, "chain-tiny", "parley-base")
		for _, name := range []string{"chain-tiny", "chain-tiny/agent-editor", "parley-base"} {
			status, body := call(t, url+"/v1/chat/completions", token, `{"model":"`+name+`","messages":[{"role":"user","content":"What is 2 + 3?"}],"seed":7,"temperature":1}`)
			var answer struct {
				Fingerprint string `json:"system_fingerprint"`
				Choices     []struct {
					Message struct{ Content, Reasoning string }
				}
			}
			if err := json.Unmarshal([]byte(body), &answer); err != nil || status != 200 {
				t.Fatalf("%s: %d, %v, %s", name, status, err, body)
			}
			said := answer.Choices[0].Message
			if team := name == "chain-tiny"; team != strings.Contains(said.Reasoning, "[critic, turn 2]") || said.Content == "" || answer.Fingerprint == "" {
				t.Errorf("%s: %s", name, body)
			}
			texts[i] += answer.Fingerprint + said.Content + "|"
		}
		if status, body := call(t, url+"/v1/chat/completions", "another", "{}"); status != 401 {
			t.Errorf("another token: %d, %s", status, body)
		}
		if code := stop(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	if texts[0] != texts[1] {
		t.Errorf("the same seed gets %q, then %q", texts[0], texts[1])
	}
}

// TestServeTinker: the engine is served to the program's own client of the Tinker protocol, over the base that ships, and ^C ends it with exit code 0.
func TestServeTinker(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	url, token, stop := serving(t, "--tinker", "--model", "parley-base", "--state", state)
	c, err := config.Parse(readShipped(t))
	if err != nil {
		t.Fatal(err)
	}
	e, err := tinker.Open(t.Context(), link.Server{URL: url, Key: token, Model: "parley-base", Wait: time.Minute}, tinker.Shape{Vocab: c.Vocab, Context: c.Context}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.NewPolicy(t.Context(), "p", engine.PolicySpec{Rank: 4, Seed: 1}); err != nil {
		t.Error(err)
	}
	if all, err := e.Sample(t.Context(), []engine.SampleRequest{{Policy: "p", Prompt: []int{10, 11}, MaxTokens: 4, Sampling: engine.Sampling{Temperature: 1}}}); err != nil || len(all[0].Tokens) == 0 {
		t.Errorf("%v, %v", all, err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if code := stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if runs, err := os.ReadDir(filepath.Join(state, "runs")); err != nil || len(runs) == 0 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

// readShipped is the config.json of the base that ships.
func readShipped(t *testing.T) []byte {
	t.Helper()
	m, err := model.Open("parley-base")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	return m.Source.Config()
}
