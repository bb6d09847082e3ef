package main

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/cmd/parley/internal/cli"
)

// hostToken is what a host expects.
const hostToken = "token-of-the-host-8461"

// hosting starts a program's server that answers calls of parley, and says so in the environment. stdin is that program's life.
func hosting(t *testing.T, answers map[string]func(call map[string]json.RawMessage) any) (address string, stdin io.Reader, dies func()) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call map[string]json.RawMessage
		answer, known := answers[strings.TrimPrefix(r.URL.Path, "/")]
		switch err := json.NewDecoder(r.Body).Decode(&call); {
		case r.Header.Get("Authorization") != "Bearer "+hostToken:
			w.WriteHeader(http.StatusUnauthorized)
		case !known || err != nil:
			w.WriteHeader(http.StatusNotFound)
		default:
			_ = json.NewEncoder(w).Encode(answer(call))
		}
	}))
	t.Cleanup(s.Close)
	t.Setenv("PARLEY_HOST", s.URL)
	t.Setenv("PARLEY_HOST_TOKEN", hostToken)
	r, w := io.Pipe()
	t.Cleanup(func() { w.Close() })
	return s.URL, r, func() { w.Close() }
}

// said runs a command.
func said(t *testing.T, stdin io.Reader, args ...string) (code int, text string) {
	t.Helper()
	var out bytes.Buffer
	code = run(t.Context(), args, stdin, &out, &out)
	return code, out.String()
}

// brief is a reward of which a test knows what it gives.
func brief(call map[string]json.RawMessage) any {
	var responses []string
	_ = json.Unmarshal(call["responses"], &responses)
	return float64(len(strings.Join(responses, ""))%7) / 7
}

