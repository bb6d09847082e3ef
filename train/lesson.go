package train

import (
	"context"
	"fmt"
	"strings"

	"parley/engine"
)

// A lesson is what one policy learns from in one step.
type lesson struct {
	to   target
	data []engine.Datum
	loss engine.Loss
}

// study accumulates the gradients of lessons of different policies. Those of one engine go there in one call: it may compute what they
// share once.
func study(ctx context.Context, lessons []lesson) error {
	return byEngine(lessons, func(l lesson) engine.Engine { return l.to.engine }, func(e engine.Engine, lessons []lesson) error {
		parts, names := make([]engine.Part, len(lessons)), make([]string, len(lessons))
		for i, l := range lessons {
			parts[i], names[i] = engine.Part{Data: l.data, Loss: l.named}, string(l.to.policy)
		}
		data, loss := engine.Join(parts)
		if err := e.ForwardBackward(ctx, data, loss); err != nil {
			return fmt.Errorf("train %s: %w", strings.Join(names, ", "), err)
		}
		return nil
	})
}

// named is the loss, whose errors name the policy: several may be trained in one call.
func (l lesson) named(first int, outputs []engine.Output) ([]engine.Gradient, error) {
	g, err := l.loss(first, outputs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.to.policy, err)
	}
	return g, nil
}
