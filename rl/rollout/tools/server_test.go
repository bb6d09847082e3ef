package tools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const tells = `{"identity":"x","tools":[{"name":"miles","description":"Convert.","parameters":{"type":"object","properties":{"km":{"type":"number"}},"required":["km"]}}]}`

// telling starts a server of functions.
func telling(t *testing.T, about string, answer func(w http.ResponseWriter, call string)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			t.Error(err)
		}
		if string(call["call"]) == `"about"` {
			fmt.Fprint(w, about)
			return
		}
		answer(w, fmt.Sprintf("%s %s %s", call["call"], call["name"], call["arguments"]))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/tools"
}

// TestServer: what a call of a server's function gives.
func TestServer(t *testing.T) {
	for _, c := range []struct {
		name, arguments, answer, want string
	}{
		{"a result", `{"km":1}`, `{"result":"0.6"}`, "0.6"},
		{"an empty one", `{"km":1}`, `{"result":""}`, ""},
		{"a text alone", `"1"`, `{"result":"0.6"}`, "0.6"},
		{"its error", `{"km":1}`, `{"error":"no road"}`, "error: no road"},
		{"wrong arguments", `{"km":"far"}`, ``, `error: miles: the argument "km" is "far", expected a value of type number`},
		{"too long", `{"km":1}`, `{"result":"` + strings.Repeat("x", 100) + `"}`, strings.Repeat("x", 40) + "… (cut: 100 bytes in all)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := open(t, Limits{Deadline: time.Minute, Output: 40}, telling(t, tells, func(w http.ResponseWriter, call string) {
				if call != `"tool" "miles" {"km":1}` {
					t.Error(call)
				}
				fmt.Fprint(w, c.answer)
			}))
			if c.name == "wrong arguments" {
				f.limits.Output = 400
			}
			if r, err := f.Call(t.Context(), "miles", json.RawMessage(c.arguments)); err != nil || r.Text != c.want || r.Failed != strings.HasPrefix(c.want, "error") {
				t.Errorf("%+v, %v, want %q", r, err, c.want)
			}
		})
	}
}

// TestServerFails: one that is late is a result, one that does not answer is an error, after further tries.
func TestServerFails(t *testing.T) {
	done := make(chan struct{})
	defer close(done)
	late := open(t, Limits{Deadline: 50 * time.Millisecond, Output: 400}, telling(t, tells, func(http.ResponseWriter, string) { <-done }))
	if r, err := late.Call(t.Context(), "miles", json.RawMessage(`{"km":1}`)); err != nil || r.Text != "error: no result within 50ms" {
		t.Errorf("%+v, %v", r, err)
	}
	var calls atomic.Int64
	broken := open(t, Limits{Deadline: time.Minute, Output: 400}, telling(t, tells, func(w http.ResponseWriter, _ string) {
		calls.Add(1)
		fmt.Fprint(w, "7")
	}))
	if r, err := broken.Call(t.Context(), "miles", json.RawMessage(`{"km":1}`)); err == nil || calls.Load() != 1+retriesOfCall || !strings.Contains(err.Error(), `7 is neither {"result": TEXT}`) {
		t.Errorf("%+v, %v after %d calls", r, err, calls.Load())
	}
}

// TestServerIsWrong: what a server tells of is checked before training.
func TestServerIsWrong(t *testing.T) {
	for about, want := range map[string]string{
		`{}`:           "without 1 to 128 functions",
		`0`:            "without 1 to 128 functions",
		`{"tools":[]}`: "without 1 to 128 functions",
		`{"tools":[{"name":"a b","parameters":{"type":"object"}}]}`:                                           `a function "a b"`,
		`{"tools":[{"name":"a","parameters":[]}]}`:                                                            "the parameters of a are []",
		`{"tools":[{"name":"a","parameters":{"type":"string"}}]}`:                                             "expected a JSON schema of type object",
		`{"tools":[{"name":"a","parameters":{"type":"object"}},{"name":"a","parameters":{"type":"object"}}]}`: "there is a function a already",
	} {
		if _, err := Open(t.Context(), []string{telling(t, about, nil)}, Limits{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", about, err, want)
		}
	}
}

// FuzzServed: whatever a server tells of, its functions have names and take objects.
func FuzzServed(f *testing.F) {
	f.Add([]byte(`[{"name":"miles","description":"Convert.","parameters":{"type":"object"}}]`))
	f.Add([]byte(`[{"name":"a","parameters":null}]`))
	f.Fuzz(func(t *testing.T, told []byte) {
		list, err := readServed(told)
		if (err == nil) != (len(list) > 0) {
			t.Fatalf("%v, %v", list, err)
		}
		for _, function := range list {
			_, err := function.accept(json.RawMessage(`{}`))
			if !functionName.MatchString(function.Name) || !json.Valid(function.Parameters) || err != nil && err.Error() == "" {
				t.Fatalf("%+v, %v", function, err)
			}
		}
	})
}
