package train

import (
	"fmt"
	"math"
	"parley/rollout"
	"parley/task"
)

// Metrics is one line of metrics.jsonl: what one update saw and did. Every value is a function of recipe and seed; speed and
// time are elsewhere ([Timing]).
type Metrics struct {
	Update   int `json:"update"`           // from 1
	Problems int `json:"problems"`         // whose answers have all their scores; the other fields are about them
	Failed   int `json:"failed,omitempty"` // further problems that could not be scored, and were not learned from

	Accuracy       []float64 `json:"accuracy,omitempty"`        // voted, per turn
	AnswerAccuracy []float64 `json:"answer_accuracy,omitempty"` // mean over single answers, per turn
	Reward         []float64 `json:"reward"`                    // mean per agent, over turns
	Unparsed       float64   `json:"unparsed"`                  // share of answers without a readable final answer
	Flagged        float64   `json:"flagged"`                   // share of answers with a penalty
	Truncated      float64   `json:"truncated"`                 // share of answers without an end token
	Empty          float64   `json:"empty"`                     // share of answers without text
	Length         float64   `json:"length"`                    // tokens an answer
	Surprisal      float64   `json:"surprisal"`                 // mean -log-probability of a sampled token: estimates the entropy

	rollout.Counts

	KL         *float64 `json:"kl,omitempty"`          // to the base, per answer, on sampled tokens; absent where nothing needs it
	ClipShare  float64  `json:"clip_share"`            // of tokens whose clipped term was active
	RatioMean  float64  `json:"ratio_mean"`            // of token probabilities, new over old, over all passes
	RatioMax   float64  `json:"ratio_max"`             //
	FirstRatio float64  `json:"first_ratio_deviation"` // greatest |ratio - 1| of the first pass: 0
	PolicyLoss float64  `json:"policy_loss"`
	ValueLoss  float64  `json:"value_loss,omitempty"`
	Explained  float64  `json:"value_explained,omitempty"` // share of the returns' variance that the critic knows
	Pairs      int      `json:"pairs,omitempty"`           // of joint responses that were learned from
	PairSteps  int      `json:"pair_env_steps,omitempty"`  // two a pair, as MADPO counts its steps
	Preferred  float64  `json:"preferred,omitempty"`       // share of pairs whose better response the team prefers, before it learns from them
	Kept       int      `json:"kept,omitempty"`            // debates that supervised learning took
	DeadGroups float64  `json:"dead_groups,omitempty"`     // share of groups whose credits are all equal
	LR         float64  `json:"lr"`                        // of the last optimizer step
	Steps      int      `json:"optimizer_steps"`           // in this update, all policies

	GradNorm map[string]float64 `json:"grad_norm"` // per policy, mean over its steps

	Schemes       map[string]float64 `json:"schemes,omitempty"`        // share of joint actions per cooperation scheme of a program
	SchemeEntropy *float64           `json:"scheme_entropy,omitempty"` // of these shares, in nats
	SchemeReward  map[string]float64 `json:"scheme_reward,omitempty"`  // mean processed reward per scheme

	passes, valuePasses int
	policySteps         map[string]int
}

// observe fills in what the episodes of an update say by themselves.
func (m *Metrics) observe(episodes []*rollout.Episode, agents int) {
	m.Problems = len(episodes)
	m.Counts = rollout.Count(episodes)
	m.Reward = make([]float64, agents)
	counts := make([]float64, agents)
	var answers, tokens, surprisal float64
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for s := range n.Agents {
				for i := range n.Agents[s].Completions {
					c := &n.Agents[s].Completions[i]
					answers++
					tokens += float64(len(c.Tokens))
					for _, lp := range c.Logprobs {
						surprisal -= float64(lp)
					}
					m.Unparsed += one(!c.HasAnswer)
					m.Flagged += one(len(c.Flags) > 0)
					m.Truncated += one(c.Stop != "eos")
					m.Empty += one(c.Text == "")
					m.Reward[n.Agents[s].Agent] += c.Reward
					counts[n.Agents[s].Agent]++
				}
			}
		}
	}
	for a := range m.Reward {
		m.Reward[a] /= max(counts[a], 1)
	}
	for _, share := range []*float64{&m.Unparsed, &m.Flagged, &m.Truncated, &m.Empty} {
		*share /= max(answers, 1)
	}
	m.Length = tokens / max(answers, 1)
	m.Surprisal = surprisal / max(tokens, 1)
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// stepped records one optimizer step of a policy.
func (m *Metrics) stepped(policy string, norm, lr float64) {
	if m.GradNorm == nil {
		m.GradNorm, m.policySteps = map[string]float64{}, map[string]int{}
	}
	m.Steps++
	m.LR = lr
	m.policySteps[policy]++
	m.GradNorm[policy] += (norm - m.GradNorm[policy]) / float64(m.policySteps[policy])
}

// passed records the loss and the ratios of one minibatch of a policy.
func (m *Metrics) passed(loss, ratioMean, ratioMax float64) {
	m.passes++
	m.PolicyLoss += (loss - m.PolicyLoss) / float64(m.passes)
	m.RatioMean += (ratioMean - m.RatioMean) / float64(m.passes)
	m.RatioMax = max(m.RatioMax, ratioMax)
}

// fitted records the loss of one minibatch of supervised learning.
func (m *Metrics) fitted(loss float64) {
	m.passes++
	m.PolicyLoss += (loss - m.PolicyLoss) / float64(m.passes)
}

// clipped records the clip share of the minibatch that was just passed.
func (m *Metrics) clipped(share float64) { m.ClipShare += (share - m.ClipShare) / float64(m.passes) }

// preferred records a batch of pairs, just passed.
func (m *Metrics) preferred(share float64) { m.Preferred += (share - m.Preferred) / float64(m.passes) }

// valued records one minibatch of a critic.
func (m *Metrics) valued(loss, explained float64) {
	m.valuePasses++
	m.ValueLoss += (loss - m.ValueLoss) / float64(m.valuePasses)
	m.Explained += (explained - m.Explained) / float64(m.valuePasses)
}

// finite returns an error that names the problem when a number of its episode is none.
func finite(p task.Problem, what string, x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("problem %s: %s is %v: the task must return a finite number", p.ID, what, x)
	}
	return nil
}

func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(len(x), 1))
}
