package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// silence is a server that takes connections and says nothing, and calls heard for each.
func silence(t *testing.T, heard func()) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			heard()
		}
	}()
	return "http://" + l.Addr().String()
}

// TestSilent: whoever is silent, a run that is interrupted ends, and says who it waited for.
func TestSilent(t *testing.T) {
	t.Setenv("PARLEY_RUNS", t.TempDir())
	small := []string{"--set", "training.problems=1", "--set", "eval.problems=1"}
	user := append([]string{"--set", "reward.source=user", "--set", "reward.user.seconds=3000"}, small...)
	for name, args := range map[string][]string{
		"reward":         append([]string{"train", "magrpo-tiny", "--set", "reward.user.url=URL/reward"}, user...),
		"reward program": append([]string{"train", "magrpo-tiny", "--set", "reward.user.command=[sh, -c, touch RUNS; exec sleep 3000]"}, user...),
		"eval":           append([]string{"eval", "magrpo-tiny", "--set", "reward.user.url=URL/reward"}, user...),
		"verifier": ([]string{
			"train", "maporl-e1-tiny", "--set", "reward.source=server", "--set", "reward.scoring.url=URL/v1", "--set", "reward.scoring.model=m",
			"--set", "reward.scoring.seconds=3000", "--set", "eval.problems=1",
		}),
		"verifier program": ([]string{
			"train", "maporl-e1-tiny", "--set", "reward.source=program", "--set", "reward.scoring.command=[sh, -c, touch RUNS; exec sleep 3000]",
			"--set", "reward.scoring.seconds=3000", "--set", "eval.problems=1",
		}),
		"speaker": append([]string{"train", "path-tiny", "--set", "team.agents={north: {}, south: {endpoint: {url: URL/v1, model: m}}}"}, small...),
		"world":   append([]string{"train", "path-tiny", "--set", "task.environment.name=", "--set", "task.environment.url=URL/world", "--set", "task.environment.seconds=3000", "--set", "task.path=ASKED"}, small...),
		"sampler": append([]string{"train", "magrpo-tiny", "--set", "sampler.openai.url=URL/v1", "--set", "sampler.openai.model=m", "--set", "sampler.openai.adapters=" + t.TempDir()}, small...),
		"cluster": {"train", "magrpo-tiny", "--set", "engine.tinker.url=URL", "--set", "sampling.temperature=1", "--set", "eval.temperature=1", "--set", "policies.alpha=32", "--set", "optimizer.weight_decay=0"},
		"asked":   {"reward", "URL/reward", "--in", "ASKED"},
		"chat":    {"chat", "--url", "URL/v1"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			url := silence(t, interrupt)
			asked := filepath.Join(t.TempDir(), "asked.jsonl")
			if err := os.WriteFile(asked, []byte(`{"item":{"question":"q"},"responses":["a"]}`+"\n"+`{"item":{"question":"r"},"responses":["a"]}`+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			runs := filepath.Join(t.TempDir(), "runs")
			for i := range args {
				args[i] = strings.NewReplacer("URL", url, "RUNS", runs, "ASKED", asked).Replace(args[i])
			}
			var stdout, stderr bytes.Buffer
			code := make(chan int, 1)
			go func() { code <- run(ctx, args, strings.NewReader("hello\n"), &stdout, &stderr) }()
			for ctx.Err() == nil { // until the server hears something, or the program has begun
				if _, err := os.Stat(runs); err == nil {
					interrupt()
				}
				select {
				case <-ctx.Done():
				case <-time.After(5 * time.Millisecond):
				case got := <-code:
					t.Fatalf("it ended before it was interrupted, exit code %d: %s", got, stderr.String())
				}
			}
			select {
			case got := <-code:
				said := stderr.String()
				if got != 130 || !strings.Contains(said, url) && !strings.Contains(said, "for sh") {
					t.Errorf("exit code %d, %s", got, said)
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("it still waits")
			}
		})
	}
}
