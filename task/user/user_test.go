package user

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/service"
)

// TestMain makes the test's own binary a program that scores, where the environment says how it behaves.
func TestMain(m *testing.M) {
	if how := os.Getenv("TEST_REWARD"); how != "" {
		behave(how)
		return
	}
	os.Exit(m.Run())
}

func behave(how string) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var call struct {
			ID int `json:"id"`
			Call
		}
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			panic(err)
		}
		switch how {
		case "dies":
			fmt.Fprintln(os.Stderr, "Traceback: line 7")
			os.Exit(3)
		case "hangs":
			time.Sleep(time.Hour)
		case "prints":
			for range 1_000_000 {
				fmt.Println("hello")
			}
		case "exceeds":
			fmt.Printf("{\"id\":%d,\"reward\":7}\n", call.ID)
		case "empty":
			fmt.Printf("{\"id\":%d}\n", call.ID)
		default:
			fmt.Printf("{\"id\":%d,\"reward\":%g,\"parts\":{\"share\":0.25},\"flags\":[\"seen\"]}\n", call.ID, float64(len(call.Responses[0]))/10)
		}
	}
}

func open(t *testing.T, s Settings) *Reward {
	t.Helper()
	if s.Most == 0 {
		s.Most = 1
	}
	if s.Deadline == 0 {
		s.Deadline = time.Minute
	}
	r, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func calls(responses ...string) (out []Call) {
	for _, r := range responses {
		out = append(out, Call{json.RawMessage(`{"truth":"yes"}`), []string{r, "second"}})
	}
	return out
}

func score(t *testing.T, r *Reward, responses ...string) []Verdict {
	t.Helper()
	verdicts, err := r.Score(t.Context(), calls(responses...))
	if err != nil || len(verdicts) != len(responses) {
		t.Fatalf("%d verdicts, %v", len(verdicts), err)
	}
	return verdicts
}

// wantRewards checks rewards; a text of want is part of an error.
func wantRewards(t *testing.T, got []Verdict, want ...any) {
	t.Helper()
	for i, v := range got {
		switch w := want[i].(type) {
		case float64:
			if v.Err != nil || v.Score.Reward != w {
				t.Errorf("call %d: %+v, want %v", i, v, w)
			}
		case string:
			if v.Err == nil || !strings.Contains(v.Err.Error(), w) || v.Score.Reward != 0 {
				t.Errorf("call %d: %+v, want an error with %q", i, v, w)
			}
		}
	}
}

func program(t *testing.T, how string) []string {
	t.Helper()
	t.Setenv("TEST_REWARD", how)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{self}
}

func TestProgram(t *testing.T) {
	r := open(t, Settings{Command: program(t, "well")})
	got := score(t, r, "x", "xx", strings.Repeat("x", 11))
	wantRewards(t, got, 0.1, 0.2, "outside of the declared range [0, 1]")
	if s := got[0].Score; s.Parts["share"] != 0.25 || s.Flags[0] != "seen" {
		t.Errorf("%+v", s)
	}
}

func TestProgramFaults(t *testing.T) {
	for how, want := range map[string]string{
		"dies": "Traceback: line 7", "hangs": "no answer within 1s", "prints": "no JSON object",
		"exceeds": "outside of the declared range", "empty": `has no "reward"`,
	} {
		t.Run(how, func(t *testing.T) {
			deadline := time.Minute
			if how == "hangs" {
				deadline = time.Second
			}
			r := open(t, Settings{Command: program(t, how), Deadline: deadline, Retries: 1})
			wantRewards(t, score(t, r, "x"), want)
		})
	}
}

func TestExpression(t *testing.T) {
	for text, want := range map[string]any{
		`1.0 if item["truth"] in responses[0] else 0.25`: 1.0,
		`len(responses[0]) > 2`:                          1.0,
		`math.sqrt(0.25)`:                                0.5,
		`{"reward": 0.5, "parts": {"a": 0.5}}`:           0.5,
		`responses[7]`:                                   "expression:1:47: in reward\nError: list index 7 out of range",
		`2`:                                              "outside of the declared range",
		`1.00001`:                                        "outside of the declared range",
		`0.1 + 0.2 + 0.3 + 0.4 + 1e-16 * 4`:              1.0, // rounding is clipped
		`-1e-12`:                                         0.0,
		`"high"`:                                         "neither a number nor",
		`None`:                                           `has no "reward"`,
		`float("nan")`:                                   "expected a finite number",
		"def reward(item, responses):\n  for i in range(1000000000): pass\n  return 1":                "too many steps",
		"len(responses[0] * 1000000000)":                                                              "it works on more than 256 MiB",
		"def reward(item, responses):\n  x = [1]\n  for i in range(60): x = [x, x]\n  return x":       "it returned list, expected",
		"def reward(item, responses):\n  while True: pass":                                            "too many steps",
		"def reward(item, responses):\n  words = responses[0].split()\n  return 1 / (len(words) - 3)": "expression:3:12: in reward\nError: floating-point division by zero",
	} {
		r := open(t, Settings{Expression: text})
		wantRewards(t, score(t, r, "oh yes sir"), want)
	}
	for text, want := range map[string]string{"1 +": "got end of file", "x = 1": "no function reward", "item2": "undefined: item2"} {
		if _, err := Open(t.Context(), Settings{Expression: text, Most: 1, Deadline: time.Minute}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A deadline ends an expression that takes few steps and long.
func TestExpressionDeadline(t *testing.T) {
	r := open(t, Settings{Expression: "len([x for x in range(10000000)])", Deadline: 50 * time.Millisecond})
	wantRewards(t, score(t, r, "x"), "no answer within 50ms")
}

func TestServer(t *testing.T) {
	var tries atomic.Int64 // a handler may outlive the request that was given up
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var call Call
		body, _ := io.ReadAll(req.Body)
		if json.Unmarshal(body, &call) != nil || req.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		switch n := tries.Add(1); {
		case call.Responses[0] == "busy" && n == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case call.Responses[0] == "never":
			http.Error(w, "Traceback: reward.py, line 7", http.StatusInternalServerError)
		case call.Responses[0] == "slow":
			time.Sleep(300 * time.Millisecond)
		case call.Responses[0] == "page":
			io.WriteString(w, "<html>")
		case call.Responses[0] == "elsewhere":
			http.Redirect(w, req, "/1", http.StatusFound)
		case call.Responses[0] == "NaN", call.Responses[0] == "1e999", call.Responses[0] == "[]":
			fmt.Fprintf(w, `{"reward": %s}`, call.Responses[0])
		case call.Responses[0] == "error":
			io.WriteString(w, `{"error":"too hard"}`)
		default:
			io.WriteString(w, "0.5")
		}
	}))
	defer s.Close()
	for response, want := range map[string]any{
		"x": 0.5, "busy": 0.5, "never": "reward.py, line 7", "slow": "no answer within 100ms", "page": "neither a number", "error": "too hard",
		"elsewhere": `302 Found: it redirects to "/1"`, "NaN": "neither a number", "1e999": "expected a number", "[]": "expected a number",
	} {
		tries.Store(0)
		deadline := time.Minute
		if response == "slow" {
			deadline = 100 * time.Millisecond
		}
		r := open(t, Settings{URL: s.URL, Key: "secret", Deadline: deadline, Retries: 1})
		wantRewards(t, score(t, r, response), want)
	}
	wantRewards(t, score(t, open(t, Settings{URL: s.URL}), "x"), "bad request")
}

func TestSettings(t *testing.T) {
	for _, s := range []Settings{{Expression: "1"}, {Most: 1}, {Python: "absent.py", Most: 1}, {Python: "absent.py", Isolated: true, Most: 1}} {
		if _, err := Open(t.Context(), s); err == nil {
			t.Errorf("%+v scores", s)
		}
	}
}

// TestRoundedReward: parts that add up to the greatest reward earn it, whichever side of it their sum is rounded to.
func TestRoundedReward(t *testing.T) {
	sum := 0.0
	for range 20 {
		sum += 0.05
	}
	for _, scale := range []float64{1e-6, 1, 1e6} {
		r := &Reward{least: -scale, most: scale}
		for _, x := range []float64{sum * scale, -sum * scale} {
			v := r.verdict(service.Reply{Body: fmt.Appendf(nil, "%v", x)})
			if v.Err != nil || v.Score.Reward != math.Copysign(scale, x) {
				t.Errorf("%v of [%g, %g]: %+v", x, -scale, scale, v)
			}
		}
	}
	if sum <= 1 {
		t.Error("the sum is in range: the test tells nothing")
	}
}

// Whatever comes back, a verdict is a number in the range or an error.
func FuzzVerdict(f *testing.F) {
	for _, s := range []string{"0.5", "true", "null", `{"reward":1}`, `{"reward":null}`, `{"error":"x"}`, "1e400", "[1]", `"x"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r := &Reward{most: 1}
		if v := r.verdict(service.Reply{Body: body}); v.Err == nil && !(v.Score.Reward >= 0 && v.Score.Reward <= 1) || v.Err != nil && v.Score.Reward != 0 {
			t.Fatalf("%+v", v)
		}
	})
}
