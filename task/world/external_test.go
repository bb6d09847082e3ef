package world

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/task"
	"parley/task/environment"
)

// An answer is read as it is meant, or refused by the key that is wrong.
func TestParse(t *testing.T) {
	agents := []string{"a", "b"}
	for _, c := range []struct {
		body string
		want environment.Outcome
	}{
		{`{"state":{"n":1},"observations":"all"}`, environment.Outcome{State: json.RawMessage(`{"n":1}`), All: "all"}},
		{`{"state":0,"observations":{"a":"x"},"rewards":0.5,"done":true,"info":[1],"id":3}`, environment.Outcome{State: json.RawMessage(`0`), Observations: map[string]string{"a": "x"}, Team: 0.5, Done: true, Info: json.RawMessage(`[1]`)}},
		{`{"state":0,"rewards":[1,-1]}`, environment.Outcome{State: json.RawMessage(`0`), Agents: map[string]float64{"a": 1, "b": -1}}},
		{`{"state":0,"reward":2,"rewards":{"b":1}}`, environment.Outcome{State: json.RawMessage(`0`), Team: 2, Agents: map[string]float64{"b": 1}}},
	} {
		if got, err := parse([]byte(c.body), agents, false); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", c.body, got, err)
		}
	}
	for body, want := range map[string]string{
		`[]`:                                    "is no answer",
		`null`:                                  "is no answer",
		`{"observations":"x"}`:                  `has no "state"`,
		`{"state":null}`:                        `has no "state"`,
		`{"state":1,"done":"yes"}`:              `"done" is "yes"`,
		`{"state":1,"observations":3}`:          `"observations" is 3`,
		`{"state":1,"observations":{"a":1}}`:    `"observations" is {"a":1}`,
		`{"state":1,"observations":{"a":null}}`: `the observation of "a" is null`,
		`{"state":1,"rewards":"1"}`:             `rewards is "1"`,
		`{"state":1,"rewards":true}`:            `rewards is true`,
		`{"state":1,"rewards":[1]}`:             `"rewards" has 1 numbers`,
		`{"state":1,"rewards":{"a":"1"}}`:       `the reward of "a" is "1"`,
		`{"state":1,"reward":1,"rewards":2}`:    `"reward" is the team's`,
		`{"state":1,"reward":1e999}`:            "reward is 1e999",
		`{"state":1,"observation":"singular"}`:  `the key "observation"`,
		`{"error":"no more cards"}`:             "no more cards",
		`{"state":1,"rewards":[1,null]}`:        `the reward of "b" is null`,
	} {
		if got, err := parse([]byte(body), agents, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, error %v, want %q", body, got, err, want)
		}
	}
}

