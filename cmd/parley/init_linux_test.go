package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/cmd/parley/internal/cli"
	"parley/internal/terminal/terminaltest"
)

// TestInitOnTerminal answers every question, one of them wrongly at first, and takes the guesses.
func TestInitOnTerminal(t *testing.T) {
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	keys, terminal := terminaltest.Open(t)
	seen, stdout := new(terminaltest.Screen), new(bytes.Buffer)
	go io.Copy(io.Discard, keys) // the terminal's echo; ends when it is closed
	done := make(chan int, 1)
	go func() { done <- run(t.Context(), []string{"init"}, terminal, stdout, seen) }()
	for _, step := range []struct{ asked, typed string }{
		{"pulled data set [none]: ", "nowhere.jsonl\n"},
		{"there is no data set", filepath.Join(repository, "examples", "own-data", "capitals.jsonl") + "\n"},
		{"Key of the question [question]: ", "\n"},
		{"or none [answer]: ", "\n"},
		{"Base model [parley-base]: ", "\n"},
		{"Roles of the agents, with commas between, or none [none]: ", "\n"},
		{"Agents [2]: ", "many\n"},
		{"no number of agents", "3\n"},
		{"Reward: label, FILE.py or http://… [label]: ", "\n"},
		{"leader    agent2, agent3 → agent1    the others propose, and the first one decides\n", ""},
		{"Who sees whom [debate]: ", "ring\n"},
		{"expected one of chain, review, parallel, debate, leader", "chain\n"},
		{"Recipe file to write [capitals.yaml]: ", "mine.yaml\n"},
	} {
		terminaltest.Wait(t, step.asked, func() bool { return strings.Contains(seen.String(), step.asked) })
		typeIn(t, keys, step.typed)
	}
	if code := <-done; code != cli.ExitDone || !strings.Contains(stdout.String(), "mine.yaml is written: 155 training problems, 45 held out") {
		t.Fatalf("exit code %d: %s%s", code, seen, stdout)
	}
	text, err := os.ReadFile("mine.yaml")
	if err != nil || !strings.Contains(string(text), "agent1 → agent2 → agent3") {
		t.Errorf("%s, %v", text, err)
	}
}

// TestInitInterrupted: an interrupt and the end of the input end the questions, and nothing is written.
func TestInitInterrupted(t *testing.T) {
	for _, c := range []struct {
		end  func(keys io.Writer, interrupt func())
		code int
		want string
	}{
		{func(_ io.Writer, interrupt func()) { interrupt() }, 130, "interrupted; nothing is written"},
		{func(keys io.Writer, _ func()) { typeIn(t, keys, "\x04") }, cli.ExitUsage, "the input ended before all was answered; nothing is written"},
	} {
		t.Chdir(t.TempDir())
		keys, terminal := terminaltest.Open(t)
		seen := new(terminaltest.Screen)
		ctx, interrupt := context.WithCancel(t.Context())
		done := make(chan int, 1)
		go func() { done <- run(ctx, []string{"init"}, terminal, io.Discard, seen) }()
		terminaltest.Wait(t, "the question", func() bool { return strings.Contains(seen.String(), "[none]: ") })
		c.end(keys, interrupt)
		if code := <-done; code != c.code || !strings.Contains(seen.String(), c.want) {
			t.Errorf("exit code %d: %s, want %d: %s", code, seen, c.code, c.want)
		}
		if left, err := filepath.Glob("*"); err != nil || len(left) > 0 {
			t.Errorf("%q are written, %v", left, err)
		}
		interrupt()
	}
}
