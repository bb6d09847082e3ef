package score

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/engine/openai"
	"parley/rl/verifier"
	"parley/task"
)

// serve answers with a function of the number of the request, from 1.
func serve(t *testing.T, deadline time.Duration, answer func(n int, w http.ResponseWriter, r openai.ChatRequest)) (*modelServer, *atomic.Int64) {
	t.Helper()
	var count atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var r openai.ChatRequest
		body, _ := io.ReadAll(req.Body)
		if err := json.Unmarshal(body, &r); err != nil || req.URL.Path != "/v1/chat/completions" || req.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		answer(int(count.Add(1)), w, r)
	}))
	t.Cleanup(s.Close)
	return &modelServer{Model: "judge", At: open(t, s.URL+"/v1/", deadline)}, &count
}

func open(t *testing.T, url string, deadline time.Duration) *openai.Server {
	t.Helper()
	p, err := openai.OpenPool(openai.PoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Server(openai.Address{URL: url, Key: "secret", Deadline: deadline, Retries: 2}).Quick()
}

func say(w io.Writer, text string) {
	fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%q}}]}`, text)
}

func answers(n int) []verifier.Answer {
	out := make([]verifier.Answer, n)
	for i := range out {
		out[i] = verifier.Answer{Problem: task.Problem{Question: "What is it?"}, Shown: fmt.Sprintf("number %d.", i)}
	}
	return out
}

// TestScores: each answer gets its own score, from the log-probabilities where there are some.
func TestScores(t *testing.T) {
	s, _ := serve(t, 5*time.Second, func(_ int, w http.ResponseWriter, r openai.ChatRequest) {
		text := r.Messages[0].Content
		switch {
		case r.Model != "judge" || !strings.Contains(text, "What is it?"):
			http.Error(w, "wrong question", http.StatusBadRequest)
		case strings.Contains(text, "number 1."):
			fmt.Fprintf(w, `{"choices":[{"message":{"content":"Yes"},"logprobs":{"content":[{"token":"Yes","top_logprobs":[{"token":" Yes","logprob":%g},{"token":"No","logprob":%g},{"token":"yes","logprob":%g}]}]}}]}`,
				math.Log(.4), math.Log(.2), math.Log(.2))
		case strings.Contains(text, "number 2."):
			say(w, "No.")
		default:
			say(w, "Yes, it is.")
		}
	})
	scores, err := s.Score(t.Context(), answers(30))
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range scores {
		want := 1.0
		if i == 1 {
			want = 0.75
		} else if i == 2 {
			want = 0
		}
		if got.Err != nil || math.Abs(got.P-want) > 1e-9 {
			t.Errorf("answer %d: %+v, want %v", i, got, want)
		}
	}
}

// TestFaults: what may pass is tried again; what stays is an error and never a number.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		want   string
		tries  int64
	}{
		"broken":   {func(w http.ResponseWriter) { http.Error(w, "out of memory", http.StatusInternalServerError) }, "out of memory", 3},
		"busy":     {func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) }, "429", 3},
		"unknown":  {func(w http.ResponseWriter) { http.Error(w, "no such model", http.StatusNotFound) }, "no such model", 1},
		"garbage":  {func(w http.ResponseWriter) { io.WriteString(w, "<html>") }, "no chat completion", 3},
		"empty":    {func(w http.ResponseWriter) { io.WriteString(w, "{}") }, "no choices", 3},
		"nan":      {func(w http.ResponseWriter) { say(w, "NaN") }, "expected yes or no", 3},
		"chatters": {func(w http.ResponseWriter) { say(w, "It depends.") }, "expected yes or no", 3},
		"slow":     {func(http.ResponseWriter) { time.Sleep(300 * time.Millisecond) }, "no answer within 100ms", 3},
	} {
		t.Run(name, func(t *testing.T) {
			s, tries := serve(t, 100*time.Millisecond, func(_ int, w http.ResponseWriter, _ openai.ChatRequest) { c.answer(w) })
			scores, err := s.Score(t.Context(), answers(1))
			if err != nil || scores[0].Err == nil || !strings.Contains(scores[0].Err.Error(), c.want) || scores[0].P != 0 || tries.Load() != c.tries {
				t.Errorf("%+v, %v after %d tries, want %q after %d", scores, err, tries.Load(), c.want, c.tries)
			}
		})
	}
	s, _ := serve(t, 5*time.Second, func(n int, w http.ResponseWriter, _ openai.ChatRequest) {
		if n < 3 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		say(w, "yes")
	})
	if scores, err := s.Score(t.Context(), answers(1)); err != nil || scores[0].Err != nil || scores[0].P != 1 {
		t.Errorf("after two failures: %+v, %v", scores, err)
	}
	gone := &modelServer{At: open(t, "http://127.0.0.1:1", time.Second)}
	if scores, err := gone.Score(t.Context(), answers(1)); err != nil || scores[0].Err == nil {
		t.Errorf("no server: %+v, %v", scores, err)
	}
}

// TestCertain: log-probabilities that round to nothing on one side are a score all the same.
func TestCertain(t *testing.T) {
	s, _ := serve(t, 5*time.Second, func(_ int, w http.ResponseWriter, _ openai.ChatRequest) {
		io.WriteString(w, `{"choices":[{"message":{"content":"yes"},"logprobs":{"content":[{"top_logprobs":[{"token":"no","logprob":-1e308},{"token":"yes","logprob":0}]}]}}]}`)
	})
	if scores, err := s.Score(t.Context(), answers(1)); err != nil || scores[0].Err != nil || scores[0].P != 1 {
		t.Errorf("%+v, %v", scores, err)
	}
}
