package learn

import (
	"context"
	"fmt"
	"strings"

	"parley/engine"
)

// A PolicyRef says where a policy lives: agents on different engines may use one name.
type PolicyRef struct {
	Engine engine.Engine
	Policy engine.Policy
}

// A PolicyBatch is what one policy learns from in one step.
type PolicyBatch struct {
	To   PolicyRef
	Data []engine.Datum
	Loss engine.Loss
	// Agents say whose message each of Data is; nil: it is not asked for.
	Agents []int
}

// Add puts a message of an agent into the batch.
func (b *PolicyBatch) Add(d engine.Datum, agent int) {
	b.Data, b.Agents = append(b.Data, d), append(b.Agents, agent)
}

// Accumulate adds up the gradients of batches of different policies. Those of one engine go there in one call: it may compute
// what they share once.
func Accumulate(ctx context.Context, batches []PolicyBatch) error {
	return ByEngine(batches, func(b PolicyBatch) engine.Engine { return b.To.Engine }, func(e engine.Engine, batches []PolicyBatch) error {
		parts, names := make([]engine.Part, len(batches)), make([]string, len(batches))
		for i, b := range batches {
			parts[i], names[i] = engine.Part{Data: b.Data, Loss: b.withPolicyName}, string(b.To.Policy)
		}
		data, loss := engine.Join(parts)
		if err := e.ForwardBackward(ctx, data, loss); err != nil {
			return fmt.Errorf("train %s: %w", strings.Join(names, ", "), err)
		}
		return nil
	})
}

// withPolicyName is the loss, whose errors name the policy: several may be trained in one call.
func (b PolicyBatch) withPolicyName(first int, outputs []engine.Output) ([]engine.Gradient, error) {
	g, err := b.Loss(first, outputs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.To.Policy, err)
	}
	return g, nil
}
