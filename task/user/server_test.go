package user

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/internal/service/web"
)

// TestBatches: how many calls go together, and what each gets, whatever the program that started parley answers.
func TestBatches(t *testing.T) {
	for _, c := range []struct {
		name, about, answer string // answer: what follows for n calls; empty: n numbers
		calls               int
		want                string // of all verdicts
		sizes               []int
	}{
		{"alone", `{}`, "", 2, "0.5 0.5", []int{0, 0}},
		{"not known", `{"error":"what?"}`, "", 1, "0.5", []int{0}},
		{"together", `{"batch":2}`, "", 5, "0.5 0.5 0.5 0.5 0.5", []int{2, 2, 1}},
		{"one that fails", `{"batch":8}`, `{"answers":[1,{"error":"no"},{"reward":0.25}]}`, 3, "1 no 0.25", []int{3}},
		{"one that is wrong", `{"batch":8}`, `{"answers":["x",2]}`, 2, `"x" is neither a number 2, outside`, []int{2}},
		{"another length", `{"batch":8}`, `{"answers":[1]}`, 2, "1 answers, expected one for each of 2 calls", []int{2}},
		{"no answers", `{"batch":8}`, `[1,2]`, 2, "no {\"answers\"", []int{2}},
		{"all fail", `{"batch":8}`, `{"error":"out of memory"}`, 2, "out of memory out of memory", []int{2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sizes := make(chan int, 100)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var call struct {
					Call  string            `json:"call"`
					Calls []json.RawMessage `json:"calls"`
				}
				if err := json.NewDecoder(r.Body).Decode(&call); err != nil || r.URL.Path != "/reward" {
					t.Error(err, r.URL.Path)
				}
				switch {
				case call.Call == "about":
					fmt.Fprint(w, c.about)
					return
				case c.answer != "":
					fmt.Fprint(w, c.answer)
				case call.Calls == nil:
					fmt.Fprint(w, "0.5")
				default:
					fmt.Fprintf(w, `{"answers":[%s]}`, strings.TrimSuffix(strings.Repeat("0.5,", len(call.Calls)), ","))
				}
				sizes <- len(call.Calls)
			}))
			defer s.Close()
			t.Setenv("PARLEY_HOST", s.URL)
			t.Setenv("PARLEY_HOST_TOKEN", "x")
			r, err := Open(t.Context(), Settings{URL: "host:reward", Most: 1, Deadline: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			calls := make([]Call, c.calls)
			for i := range calls {
				calls[i] = Call{Item: json.RawMessage(`{}`), Responses: []string{"a"}}
			}
			verdicts, err := r.Score(t.Context(), calls)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range verdicts {
				if v.Err != nil {
					got = append(got, v.Err.Error())
				} else {
					got = append(got, fmt.Sprint(v.Score.Reward))
				}
			}
			text := strings.Join(got, " ")
			for word := range strings.FieldsSeq(c.want) {
				at := strings.Index(text, word)
				if at < 0 {
					t.Fatalf("verdicts %q, want %q", got, c.want)
				}
				text = text[at+len(word):]
			}
			close(sizes)
			var counts []int
			for n := range sizes {
				counts = append(counts, n)
			}
			count := map[int]int{}
			for i, n := range counts {
				count[n]++
				count[c.sizes[i]]--
			}
			for _, n := range count {
				if n != 0 || len(counts) != len(c.sizes) {
					t.Errorf("requests of %v calls, want %v", counts, c.sizes)
				}
			}
		})
	}
}

// FuzzBatch: whatever a batch is answered with, each call has a verdict.
func FuzzBatch(f *testing.F) {
	f.Add([]byte(`{"answers":[1,{"reward":0.5}]}`))
	f.Add([]byte(`{"answers":[null,null],"error":3}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
		defer s.Close()
		at := &server{web: web.New(s.URL, "", time.Minute, 0), batch: 4}
		r := &Reward{source: at, most: 1}
		verdicts, err := r.Score(t.Context(), []Call{{Item: json.RawMessage(`{}`)}, {Item: json.RawMessage(`{}`)}})
		if err != nil || len(verdicts) != 2 {
			t.Fatalf("%v, %v", verdicts, err)
		}
		for _, v := range verdicts {
			if v.Err == nil && (v.Score.Reward < 0 || v.Score.Reward > 1) || v.Err != nil && !reflect.DeepEqual(v.Score.Parts, map[string]float64(nil)) {
				t.Fatalf("%+v", v)
			}
		}
	})
}
