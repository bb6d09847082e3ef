package group

import (
	"slices"

	"parley/credit"
	"parley/internal/tie"
	"parley/learn"
	"parley/loss"
	"parley/rollout"
)

// creditEpisodes fills in credits and advantages where a problem has several whole episodes: a message's credit is its return, discounted turn by
// turn, and it is compared with the scores of the episodes, each the mean of its returns. Episodes that could not be scored take no part:
//
//	R_t = r_t + γ·R_t+1                    of the messages of turn t, and of an agent with weights of its own by its own rewards
//	S_i = mean over the messages of episode i of their R
//	A   = R − mean(S)                      magrpo; the other algorithms compare with what they compare a group with
//
// An agent that is silent in an episode has no term there. With one message an episode this is the credit of a tree of one turn, to the bit.
func (l *learner) creditEpisodes(e *rollout.Episode, kl map[*rollout.Completion]float64, stats *learn.Stats) error {
	returns, err := l.returns(e)
	if err != nil {
		return err
	}
	var said [][]*rollout.Completion // [episode][message], in the order of the nodes
	var earned [][]float64
	for i, n := range e.Nodes {
		for len(said) <= n.Sample {
			said, earned = append(said, nil), append(earned, nil)
		}
		if e.FailedSample(n.Sample) {
			continue
		}
		for s := range n.Agents {
			c := &n.Agents[s].Completions[0]
			plain := returns[n.Agents[s].Agent][i][0]
			c.Reward = loss.PenalisedReturn(plain, kl[c], l.settings.KL)
			l.addReturn(stats, n.Agents[s].Agent, plain, c.Reward)
			said[n.Sample], earned[n.Sample] = append(said[n.Sample], c), append(earned[n.Sample], c.Reward)
		}
	}
	if scored := slices.DeleteFunc(slices.Clone(earned), func(r []float64) bool { return len(r) == 0 }); len(scored) == 1 && l.mode == credit.ModeRLOO {
		return nil // the others failed: it is compared with none
	}
	advantages, err := credit.EpisodeAdvantages(leveled(earned, l.Reward.Width), l.mode, l.settings.Normalize)
	if err != nil {
		return err
	}
	for i := range said {
		for k, c := range said[i] {
			c.Advantage = advantages[i][k]
		}
	}
	return nil
}

// leveled are the values with those made equal that differ by rounding.
func leveled(values [][]float64, width float64) [][]float64 {
	var flat []float64
	for _, v := range values {
		flat = append(flat, v...)
	}
	flat = tie.Levels(flat, width)
	out := make([][]float64, len(values))
	for i, v := range values {
		out[i], flat = flat[:len(v):len(v)], flat[len(v):]
	}
	return out
}
