package gather

import (
	"context"
	"slices"

	"parley/engine"
)

// Sample is e.Sample; who hears of tokens gets every one of an engine that hands them out.
func Sample(ctx context.Context, e engine.Engine, reqs []engine.SampleRequest, hear ...func(i, token int) error) ([]engine.Sample, error) {
	hear = slices.DeleteFunc(hear, func(f func(i, token int) error) bool { return f == nil })
	s, ok := engine.As[engine.Streamer](e)
	if !ok || len(hear) == 0 {
		return e.Sample(ctx, reqs)
	}
	return s.Stream(ctx, reqs, func(i, token int) error {
		for _, f := range hear {
			if err := f(i, token); err != nil {
				return err
			}
		}
		return nil
	})
}
