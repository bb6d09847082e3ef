package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestNewerSpelling: a server that refuses the old name of the limit is asked by the newer one, from then on at once.
func TestNewerSpelling(t *testing.T) {
	url, asked := serveChat(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || strings.Contains(string(body), `"max_tokens"`) {
			http.Error(w, `{"error":{"message":"'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}`, http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%q}}]}`, string(body))
	})
	p, s := openPool(t, PoolOptions{}, Address{URL: url, Retries: 1})
	for i := range 3 {
		r, err := s.Chat(t.Context(), hello("x"), nil)
		if err != nil || !strings.Contains(r.Text, `"max_completion_tokens":8`) {
			t.Errorf("%+v, %v", r, err)
		}
		if asked.Load() != int64(i+2) || p.Spent()["big"].Requests != i+1 {
			t.Errorf("%d requests, %+v", asked.Load(), p.Spent())
		}
	}
}

// TestAnthropic: a chat is asked for as a message, with the key where that protocol has it, and the message is the reply of a chat. Requests that are
// equal but for their seed have answers of their own on record.
func TestAnthropic(t *testing.T) {
	url, asked := serveChat(t, func(w http.ResponseWriter, r *http.Request) {
		var m map[string]any
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		said, _ := json.Marshal(m["messages"])
		if r.URL.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != "secret" || r.Header.Get("Anthropic-Version") == "" || r.Header.Get("Authorization") != "" ||
			m["system"] != "Be brief." || m["max_tokens"] != 8.0 || string(said) != `[{"content":"x","role":"user"}]` || fmt.Sprint(m["stop_sequences"]) != "[.]" || m["seed"] != nil {
			t.Errorf("%s %v %v", r.URL.Path, r.Header, m)
		}
		fmt.Fprint(w, `{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"?"},{"type":"text","text":"a"},{"type":"text","text":"b"}],
			"stop_reason":"max_tokens","usage":{"input_tokens":7,"output_tokens":3}}`)
	})
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	p, s := openPool(t, PoolOptions{Recording: file}, Address{URL: url, Form: Anthropic, Key: "secret"})
	ask := hello("x")
	ask.Messages = append([]Message{{"system", "Be brief."}}, ask.Messages...)
	ask.Stop = []string{"."}
	for _, seed := range []int64{1, 2, 1} {
		ask.Seed = &seed
		if r, err := s.Chat(t.Context(), ask, nil); err != nil || r.Text != "ab" || !r.Cut {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if got := p.Spent()["big"]; asked.Load() != 2 || got != (Spent{3, 21, 9}) {
		t.Errorf("%d requests, spent %+v", asked.Load(), got)
	}
	ask.Stream = true
	if _, err := s.Chat(t.Context(), ask, nil); err == nil || !strings.Contains(err.Error(), "whole texts alone") {
		t.Errorf("%v", err)
	}
	for reply, want := range map[string]string{`[]`: "no message", `{"content":[]}`: "no content of type text", `{"content":[{"type":"tool_use"}]}`: "no content of type text"} {
		if _, err := chatOf([]byte(reply)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", reply, err, want)
		}
	}
}
