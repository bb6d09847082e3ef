package credit

import "fmt"

// TDTargets returns the turn-level targets and temporal-difference errors of an independent actor-critic (IAC, MAGRPO §5):
// target_t = r_t + discount·V_{t+1}, the last target is the last reward, and delta = target − V. values[t] is the critic's
// value of the history before turn t.
func TDTargets(rewards, values []float64, discount float64) (targets, deltas []float64, err error) {
	if len(rewards) != len(values) {
		return nil, nil, fmt.Errorf("td targets: %d rewards and %d values", len(rewards), len(values))
	}
	targets, deltas = make([]float64, len(rewards)), make([]float64, len(rewards))
	for t, r := range rewards {
		targets[t] = r
		if t+1 < len(values) {
			targets[t] += discount * values[t+1]
		}
		deltas[t] = targets[t] - values[t]
	}
	return targets, deltas, nil
}