// TestHostReward: a run is scored by the program that started parley, goes on when that has another port, and has neither port nor token in its files.
func TestHostReward(t *testing.T) {
	dir := t.TempDir()
	quick := []string{"--set", "reward.source=user", "--set", "reward.user.url=host:reward", "--set", "training.problems=2", "--set", "eval.problems=2", "--set", "training.updates=2"}
	answers := map[string]func(map[string]json.RawMessage) any{"reward": brief}
	first, stdin, _ := hosting(t, answers)
	train := func(out string, more ...string) {
		t.Helper()
		if code, text := said(t, stdin, append(append([]string{"train", "magrpo-tiny", "--out", filepath.Join(dir, out)}, quick...), more...)...); code != 0 {
			t.Fatalf("exit code %d: %s", code, text)
		}
	}
	train("whole")
	train("parts", "--max-updates", "1")
	second, stdin, _ := hosting(t, answers)
	if code, text := said(t, stdin, "train", "--resume", filepath.Join(dir, "parts")); code != 0 {
		t.Fatalf("exit code %d: %s", code, text)
	}
	var metrics [2][]byte
	for i, out := range []string{"whole", "parts"} {
		var err error
		if metrics[i], err = os.ReadFile(filepath.Join(dir, out, "metrics.jsonl")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(metrics[0], metrics[1]) {
		t.Errorf("%s\nand behind another port\n%s", metrics[0], metrics[1])
	}
	secrets := []string{hostToken, strings.TrimPrefix(first, "http://"), strings.TrimPrefix(second, "http://")}
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, secret := range secrets {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s holds %s", path, secret)
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestHostlessCommands: what calls a host ends with 2 where there is none, or none that is meant, and says why.
func TestHostlessCommands(t *testing.T) {
	dir := t.TempDir()
	world := filepath.Join(dir, "world.yaml")
	items := filepath.Join(dir, "items.jsonl")
	for file, text := range map[string]string{
		items: "{\"id\": 1, \"question\": \"q\"}\n{\"id\": 2, \"question\": \"r\"}\n",
		world: "name: world\ntask: {name: environment, path: items.jsonl, environment: {url: 'host:environment'}}\nteam: {protocol: workflow, agents: {a: {}}, workflow: [{ask: a, prompt: x}, {act: a}]}\nreward: {source: joint}\nalgorithm: magrpo\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reward := []string{"train", "magrpo-tiny", "--set", "reward.source=user", "--set", "reward.user.url=host:reward", "--out", filepath.Join(dir, "run")}
	agent := filepath.Join(dir, "agent.yaml")
	if err := os.WriteFile(agent, []byte("name: agent\ntask: {name: sums}\nteam: {protocol: workflow, answer: a, workflow: [{ask: [a, b], prompt: x}], agents: {a: {}, b: {endpoint: {url: 'host:agents/b'}}}}\nalgorithm: magrpo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const ask = ", which is answered by the program that starts parley: resume this run from Python"
	for _, c := range []struct {
		host string
		args []string
		want string
	}{
		{"", reward, "parley: reward.user.url is host:reward" + ask},
		{"", []string{"train", world, "--out", filepath.Join(dir, "run")}, "task.environment.url is host:environment" + ask},
		{"", []string{"train", agent, "--out", filepath.Join(dir, "run")}, "team.agents.b.endpoint.url is host:agents/b" + ask},
		{"http://192.0.2.1:80", reward, `parley: PARLEY_HOST is "http://192.0.2.1:80", expected a loopback address`},
		{"", append(reward, "--set", "reward.user.key_env=HOME"), "reward.user.key_env is HOME, but the program that starts parley has a key of its own"},
		{"", []string{"recipe", "check", world, "--set", "task.environment.key_env=HOME"}, "environment.key_env is HOME, but the program that starts parley has a key of its own"},
		{"", []string{"recipe", "check", agent, "--set", "team.agents.b.endpoint.token_env=HOME"}, "the program that starts parley has a token of its own"},
		{"", []string{"recipe", "check", "magrpo-tiny", "--set", "reward.source=user", "--set", "reward.user.url=host:a b"}, "expected an http address, or host: and a path"},
		{"", []string{"recipe", "check", world, "--set", "task.environment.url=host:"}, "expected an http address, or host: and a path"},
	} {
		t.Setenv("PARLEY_HOST", c.host)
		t.Setenv("PARLEY_HOST_TOKEN", "x")
		r, w := io.Pipe()
		code, text := said(t, r, c.args...)
		w.Close()
		if code != cli.ExitUsage || !strings.Contains(text, c.want) {
			t.Errorf("%q: exit code %d, want %q:\n%s", c.args, code, c.want, text)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "run")); err == nil {
		t.Error("a run was begun")
	}
	t.Setenv("PARLEY_HOST", "")
	t.Setenv("PARLEY_CALLER", "python")
	for argument, args := range map[string][]string{"reward=": reward, "environment=": {"train", world}, "agents=": {"train", agent}} {
		if code, text := said(t, strings.NewReader(""), args...); code != cli.ExitUsage || !strings.Contains(text, "give "+argument+" again") {
			t.Errorf("%q: exit code %d, want %s:\n%s", args, code, argument, text)
		}
	}
}

// TestHostAgent: an agent may speak by the program that started parley.
func TestHostAgent(t *testing.T) {
	dir := t.TempDir()
	_, stdin, _ := hosting(t, map[string]func(map[string]json.RawMessage) any{"agents/b/chat/completions": func(call map[string]json.RawMessage) any {
		if string(call["model"]) != `"b"` {
			t.Errorf("model %s", call["model"])
		}
		return json.RawMessage(`{"choices":[{"message":{"role":"assistant","content":"Answer: \\boxed{5}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`)
	}})
	recipe := filepath.Join(dir, "agent.yaml")
	text := "name: agent\ntask: {name: sums}\nalgorithm: magrpo\nteam: {protocol: workflow, answer: a, workflow: [{ask: b, prompt: '{{.Question}}'}, {ask: a, prompt: '{{.Question}} {{.Last}}'}], agents: {a: {}, b: {endpoint: {url: 'host:agents/b'}}}}\ntraining: {problems: 2, updates: 1}\neval: {problems: 2}\n"
	if err := os.WriteFile(recipe, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, text := said(t, stdin, "train", recipe, "--out", filepath.Join(dir, "run")); code != 0 {
		t.Fatalf("exit code %d: %s", code, text)
	}
	if code, text := said(t, stdin, "run", "episode", filepath.Join(dir, "run"), "1"); code != 0 || !strings.Contains(text, `boxed{5}`) {
		t.Errorf("exit code %d: %s", code, text)
	}
}

// TestHostDies: when the program that started parley is gone, the run saves its state and ends as at SIGTERM.
func TestHostDies(t *testing.T) {
	dir := t.TempDir()
	calls := 0
	var dies func()
	var stdin io.Reader
	_, stdin, dies = hosting(t, map[string]func(map[string]json.RawMessage) any{"reward": func(call map[string]json.RawMessage) any {
		if calls++; calls == 60 {
			dies()
		}
		return brief(call)
	}})
	code, text := said(t, stdin, "train", "magrpo-tiny", "--set", "reward.source=user", "--set", "reward.user.url=host:reward", "--set", "training.problems=2", "--set", "eval.problems=2", "--set", "training.updates=5000", "--out", filepath.Join(dir, "run"))
	if code != 130 || !strings.Contains(text, "go on with\n  parley train --resume") {
		t.Errorf("exit code %d: %s", code, text)
	}
}

// TestHostSaysNo: what the host says is wrong is final, and names neither port nor token.
func TestHostSaysNo(t *testing.T) {
	calls := 0
	_, stdin, _ := hosting(t, map[string]func(map[string]json.RawMessage) any{"reward": func(call map[string]json.RawMessage) any {
		if call["responses"] != nil {
			calls++
		}
		return map[string]string{"error": "Traceback: no judge"}
	}})
	code, text := said(t, stdin, "train", "magrpo-tiny", "--set", "reward.source=user", "--set", "reward.user.url=host:reward", "--out", filepath.Join(t.TempDir(), "run"))
	if code != cli.ExitUsage || !strings.Contains(text, "before any training") || !strings.Contains(text, "Traceback: no judge") || strings.Contains(text, "127.0.0.1") || calls > 3 { // its trial has three forms
		t.Errorf("exit code %d after %d calls: %s", code, calls, text)
	}
}

// TestHostIdentity: what answers is recorded, and another one is refused unless it is accepted. Calls come together where it takes several.
func TestHostIdentity(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	identity, most, together := "first", 0, 0
	answers := map[string]func(map[string]json.RawMessage) any{"reward": func(call map[string]json.RawMessage) any {
		if string(call["call"]) == `"about"` {
			return map[string]any{"identity": identity, "batch": 8}
		}
		var calls []map[string]json.RawMessage
		if err := json.Unmarshal(call["calls"], &calls); err != nil {
			t.Errorf("no batch: %s", call["item"])
		}
		most, together = max(most, len(calls)), together+1
		var list []any
		for _, c := range calls {
			list = append(list, brief(c))
		}
		return map[string]any{"answers": list}
	}}
	_, stdin, _ := hosting(t, answers)
	args := []string{"train", "magrpo-tiny", "--set", "reward.source=user", "--set", "reward.user.url=host:reward", "--set", "training.problems=2", "--set", "eval.problems=4", "--set", "training.updates=2", "--out", dir}
	if code, text := said(t, stdin, append(args, "--max-updates", "1")...); code != 0 {
		t.Fatalf("exit code %d: %s", code, text)
	}
	if most != 8 {
		t.Errorf("at most %d calls in a request, want 8", most)
	}
	var meta struct {
		Files []map[string]any `json:"files"`
	}
	data, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err == nil {
		err = json.Unmarshal(data, &meta)
	}
	const sum = "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e" // printf first | sha256sum
	if err != nil || len(meta.Files) != 1 || meta.Files[0]["key"] != "reward.user.url" || meta.Files[0]["path"] != "host:reward" || meta.Files[0]["sha256"] != sum {
		t.Errorf("files %v, %v", meta.Files, err)
	}
	identity = "second"
	code, text := said(t, stdin, "train", "--resume", dir)
	if code != cli.ExitUsage || !strings.Contains(text, "reward.user.url host:reward was a7937b64b8ca") || !strings.Contains(text, "--accept-changed") {
		t.Errorf("exit code %d: %s", code, text)
	}
	t.Setenv("PARLEY_CALLER", "python") // whose arguments it is told of
	if code, text := said(t, stdin, "train", "--resume", dir); code != cli.ExitUsage || !strings.Contains(text, "or go on with accept_changed=True: the report") {
		t.Errorf("exit code %d: %s", code, text)
	}
	if code, text := said(t, stdin, "train", "--resume", dir, "--accept-changed"); code != 0 || !strings.Contains(text, "host:reward") {
		t.Errorf("exit code %d: %s", code, text)
	}
}

// TestHostTools: agents call functions of the program that started parley, whose identity the run records.
func TestHostTools(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	_, stdin, _ := hosting(t, map[string]func(map[string]json.RawMessage) any{"tools": func(call map[string]json.RawMessage) any {
		if string(call["call"]) == `"about"` {
			return json.RawMessage(`{"identity":"first","tools":[{"name":"add","description":"Adds.","parameters":{"type":"object","properties":{"what":{"type":"string"}},"required":["what"]}}]}`)
		}
		return map[string]string{"result": "4711"}
	}})
	args := []string{"train", "tool-sums-tiny", "--set", "team.agents.solver.tools=[host:tools]", "--set", "training.problems=2", "--set", "eval.problems=2", "--set", "training.updates=1", "--out", dir}
	if code, text := said(t, stdin, args...); code != 0 {
		t.Fatalf("exit code %d: %s", code, text)
	}
	if code, text := said(t, stdin, "run", "episodes", dir, "--json"); code != 0 || !strings.Contains(text, `"result":"4711"`) {
		t.Errorf("exit code %d: %.3000s", code, text)
	}
	data, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil || !strings.Contains(string(data), "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e") {
		t.Errorf("run.json has no identity: %v", err)
	}
	t.Setenv("PARLEY_HOST", "")
	if code, text := said(t, stdin, append(args[:len(args)-1], dir+"2")...); code != cli.ExitUsage || !strings.Contains(text, "host:tools, which is answered by the program that starts parley") {
		t.Errorf("exit code %d: %s", code, text)
	}
}
