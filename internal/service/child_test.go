package service

import (
	"encoding/json"
	"testing"
)

// Whatever a program writes, a request has a reply exactly when it no longer waits for one.
func FuzzTake(f *testing.F) {
	f.Add([]byte(`{"id":1,"score":0.5}`))
	f.Add([]byte(`{"id":1,"error":"x"}`))
	f.Add([]byte(`{"id":2}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		b := &batch{waiting: map[int]int{1: 0}, replies: make([]Reply, 1)}
		err := new(Program).take(line, b)
		r := b.replies[0]
		if (err == nil) != (len(b.waiting) == 0) || err == nil && (r.Err == nil) != json.Valid(r.Body) {
			t.Fatalf("%+v, %v", r, err)
		}
	})
}

// The id is a field among the request's own.
func TestLines(t *testing.T) {
	b := &batch{requests: []json.RawMessage{[]byte(`{"a":1}`), []byte(`{"b":2}` + "\n")}, first: 5, waiting: map[int]int{6: 1}}
	if got := string(b.lines()); got != `{"id":6,"b":2}`+"\n" {
		t.Errorf("%s", got)
	}
}
