//go:build torch

package torch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/engine"
	"parley/model/modeltest"
)

// children are the processes that this one has started.
func children(t *testing.T) map[int]bool {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		t.Fatalf("no lists of children: %v", err)
	}
	all := map[int]bool{}
	for _, l := range lists {
		text, err := os.ReadFile(l)
		if err != nil {
			continue // a thread that has ended
		}
		for _, word := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			all[pid] = true
		}
	}
	return all
}

// openProcess opens an engine, and finds its process.
func openProcess(t *testing.T, o Options) (*Engine, int) {
	t.Helper()
	before := children(t)
	e := openFolder(t, o)
	for pid := range children(t) {
		if !before[pid] {
			return e, pid
		}
	}
	t.Fatal("there is no new process")
	return nil, 0
}

func tokens(start, n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = (start*7 + i*5 + 1) % 29
	}
	return ids
}

// TestKilledBetween: a worker that is killed while the loss is computed leaves nothing behind, and its run goes on from what was saved.
func TestKilledBetween(t *testing.T) {
	o := options(t, writeModel(t, modeltest.Tiny()))
	e, pid := openProcess(t, o)
	data := []engine.Datum{{Policy: "p", Tokens: tokens(0, 9), ScoreFrom: 1}}
	if err := e.NewPolicy(t.Context(), "p", engine.PolicySpec{Rank: 2, Alpha: 2}); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "p")
	if err := e.Save(t.Context(), "p", dir); err != nil {
		t.Fatal(err)
	}
	err := e.ForwardBackward(t.Context(), data, func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
		return waves(first, outputs)
	})
	if err == nil || !strings.Contains(err.Error(), "forward_backward") {
		t.Fatal(err)
	}
	again := openShared(t, o)
	if err := again.Load(t.Context(), "p", dir); err != nil {
		t.Fatal(err)
	}
	if err := again.ForwardBackward(t.Context(), data, waves); err != nil {
		t.Fatal(err)
	}
	if info, err := again.Step(t.Context(), "p", adam); err != nil || !(info.GradNorm > 0) {
		t.Errorf("%+v, %v", info, err)
	}
}

// stops is a watcher that ends a call at a token.
type stops struct {
	left int
	end  func()
}

func (s *stops) Ends(int) bool {
	if s.left--; s.left == 0 {
		s.end()
	}
	return false
}

// TestLeft: a call that is cancelled ends within two seconds and the worker goes on; an engine that is closed within a call leaves no process.
func TestLeft(t *testing.T) {
	c := modeltest.Tiny()
	c.Context = 1 << 14
	e, pid := openProcess(t, options(t, writeModel(t, c)))
	ctx, cancel := context.WithCancel(t.Context())
	var at time.Time
	long := engine.SampleRequest{Prompt: tokens(0, 3), MaxTokens: 1 << 13, Watch: &stops{5, func() { at = time.Now(); cancel() }}}
	if _, err := e.Sample(ctx, []engine.SampleRequest{long}); !errors.Is(err, context.Canceled) || time.Since(at) > 2*time.Second {
		t.Errorf("%v after %v", err, time.Since(at))
	}
	if got, err := e.Sample(t.Context(), []engine.SampleRequest{{Prompt: tokens(0, 3), MaxTokens: 5}}); err != nil || len(got[0].Tokens) != 5 {
		t.Errorf("after a call that was cancelled: %v, %v", got, err)
	}
	closed := make(chan time.Duration, 1)
	long.Watch = &stops{5, func() {
		go func() {
			began := time.Now()
			e.Close()
			closed <- time.Since(began)
		}()
	}}
	if _, err := e.Sample(t.Context(), []engine.SampleRequest{long}); err == nil {
		t.Error("a worker that was closed went on")
	}
	if took := <-closed; took > 3*time.Second || children(t)[pid] {
		t.Errorf("closing took %v; is the process there? %v", took, children(t)[pid])
	}
}

