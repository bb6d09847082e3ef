package score_test

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

	"parley/engine/openai"
	"parley/task"
	"parley/train/score"
)

var problem = task.Problem{ID: "p", Question: "Reverse a list.", Truth: "SECRET"}

// model answers every question with the same text, and counts the questions.
func model(t *testing.T, text string) (url string, asked *int) {
	t.Helper()
	asked = new(int)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked++
		var body struct {
			Temperature float64 `json:"temperature"`
			MaxTokens   int     `json:"max_tokens"`
			Messages    []struct{ Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Temperature != 0.3 || body.MaxTokens != 2048 ||
			!strings.Contains(body.Messages[0].Content, "Reverse a list.") || strings.Contains(body.Messages[0].Content, "SECRET") {
			t.Errorf("asked with %+v, %v", body, err)
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%q}}]}`, text)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", asked
}

func at(t *testing.T, url string, retries int) *openai.Server {
	t.Helper()
	p, err := openai.OpenPool(openai.PoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Server(openai.Address{URL: url, Deadline: time.Minute, Retries: retries}).Quick()
}

func advise(t *testing.T, o score.ExpertOptions) ([]string, error) {
	t.Helper()
	o.Model = "m"
	e, err := score.OpenExpert(o)
	if err != nil {
		t.Fatal(err)
	}
	return e.Advise(context.Background(), problem, []string{"def aux(): pass", "def f(): pass"}, []string{"aux returns nothing", "1 of 2 tests passed"})
}

// TestAdvise: suggestions stand below the reports, and a recording replays them without the model.
func TestAdvise(t *testing.T) {
	url, asked := model(t, "Sure:\n```json\n{\"aux\": \"return it\", \"main\": \"call aux\"}\n```")
	file := filepath.Join(t.TempDir(), "expert.jsonl")
	want := []string{"aux returns nothing\n\nSuggestion of an expert:\nreturn it", "1 of 2 tests passed\n\nSuggestion of an expert:\ncall aux"}
	for _, o := range []score.ExpertOptions{{Server: at(t, url, 0), Recording: file}, {Server: at(t, url, 0), Recording: file}, {Recording: file}} {
		if got, err := advise(t, o); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("told %q, %v", got, err)
		}
	}
	if *asked != 1 {
		t.Errorf("the model was asked %d times, want once", *asked)
	}
}

func TestNoAdvice(t *testing.T) {
	url, asked := model(t, "I would rather not.")
	if _, err := advise(t, score.ExpertOptions{Server: at(t, url, 1)}); err == nil || !strings.Contains(err.Error(), "expected a JSON object") || *asked != 2 {
		t.Errorf("error %v after %d questions", err, *asked)
	}
	empty := filepath.Join(t.TempDir(), "none.jsonl")
	if _, err := advise(t, score.ExpertOptions{Recording: empty}); err == nil || !strings.Contains(err.Error(), "no answer to this question") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(empty, []byte("{\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := score.OpenExpert(score.ExpertOptions{Recording: empty}); err == nil || !strings.Contains(err.Error(), "none.jsonl:1:") {
		t.Errorf("error %v", err)
	}
}
