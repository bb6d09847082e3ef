package train

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/engine"
)

// A lesson is what one policy learns from in one step.
type lesson struct {
	to   target
	data []engine.Datum
	loss engine.Loss
}

// study accumulates the gradients of lessons of different policies. Those of one engine go there in one call: the products with its base
// run once for all of them.
func study(ctx context.Context, lessons []lesson) error {
	for len(lessons) > 0 {
		e := lessons[0].to.engine
		var parts []engine.Part
		var names []string
		for _, l := range lessons {
			if l.to.engine == e {
				parts, names = append(parts, engine.Part{Data: l.data, Loss: l.named}), append(names, string(l.to.policy))
			}
		}
		data, loss := engine.Join(parts)
		if err := e.ForwardBackward(ctx, data, loss); err != nil {
			return fmt.Errorf("train %s: %w", strings.Join(names, ", "), err)
		}
		lessons = slices.DeleteFunc(slices.Clone(lessons), func(l lesson) bool { return l.to.engine == e })
	}
	return nil
}

// named is the loss, whose errors name the policy: several may be trained in one call.
func (l lesson) named(first int, outputs []engine.Output) ([]engine.Gradient, error) {
	g, err := l.loss(first, outputs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.to.policy, err)
	}
	return g, nil
}