// TestTwoWorkers: two workers have the texts, the gradients and the steps of one, and both hold the same policy afterwards.
func TestTwoWorkers(t *testing.T) {
	folder := writeModel(t, modeltest.Tiny())
	one := openShared(t, options(t, folder))
	o := options(t, folder)
	o.Devices = []string{"cpu", "cpu"}
	two := openFolder(t, o)
	var data []engine.Datum
	var reqs []engine.SampleRequest
	for i := range 7 {
		data = append(data, engine.Datum{Policy: "p", Tokens: tokens(i, 6+2*i), ScoreFrom: 2})
		reqs = append(reqs, engine.SampleRequest{Policy: "p", Prompt: tokens(i, 3), MaxTokens: 9, Seed: uint64(i), Sampling: engine.Sampling{Temperature: 1}})
	}
	var gradients [2][]float64
	var infos [2]engine.StepInfo
	var samples [2][]engine.Sample
	for i, e := range []*Engine{one, two} {
		err := e.NewPolicy(t.Context(), "p", engine.PolicySpec{Rank: 4, Alpha: 8, Seed: 1, ValueHead: true, ValueInit: 0.1})
		for range 3 {
			if err == nil {
				gradients[i], err = e.GradientOf(t.Context(), data, waves)
			}
			if err == nil {
				err = e.ForwardBackward(t.Context(), data, waves)
			}
			if err == nil {
				infos[i], err = e.Step(t.Context(), "p", adam)
			}
		}
		if err == nil {
			samples[i], err = e.Sample(t.Context(), reqs)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	size := 0.0
	for _, g := range gradients[0] {
		size = max(size, math.Abs(g))
	}
	for i, g := range gradients[0] {
		if !(math.Abs(g-gradients[1][i]) <= 1e-5*size) {
			t.Fatalf("gradient %d is %v of one worker, %v of two; the greatest is %v", i, g, gradients[1][i], size)
		}
	}
	if !(math.Abs(infos[0].GradNorm-infos[1].GradNorm) <= 1e-4*infos[0].GradNorm) {
		t.Errorf("steps %+v, %+v", infos[0], infos[1])
	}
	for i := range reqs {
		if !slices.Equal(samples[0][i].Tokens, samples[1][i].Tokens) {
			t.Errorf("sample %d is %v of one worker, %v of two", i, samples[0][i].Tokens, samples[1][i].Tokens)
		}
	}
	half := data[:1]
	want, err := two.Forward(t.Context(), append(slices.Clone(half), data[0]))
	if err != nil || !slices.Equal(want[0].Logprobs, want[1].Logprobs) {
		t.Errorf("two workers score one text %v and %v, %v", want[0].Logprobs, want[1].Logprobs, err)
	}
}

// TestShortMemory: where memory is short, batches are halved, then layers are computed twice; the numbers are those of enough memory. A sequence that does not
// fit is an error that says what to change, and nothing of its call is kept.
func TestShortMemory(t *testing.T) {
	folder := writeModel(t, modeltest.Tiny())
	wrapper := filepath.Join(t.TempDir(), "python")
	script, err := filepath.Abs(filepath.Join("testdata", "short.py"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(wrapper, fmt.Appendf(nil, "#!/bin/sh\nexec %s %s \"$@\"\n", python(t), script), 0o777); err != nil {
		t.Fatal(err)
	}
	o := options(t, folder)
	o.Python = wrapper
	var infos [2]engine.StepInfo
	var short *Engine
	data := []engine.Datum{{Policy: "p", Tokens: tokens(0, 9), ScoreFrom: 1}, {Policy: "p", Tokens: tokens(2, 20), ScoreFrom: 3}, {Policy: "p", Tokens: tokens(4, 12), ScoreFrom: 3}}
	for i, e := range []*Engine{openShared(t, options(t, folder)), openFolder(t, o)} {
		err := e.NewPolicy(t.Context(), "p", engine.PolicySpec{Rank: 4, Alpha: 8, Seed: 1})
		for range 3 {
			if err == nil {
				err = e.ForwardBackward(t.Context(), data, waves)
			}
			if err == nil {
				infos[i], err = e.Step(t.Context(), "p", adam)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		short = e
	}
	if a, b := infos[0], infos[1]; !(math.Abs(a.GradNorm-b.GradNorm) <= 1e-4*a.GradNorm && math.Abs(a.ParamNorm-b.ParamNorm) <= 1e-4*a.ParamNorm) {
		t.Errorf("with memory for all %+v, for one sequence %+v", a, b)
	}
	err = short.ForwardBackward(t.Context(), append(data, engine.Datum{Policy: "p", Tokens: tokens(0, 40), ScoreFrom: 1}), waves)
	if err == nil || !strings.Contains(err.Error(), "a sequence of 40 tokens does not fit") || !strings.Contains(err.Error(), "engine.torch.dtype") {
		t.Error(err)
	}
	if info, err := short.Step(t.Context(), "p", adam); err != nil || info.GradNorm != 0 {
		t.Errorf("after a call that did not fit, a step has the norm %v, %v", info.GradNorm, err)
	}
}

// TestGap: texts that are drawn and trained on are compared. In bfloat16 sampler and trainer round otherwise, by less than the engine says.
func TestGap(t *testing.T) {
	for _, dtype := range []string{"f32", "bf16"} {
		o := options(t, writeModel(t, modeltest.Tiny()))
		o.DType = dtype
		e := openShared(t, o)
		if err := e.NewPolicy(t.Context(), "p", engine.PolicySpec{Rank: 4, Alpha: 8, Seed: 1}); err != nil {
			t.Fatal(err)
		}
		if _, some := e.Gap(); some {
			t.Error("a gap of nothing")
		}
		req := engine.SampleRequest{Policy: "p", Prompt: tokens(0, 3), MaxTokens: 12, Seed: 3, Sampling: engine.Sampling{Temperature: 1}}
		got, err := e.Sample(t.Context(), []engine.SampleRequest{req})
		if err != nil {
			t.Fatal(err)
		}
		data := []engine.Datum{{Policy: "p", Tokens: append(slices.Clone(req.Prompt), got[0].Tokens...), ScoreFrom: 3, Sampling: req.Sampling}}
		for range 2 { // the second time there is nothing left to compare
			if err := e.ForwardBackward(t.Context(), data, waves); err != nil {
				t.Fatal(err)
			}
		}
		gap, some := e.Gap()
		t.Logf("%s: %+v", dtype, gap)
		if most := e.Agreement(); !some || gap.Tokens != 12 || !(gap.Most <= most) || dtype == "f32" && gap.Most > 1e-4 {
			t.Errorf("%s: gap %+v, %v; the engine says at most %v", dtype, gap, some, most)
		}
		if kind := "-cpu-" + dtype; !strings.HasSuffix(e.Info().Kind, kind) || !strings.HasPrefix(e.Info().Kind, "torch-") {
			t.Errorf("kind %s", e.Info().Kind)
		}
		sampledIsScored(t, e, map[string]float64{"f32": 1e-4, "bf16": 0.1}[dtype], "p", engine.Base)
	}
}

// TestLook: the report has versions, the CPU and its products; what is not there is named with the command for it.
func TestLook(t *testing.T) {
	r, err := Look(t.Context(), Options{Python: python(t)})
	if err != nil || r.Torch == "" || r.Transformers == "" || len(r.Missing) > 0 || len(r.Devices) == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	cpu := r.Devices[len(r.Devices)-1]
	if cpu.Name != "cpu" || cpu.Memory == 0 || len(cpu.Products) != 3 || !(cpu.Products[1].Flops > 0) {
		t.Errorf("%+v", cpu)
	}
	bare := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(bare, fmt.Appendf(nil, "#!/bin/sh\nexec %s -S -I \"$@\"\n", python(t)), 0o777); err != nil {
		t.Fatal(err)
	}
	if r, err = Look(t.Context(), Options{Python: bare}); err != nil || len(r.Missing) != 2 || !strings.Contains(r.Missing[0].Command, "-m pip install") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRefused: what cannot be opened is an error that says why.
func TestRefused(t *testing.T) {
	folder := writeModel(t, modeltest.Tiny())
	e := openShared(t, options(t, folder))
	for says, change := range map[string]func(*Options){
		"does not open": func(o *Options) { o.Model = t.TempDir() },
		"device cuda:7": func(o *Options) { o.Device = "cuda:7" },
		"dtype f8":      func(o *Options) { o.DType = "f8" },
		"nf4 needs":     func(o *Options) { o.DType = "nf4" },
	} {
		o := options(t, folder)
		change(&o)
		if err := e.greet(t.Context(), o, []string{o.Device}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
	}
}
