package labelled_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"parley/task"
	"parley/task/labelled"
)

// rows is a file of records.
type rows []string

func (r rows) Each(_ context.Context, record func(line int, data []byte) error) error {
	for i, row := range r {
		if err := record(i+1, []byte(row)); err != nil {
			return err
		}
	}
	return nil
}

// TestRow: a problem keeps every key of its record, as it is written, and the record's own id.
func TestRow(t *testing.T) {
	source := func(n int, rest string) rows {
		return rows{fmt.Sprintf(`{"question":"What is 1 + %d?","answer":"It is.\n#### %d"%s}`, n, n+1, rest)}
	}
	for _, c := range []struct {
		rest, id string
		fields   map[string]string
	}{
		{`,"id":"mine-7","topic":"sums","Topic":"Sums"`, "mine-7", map[string]string{"id": "mine-7", "topic": "sums", "Topic": "Sums"}},
		{`,"id":12,"level":3,"share":0.5,"hard":true`, "12", map[string]string{"id": "12", "level": "3", "share": "0.5", "hard": "true"}},
		{`,"id":null,"tags":["a","b"],"none":null`, "gsm8k-train-000000", map[string]string{"tags": `["a","b"]`}},
		{``, "gsm8k-train-000000", nil},
	} {
		s, err := labelled.New(t.Context(), labelled.GSM8K, labelled.Options{Train: []labelled.File{source(1, c.rest)}, Test: []labelled.File{source(2, "")}})
		if err != nil {
			t.Fatal(err)
		}
		problems, err := s.Problems(task.Train, 1)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"answer": "It is.\n#### 2"}
		maps.Copy(want, c.fields)
		if p := problems[0]; p.ID != c.id || !maps.Equal(p.Fields, want) {
			t.Errorf("%s: id %q, fields %q, want %q, %q", c.rest, p.ID, p.Fields, c.id, want)
		}
	}
}