// Whatever an environment answers, it is an outcome with a state, or an error.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"state":{},"observations":{"a":"x"},"rewards":[1,2]}`))
	f.Add([]byte(`{"state":1,"reward":0.5,"rewards":{"a":1},"done":true}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, stateful := range []bool{false, true} {
			if o, err := parse(body, []string{"a", "b"}, stateful); err == nil && !json.Valid(o.State) {
				t.Fatalf("%+v", o)
			}
		}
	})
}

// count is an environment that counts what it is told up to its item's goal.
const count = `
def reset(item):
    return {"state": [0, item["goal"]], "observations": "0"}

def step(state, actions):
    n, goal = state
    if actions["a"] == "loop":
        while True:
            pass
    if actions["a"] == "nan":
        return {"state": 0, "rewards": float("nan")}
    if actions["a"] == "inside":
        return {"state": {"a": [0, -float("inf")]}}
    if actions["a"] == "exit":
        import os
        os._exit(3)
    if actions["a"] == "set":
        return {"state": {1, 2}}
    if actions["a"] == "list":
        return [1]
    if actions["a"] == "flood":
        return {"state": "x" * (3 << 20)}
    if actions["a"] == "grow":
        return {"state": len(bytearray(1 << 40))}
    n += int(actions["a"])
    print("noise")
    return {"state": [n, goal], "observations": str(n), "rewards": n / goal, "done": n == goal}
`

// file writes an environment.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "world.py")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func item(p task.Problem) json.RawMessage { return json.RawMessage(p.Question) }

func open(t *testing.T, s External) *Environment {
	t.Helper()
	s.Agents, s.Item = []string{"a", "b"}, item
	e, err := OpenExternal(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// play checks an environment that counts: what it answers, and that what is wrong with an answer is said, and the next call is answered again.
func play(t *testing.T, e *Environment, wrong map[string]string) {
	t.Helper()
	ctx := context.Background()
	begin, err := e.Reset(ctx, task.Problem{Question: `{"goal":4}`})
	if err != nil || begin.All != "0" {
		t.Fatalf("%+v, %v", begin, err)
	}
	for said, want := range wrong {
		if o, err := e.Step(ctx, begin.State, map[string]string{"a": said}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, error %v, want %q", said, o, err, want)
		}
	}
	for range 2 { // a pure function
		o, err := e.Step(ctx, begin.State, map[string]string{"a": "2", "b": "x"})
		if err != nil || o.All != "2" || o.Team != 0.5 || o.Done {
			t.Errorf("%+v, %v", o, err)
		}
	}
}

// TestPython is a Python file in a process.
func TestPython(t *testing.T) {
	e := open(t, External{Python: file(t, count), Deadline: 5 * time.Second, Retries: 1, Memory: 1 << 30})
	play(t, e, map[string]string{
		"loop": "No answer before the deadline", "nan": "step returned nan at rewards, expected a finite number", "inside": "step returned -inf at state.a[1], expected a finite number", "exit": "it ended while answers were waiting", "set": "not JSON serializable",
		"list": "step returned [1], expected a dict", "many": "invalid literal for int()", "flood": "token too long", "grow": "MemoryError",
	})
	bad := open(t, External{Python: file(t, "def reset(item):\n    return {}\n"), Deadline: 5 * time.Second})
	if _, err := bad.Reset(t.Context(), task.Problem{Question: "{}"}); err == nil || !strings.Contains(err.Error(), "defines no function step(state, actions)") {
		t.Errorf("%v", err)
	}
	if _, err := OpenExternal(t.Context(), External{Python: "none.py"}); err == nil {
		t.Error("no file, no error")
	}
	if _, err := OpenExternal(t.Context(), External{}); err == nil {
		t.Error("no source, no error")
	}
}

// TestProgram is a program that answers lines: one that floods, and one that answers what cannot be read.
func TestProgram(t *testing.T) {
	program := `import json, sys
exec(open(sys.argv[1]).read())
for line in sys.stdin:
    call = json.loads(line)
    if call.get("actions", {}).get("a") == "flood":
        print("x" * (3 << 20)); sys.stdout.flush(); continue
    if call.get("actions", {}).get("a") == "text":
        print(json.dumps({"id": call["id"], "state": 1, "done": "text"})); sys.stdout.flush(); continue
    out = reset(call["item"]) if call["call"] == "reset" else step(call["state"], call["actions"])
    sys.stderr.write("")
    print(json.dumps(dict(out, id=call["id"]))); sys.stdout.flush()
`
	world := strings.ReplaceAll(count, `print("noise")`, "pass")
	e := open(t, External{Command: []string{"python3", "-c", program, file(t, world)}, Deadline: 5 * time.Second})
	play(t, e, map[string]string{"flood": "token too long", "text": `"done" is "text"`, "exit": "it ended", "loop": "no answer within 5s"})
}

// TestServer is a server that is asked by POST.
func TestServer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			Call    string
			Actions map[string]string
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			t.Error(err)
		}
		switch said := call.Actions["a"]; {
		case call.Call == "reset":
			fmt.Fprint(w, `{"state":1,"observations":"0"}`)
		case said == "error":
			fmt.Fprint(w, `{"error":"the table is full"}`)
		case said == "text":
			fmt.Fprint(w, `full`)
		case said == "flood":
			fmt.Fprintf(w, `{"state":%q}`, strings.Repeat("x", 2<<20))
		case said == "hang":
			<-r.Context().Done()
		case said == "die":
			panic(http.ErrAbortHandler)
		case said == "half":
			fmt.Fprint(w, "{\"state\":1,\"observations\":\"caf\xc3\"}")
		case said == "long":
			fmt.Fprintf(w, `{"error":%q}`, strings.Repeat("x", 900_000))
		case said == "nan":
			fmt.Fprint(w, `{"state":1,"rewards":NaN}`)
		case said == "busy":
			w.WriteHeader(http.StatusInternalServerError)
		default:
			fmt.Fprint(w, `{"state":2,"observations":"2","rewards":0.5}`)
		}
	}))
	defer s.Close()
	wrong := map[string]string{
		"error": "the table is full", "text": "is no answer", "flood": "more than", "hang": "no answer within", "die": "EOF", "nan": "is no answer", "busy": "500",
		"half": "it is not UTF-8", "long": "(900000 bytes in all)",
	}
	play(t, open(t, External{URL: s.URL, Deadline: time.Second}), wrong)
}
