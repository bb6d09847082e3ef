package record

import (
	"parley/eval"
	"parley/rollout"
)

// schemes fills in how programs use their helpers, where the task says so (MAGRPO §14).
func (m *Metrics) schemes(episodes []*rollout.Episode) {
	counts, rewards := map[string]int{}, map[string]float64{}
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for k, s := range n.Scored {
				if s.Signals != nil && s.Signals.Scheme != "" {
					counts[s.Signals.Scheme]++
					rewards[s.Signals.Scheme] += n.Rewards[k]
				}
			}
		}
	}
	if len(counts) == 0 {
		return
	}
	shares, entropy := eval.Distribution(counts)
	for scheme, n := range counts {
		rewards[scheme] /= float64(n)
	}
	m.Schemes, m.SchemeEntropy, m.SchemeReward = shares, &entropy, rewards
}
