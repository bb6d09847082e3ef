package tinker

import (
	"runtime"
	"testing"

	"parley/engine/tinker/wire"
)

// TestResultsWeigh: results of passes over many short data take no more memory than is counted for them, so that the bound of what is kept is one.
func TestResultsWeigh(t *testing.T) {
	_, c := startServer(t, folder(t), quick())
	c = c.begin()
	m := c.model(0, 1)
	var data []wire.Datum
	for range 300 {
		data = append(data, datum([]int32{1}, []int64{2}, map[string][]float32{"weights": {1}}))
	}
	heap := func() int64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	seq := 1
	pass := func() {
		c.pass(wire.Pass{Model: m, Seq: seq, Loss: "cross_entropy", Data: data, ForwardOnly: true})
		seq++
	}
	pass()
	const n = 30
	before := heap()
	for range n {
		pass()
	}
	// What is counted: 12 bytes a datum, what a promise takes, and the number among the model's.
	if each := (heap() - before) / n; each > int64(len(data))*64 {
		t.Errorf("a result of %d short data takes %d bytes", len(data), each)
	}
}

// TestSamplersForgotten: a session that saves for sampling again and again remembers the newest ones alone.
func TestSamplersForgotten(t *testing.T) {
	s, c := startServer(t, folder(t), quick())
	c = c.begin()
	m := c.model(0, 1)
	for i := range mostPassing + 3 {
		c.sampler(m, i+1, i)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.sessions {
		if len(session.samplers) != mostPassing || len(s.samplers) != mostPassing {
			t.Errorf("%d samplers, of them %d remembered by the session", len(s.samplers), len(session.samplers))
		}
	}
}

// TestNumbersForgotten: numbers that a model has passed are refused again and again without being remembered.
func TestNumbersForgotten(t *testing.T) {
	s, c := startServer(t, folder(t), quick())
	c = c.begin()
	m := c.model(0, 1)
	c.step(m, 50, object{})
	for seq := 49; seq > 0; seq-- {
		for range 2 {
			if out := c.work("optim_step", object{"model_id": m, "seq_id": seq, "adam_params": object{}}); out["category"] != "user" {
				t.Fatalf("number %d behind 50: %v", seq, out)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.models[m].seen); n != 1 {
		t.Errorf("%d numbers are remembered, expected that of the one step", n)
	}
}
