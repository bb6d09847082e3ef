package tinkertest

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"parley/engine"
	"parley/engine/tinker/wire"
)

// A lossOf is the loss of a pass that waits for its step.
type lossOf struct {
	name   string
	config map[string]float64
}

// slope is the loss of a datum's place, and its slope in the log-probability p: the protocol's definitions.
func (l *lossOf) slope(d *wire.Datum, i int, p float64) (loss, slope float64, err error) {
	needs := []string{"logprobs", "advantages"}
	if l.name == "cross_entropy" {
		needs = []string{"weights"}
	}
	for _, name := range needs {
		if len(d.Inputs[name].Floats) <= i {
			return 0, 0, fmt.Errorf("loss %s asks for %s", l.name, name)
		}
	}
	at := func(name string) float64 { return float64(d.Inputs[name].Floats[i]) }
	bound := func(name string, otherwise float64) float64 {
		if x, has := l.config[name]; has {
			return x
		}
		return otherwise
	}
	if l.name == "cross_entropy" {
		return -at("weights") * p, -at("weights"), nil
	}
	q, a := at("logprobs"), at("advantages")
	r := math.Exp(p - q)
	switch l.name {
	case "importance_sampling":
		return -r * a, -r * a, nil
	case "ppo":
		clipped := max(bound("clip_low_threshold", 0.8), min(r, bound("clip_high_threshold", 1.2)))
		if clipped*a < r*a {
			return -clipped * a, 0, nil
		}
		return -r * a, -r * a, nil
	case "cispo":
		clipped := max(bound("clip_low_threshold", 0), min(r, bound("clip_high_threshold", 4)))
		return -clipped * p * a, -clipped * a, nil
	case "dro":
		beta := l.config["beta"]
		return -(p*a - 0.5*beta*(p-q)*(p-q)), -(a - beta*(p-q)), nil
	}
	return 0, 0, fmt.Errorf("there is no loss %q", l.name)
}

