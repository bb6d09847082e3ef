package openai

import (
	"context"
	"fmt"

	"parley/engine"
)

func (e *Engine) remember(reqs []engine.SampleRequest, samples []engine.Sample) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pinned == nil { // else what draws is an older version
		e.gap.Drew(reqs, samples)
	}
}

// ForwardBackward implements [engine.Engine], and compares what it computes with what the sampler said.
func (e *Engine) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	if err := masked(data); err != nil {
		return err
	}
	var call engine.GapSums
	err := e.Local.ForwardBackward(ctx, data, func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		e.compare(data[first:], outputs, &call)
		if mean := call.Size / max(float64(call.Tokens), 1); mean > e.settings.MostGap {
			return nil, fmt.Errorf("sampler and trainer differ by %.3g nats a token, and sampler.openai.most_gap is %g: has the server the same base (sampler.openai.model), "+
				"and the log-probabilities that it draws with (vLLM: --logprobs-mode processed_logprobs)?", mean, e.settings.MostGap)
		}
		return loss(first, outputs)
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gap.Add(call)
	return err
}

func (e *Engine) compare(data []engine.Datum, outputs []engine.Output, sums *engine.GapSums) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gap.Compare(data, outputs, sums)
}

// Gap implements [engine.Gapped].
func (e *Engine) Gap() (engine.Gap, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.gap.Take()
}
