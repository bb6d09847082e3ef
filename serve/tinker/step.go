package tinker

import (
	"context"
	"encoding/json"
	"net/http"

	"parley/engine"
)

// adam are the settings of a step, with the protocol's values where a client says nothing.
type adam struct {
	LR          float64 `json:"learning_rate"`
	Beta1       float64 `json:"beta1"`
	Beta2       float64 `json:"beta2"`
	Eps         float64 `json:"eps"`
	WeightDecay float64 `json:"weight_decay"`
	ClipNorm    float64 `json:"grad_clip_norm"`
}

func (a *adam) UnmarshalJSON(data []byte) error {
	type fields adam
	f := fields{LR: 1e-4, Beta1: 0.9, Beta2: 0.95, Eps: 1e-12}
	err := json.Unmarshal(data, &f)
	*a = adam(f)
	return err
}

type optimStep struct {
	Model string          `json:"model_id"`
	Seq   int             `json:"seq_id"`
	Adam  *adam           `json:"adam_params"`
	Other json.RawMessage `json:"optimizer_params"`
}

func (s *Server) optimStep(r *http.Request) any {
	q, f := read[optimStep](s, r)
	if f != nil {
		return f
	}
	m, f := s.model(q.Model)
	if f != nil {
		return f
	}
	hash := hashOf("optim_step", q)
	if q.Adam == nil {
		return s.refuse(m, q.Seq, hash, wrong("adam_params are missing; models are trained with adamw"))
	}
	a := engine.Adam{LR: q.Adam.LR, Beta1: q.Adam.Beta1, Beta2: q.Adam.Beta2, Eps: q.Adam.Eps, WeightDecay: q.Adam.WeightDecay, ClipNorm: q.Adam.ClipNorm}
	return s.numbered(m, q.Seq, hash, 0, small(func(ctx context.Context) (plain, error) {
		info, err := s.engine.Step(ctx, m.policy, a)
		if err != nil && ctx.Err() == nil { // settings that are no numbers, or gradients that are none
			err = userError{err}
		}
		if err != nil {
			return nil, err
		}
		return plain{"metrics": map[string]float64{"grad_norm": info.GradNorm, "update_norm": info.UpdateNorm, "param_norm": info.ParamNorm}}, nil
	}))
}