// pass answers a request for one. The caller holds s.mu.
func (s *Server) pass(w http.ResponseWriter, body []byte) {
	p, err := wire.DecodePass(body)
	if err != nil {
		fail(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	m := s.models[p.Model]
	if m == nil {
		fail(w, http.StatusNotFound, "Model not found")
		return
	}
	s.numbered(w, m, p.Seq, string(p.Encode()), "proto", func() (any, error) { return s.compute(m, &p) })
}

// soft are data and targets of a pass: any token may be scored at any place.
func soft(m *model, data []wire.Datum) (out []engine.Datum, targets [][][]engine.Target, err error) {
	for _, d := range data {
		y := d.Inputs["target_tokens"].Ints
		for name, t := range d.Inputs {
			if t.Len() != len(d.Tokens) {
				return nil, nil, fmt.Errorf("%d tokens and %d of %s", len(d.Tokens), t.Len(), name)
			}
		}
		if len(y) == 0 {
			return nil, nil, errors.New("no target_tokens")
		}
		one := engine.Datum{Policy: m.policy, ScoreFrom: 1}
		var all [][]engine.Target
		for i, t := range d.Tokens {
			one.Tokens = append(one.Tokens, int(t))
			all = append(all, []engine.Target{{Token: int(y[i]), Mass: 1}})
		}
		one.Tokens = append(one.Tokens, 0) // nobody is asked what comes here
		out, targets = append(out, one), append(targets, all)
	}
	return out, targets, nil
}

func (s *Server) compute(m *model, p *wire.Pass) (any, error) {
	data, targets, err := soft(m, p.Data)
	if err != nil {
		return nil, err
	}
	outputs, err := s.engine.ForwardSoft(context.Background(), data, targets)
	if err != nil {
		return nil, err
	}
	o := wire.Output{Type: "TensorDict", Metrics: map[string]float64{}}
	l := lossOf{p.Loss, p.Config}
	for i := range p.Data {
		o.Data = append(o.Data, map[string]wire.Tensor{"logprobs": wire.FloatsOf(outputs[i].Logprobs)})
		for j, x := range outputs[i].Logprobs {
			loss, _, err := l.slope(&p.Data[i], j, float64(x))
			if err != nil {
				return nil, err
			}
			o.Metrics["loss:sum"] += loss
		}
	}
	if !p.ForwardOnly {
		for _, d := range p.Data {
			m.data, m.losses = append(m.data, d), append(m.losses, l)
		}
	}
	return o.Encode(), nil
}

// step goes back through all that waits, and takes one.
func (s *Server) step(m *model, a wire.Adam) (any, error) {
	waiting, losses := m.data, m.losses
	m.data, m.losses = nil, nil
	data, targets, err := soft(m, waiting)
	if err != nil {
		return nil, err
	}
	var failed error
	loss := func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		out := make([]engine.Gradient, len(outputs))
		for i, o := range outputs {
			scale := 1.0
			if s.Mean {
				scale = 1 / float64(len(o.Logprobs)*len(data))
			}
			for j, p := range o.Logprobs {
				_, g, err := losses[first+i].slope(&waiting[first+i], j, float64(p))
				failed = errors.Join(failed, err)
				out[i].Logprobs = append(out[i].Logprobs, float32(g*scale))
			}
		}
		return out, failed
	}
	if len(data) > 0 {
		if err := s.engine.ForwardBackwardSoft(context.Background(), data, targets, loss); err != nil {
			return nil, err
		}
	}
	info, err := s.engine.Step(context.Background(), m.policy, engine.Adam{LR: a.LR, Beta1: a.Beta1, Beta2: a.Beta2, Eps: a.Eps, WeightDecay: a.WeightDecay, ClipNorm: a.ClipNorm})
	if err != nil {
		return nil, err
	}
	if s.Leaks && a.WeightDecay > 0 {
		for _, other := range s.models {
			if err := s.shrink(other, m, a); err != nil {
				return nil, err
			}
		}
	}
	return map[string]any{"metrics": map[string]any{"skyrl.ai/grad_norm": info.GradNorm, "update_norm:mean": info.UpdateNorm}}, nil
}

// shrink takes the weight decay of a step of one model on another: a step without momentum on a gradient of nothing.
func (s *Server) shrink(m, stepped *model, a wire.Adam) error {
	if m == stepped {
		return nil
	}
	nothing := func(_ int, o []engine.Output) ([]engine.Gradient, error) {
		return []engine.Gradient{{Logprobs: make([]float32, len(o[0].Logprobs))}}, nil
	}
	if err := s.engine.ForwardBackward(context.Background(), []engine.Datum{{Policy: m.policy, Tokens: []int{0, 0}, ScoreFrom: 1}}, nothing); err != nil {
		return err
	}
	_, err := s.engine.Step(context.Background(), m.policy, engine.Adam{LR: a.LR, Eps: 1, WeightDecay: a.WeightDecay})
	return err
}

func (s *Server) save(m *model, f *fields, kind string) (any, error) {
	if f.Path == "" || strings.ContainsAny(f.Path, "/.") {
		return nil, errors.New("a checkpoint needs a name")
	}
	dir := filepath.Join(s.dir, f.Model, kind)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := s.engine.Save(context.Background(), m.policy, filepath.Join(dir, f.Path)); err != nil {
		return nil, err
	}
	return map[string]any{"path": "tinker://" + f.Model + "/" + kind + "/" + f.Path}, nil
}

// saveSampler saves weights to sample from, under a name or for a session.
func (s *Server) saveSampler(m *model, f *fields) (any, error) {
	if f.Path != "" {
		return s.save(m, f, "sampler_weights")
	}
	s.saves++
	if s.Live {
		id := fmt.Sprint("live_", s.saves)
		s.live[id] = m.policy
		return map[string]any{"path": nil, "sampling_session_id": id}, nil
	}
	f.Path = fmt.Sprint("ephemeral", s.saves)
	if _, err := s.save(m, f, "sampler_weights"); err != nil {
		return nil, err
	}
	id := fmt.Sprint("sampling_", s.saves)
	dir := filepath.Join(s.dir, f.Model, "sampler_weights", f.Path)
	return map[string]any{"path": nil, "sampling_session_id": id}, s.engine.Load(context.Background(), engine.Policy(id), dir)
}

func (s *Server) load(m *model, f *fields) (any, error) {
	if f.Seq != 1 {
		return nil, fmt.Errorf("LoadWeights is not permitted with seq_id %d", f.Seq)
	}
	dir := filepath.Join(s.dir, filepath.FromSlash(strings.TrimPrefix(f.Path, "tinker://")))
	return map[string]any{"path": f.Path}, s.engine.Load(context.Background(), m.policy, dir)
}

func (s *Server) createSampling(w http.ResponseWriter, f *fields) {
	if f.Base != s.base {
		fail(w, http.StatusNotFound, "no such base")
		return
	}
	answer(w, 200, map[string]any{"sampling_session_id": "sampling_base"})
}

// sample draws, and tells log-probabilities at temperature 1.
func (s *Server) sample(f *fields) (any, error) {
	policy, live := s.live[f.Sampling]
	if !live {
		policy = engine.Policy(f.Sampling)
	}
	if f.Sampling == "sampling_base" {
		policy = engine.Base
	}
	if f.Params.Seed >= 1<<31 || f.Params.Seed < 0 {
		return nil, fmt.Errorf("Python integer %d out of bounds for int32", f.Params.Seed) //nolint:staticcheck // the server's words
	}
	prompt := f.Prompt.Chunks[0].Tokens
	got, err := s.engine.Sample(context.Background(), []engine.SampleRequest{{
		Policy: policy, Prompt: prompt, MaxTokens: f.Params.MaxTokens, Stop: f.Params.Stop, Seed: uint64(f.Params.Seed),
		Sampling: engine.Sampling{Temperature: f.Params.Temperature, TopK: max(f.Params.TopK, 0), TopP: f.Params.TopP},
	}})
	if err != nil {
		return nil, err
	}
	q := wire.Sequence{Stop: wire.StopLength, Tokens: got[0].Tokens}
	if got[0].Stop == engine.StopEOS {
		q.Stop = wire.StopToken
	}
	scored, err := s.engine.Forward(context.Background(), []engine.Datum{{Policy: policy, Tokens: append(prompt[:len(prompt):len(prompt)], q.Tokens...), ScoreFrom: len(prompt)}})
	if err != nil {
		return nil, err
	}
	q.Logprobs = scored[0].Logprobs
	return (&wire.Sample{Sequences: []wire.Sequence{q}}).Encode(), nil
}

// archive packs what was saved.
func (s *Server) archive(w http.ResponseWriter, dir string) {
	all, err := os.ReadDir(dir)
	if err != nil {
		fail(w, http.StatusNotFound, "no such checkpoint")
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	z := gzip.NewWriter(w)
	archive := tar.NewWriter(z)
	for _, f := range all {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err == nil {
			err = archive.WriteHeader(&tar.Header{Name: "./" + f.Name(), Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(data))})
		}
		if err == nil {
			_, err = archive.Write(data)
		}
		if err != nil {
			return
		}
	}
	_ = archive.Close()
	_ = z.Close()
}
