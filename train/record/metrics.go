// Package record is what a training writes down of every update: a line of metrics.jsonl and one of timing.jsonl.
//
//	metrics.go   what an update saw and did, all of it a function of recipe and seed; named.go, how a line names agents; what episodes cost: nodes, scored joint actions, completions and tokens
//	accuracy.go  of these, the accuracy of every turn, and how programs use their helpers
//	timing.go    what it took
//	hidden.go    what prompts showed of fields that are hidden from their agents
//	curve.go     what pictures show of it
//	pictures.go  all that is drawn of a run: what its report says (package figures), and who sees what in its team (package picture)
//	flat.go      the recipe of a run as a flat list of keys and texts; flat_kept.go, those that were read
//	state.go     what a checkpoint says of its training, beside the policies
package record

import (
	"fmt"
	"slices"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/rl/rollout/harness"
	"parley/train/failures"
	"parley/train/lineup"
	"parley/train/score"
)

// Metrics is one line of metrics.jsonl: what one update saw and did. Every value is a function of recipe and seed; speed and
// time are elsewhere ([Timing]).
type Metrics struct {
	Update   int `json:"update"`           // from 1
	Lag      int `json:"lag,omitempty"`    // updates by which the policies that wrote the answers are older than those that learn from them
	Problems int `json:"problems"`         // whose answers have all their scores; the other fields are about them
	Failed   int `json:"failed,omitempty"` // further problems that could not be scored, and were not learned from
	// FailedEpisodes are those that could not be scored, of these problems and of others, which have others. A tree is one.
	FailedEpisodes int `json:"failed_episodes,omitempty"`
	// FailedReasons counts them by the last lines of their reasons.
	FailedReasons map[string]int `json:"failed_reasons,omitempty"`

	Accuracy       []float64 `json:"accuracy,omitempty"`        // voted, per turn
	AnswerAccuracy []float64 `json:"answer_accuracy,omitempty"` // mean over single answers, per turn
	Overpaid       []float64 `json:"overpaid,omitempty"`        // mean of the verifier's score less the label, per turn; nil: labels are the scores
	Reward         []float64 `json:"reward"`                    // mean per agent of what answers earned in their turns ([score.Scorer.Earned])
	OwnReward      []float64 `json:"own_reward,omitempty"`      // mean per agent of what an episode paid it alone; nil: nobody was
	Unparsed       float64   `json:"unparsed"`                  // share of answers without a readable final answer
	Flagged        float64   `json:"flagged"`                   // share of answers with a penalty
	Truncated      float64   `json:"truncated"`                 // share of answers without an end: neither an end token nor a stop text
	Stopped        float64   `json:"stopped,omitempty"`         // share of answers that a stop text ended
	Empty          float64   `json:"empty"`                     // share of answers without text
	Length         float64   `json:"length"`                    // tokens an answer
	Calls          float64   `json:"calls,omitempty"`           // of tools, an answer
	FailedCalls    float64   `json:"failed_calls,omitempty"`    // share of these whose results say what was wrong
	Surprisal      float64   `json:"surprisal"`                 // mean -log-probability of a sampled token: estimates the entropy
	FormDecided    *float64  `json:"form_decided,omitempty"`    // share of the places in answers of a form at which one token could come; nil: no answer has one
	FormTaken      *float64  `json:"form_taken,omitempty"`      // probability of the tokens that forms left out, a mean over these places

	Counts

	learn.Stats

	Names []string `json:"-"` // of the agents; nil: they have none, and lists are by agent

	Schemes       map[string]float64 `json:"schemes,omitempty"`        // share of joint actions per cooperation scheme of a program
	SchemeEntropy *float64           `json:"scheme_entropy,omitempty"` // of these shares, in nats
	SchemeReward  map[string]float64 `json:"scheme_reward,omitempty"`  // mean processed reward per scheme

	Rates map[string]float64 `json:"rates,omitempty"` // share of the checks of joint actions that were passed, by name, where the task makes some

	Gap *engine.Gap `json:"sampler_gap,omitempty"` // between the log-probabilities of a sampler elsewhere and those of the trainer

	Servers *lineup.Spending `json:"servers,omitempty"` // what servers that speak for somebody have cost since the run began

	Hidden *Hidden `json:"hidden,omitempty"` // where fields are hidden from some agents

	Harness *harness.Metrics `json:"harness,omitempty"` // of the program in which the team works

	Panel *Panel `json:"panel,omitempty"` // how the team does on held-out problems after the update, where it was measured then (eval.every)

	Play map[string]float64 `json:"play,omitempty"` // how the team plays after the update, of a game that was measured then
}

// Panel is how a team does on its panel of held-out problems.
type Panel struct {
	Metric    string     `json:"metric"`             // the name of the report's measure
	Problems  int        `json:"problems"`           // that could be scored
	Unscored  int        `json:"unscored,omitempty"` // that could not be
	Score     float64    `json:"score"`
	CI95      [2]float64 `json:"ci95"`
	Untrained float64    `json:"untrained"` // the score before training
}

// Observe fills in what the episodes of an update of l say: all of them, and those whose answers all have their scores.
func (m *Metrics) Observe(l lineup.Lineup, episodes, whole []*rollout.Episode) {
	m.Names = l.Sharing.Names
	m.observe(whole)
	m.rewards(l.Scorer, whole, l.Protocol.Agents())
	m.OwnReward = score.OwnRewards(whole, l.Protocol.Agents())
	m.FailedEpisodes, m.FailedReasons = failures.Count(episodes)
	m.Failed, m.Counts = len(episodes)-len(whole), CostsOf(episodes)
	m.accuracies(l, whole)
	m.schemes(whole)
	m.rates(whole)
	m.Servers, m.Gap = l.Spending(), l.Gap()
	if l.Harness != nil {
		m.Harness = l.Harness.Take(m.Update)
	}
	m.Hidden = hidden(l.Recipe.Team.Fields.ByField(), l.Recipe.Team.Agents.Names(), episodes)
}

// Agents are what the agents are called: their names, or numbers.
func (m *Metrics) Agents() []string {
	out := slices.Clone(m.Names)
	for i := len(out); i < max(len(m.Reward), len(m.Return)); i++ {
		out = append(out, fmt.Sprintf("agent %d", i+1))
	}
	return out
}

// Rewards are the mean rewards as people read them, each with who earned it. What a team earns in its program is paid at the last message alone: by
// agent it would say who spoke last. So there the one reward is an episode's, whoever spoke; it is about that in an update of which episodes failed.
func (m *Metrics) Rewards() (names []string, rewards []float64) {
	if m.Harness == nil {
		return m.Agents(), m.Reward
	}
	team := 0.0
	for i, name := range m.Agents()[:len(m.Reward)] {
		team += m.Reward[i] * m.Harness.Calls[name]
	}
	return []string{""}, []float64{team}
}

// MeanReward is that of all agents.
func (m *Metrics) MeanReward() float64 { return average(m.Reward) }

// observe fills in what the episodes of an update say by themselves.
func (m *Metrics) observe(episodes []*rollout.Episode) {
	m.Problems = len(episodes)
	m.Counts = CostsOf(episodes)
	var answers, tokens, surprisal float64
	var forced engine.Forced
	places := 0 // in answers of a form
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for s := range n.Agents {
				if n.Agents[s].Speaker != "" {
					continue // no policy wrote it
				}
				for i := range n.Agents[s].Completions {
					c := &n.Agents[s].Completions[i]
					answers++
					tokens += float64(len(c.Tokens))
					for _, lp := range c.Logprobs {
						surprisal -= float64(lp)
					}
					if f := c.Forced; f != nil {
						places += len(c.Tokens)
						forced = engine.Forced{Decided: forced.Decided + f.Decided, Taken: forced.Taken + f.Taken}
					}
					m.Unparsed += one(!c.HasAnswer)
					m.Flagged += one(len(c.Flags) > 0)
					m.Truncated += one(c.Stop != engine.StopEOS && c.Stop != engine.StopText)
					m.Stopped += one(c.Stop == engine.StopText)
					m.Empty += one(c.Text == "")
					m.Calls += float64(len(c.Calls))
					for _, call := range c.Calls {
						m.FailedCalls += one(call.Failed)
					}
				}
			}
		}
	}
	m.FailedCalls /= max(m.Calls, 1)
	for _, share := range []*float64{&m.Calls, &m.Unparsed, &m.Flagged, &m.Truncated, &m.Stopped, &m.Empty} {
		*share /= max(answers, 1)
	}
	m.Length = tokens / max(answers, 1)
	m.Surprisal = surprisal / max(tokens, 1)
	if places > 0 {
		decided, taken := float64(forced.Decided)/float64(places), forced.Taken/float64(places)
		m.FormDecided, m.FormTaken = &decided, &taken
	}
}

// rewards fills in the mean reward of every agent. Where an agent has spoken only before the team was rewarded, that of the team stands for
// it.
func (m *Metrics) rewards(s *score.Scorer, episodes []*rollout.Episode, agents int) {
	sums, counts := make([]float64, agents), make([]float64, agents)
	for _, e := range episodes {
		failures := e.Failures()
		for i, n := range e.Nodes {
			if _, failed := failures[n.Sample]; failed {
				continue
			}
			earned, ok := s.Earned(n, i == len(e.Nodes)-1)
			for speaker := range n.Agents {
				if !ok {
					break
				}
				for _, x := range earned[speaker] {
					sums[n.Agents[speaker].Agent] += x
					counts[n.Agents[speaker].Agent]++
				}
			}
		}
	}
	team := total(sums) / max(total(counts), 1)
	m.Reward = slices.Repeat([]float64{team}, agents)
	for a, n := range counts {
		if n > 0 {
			m.Reward[a] = sums[a] / n
		}
	}
	m.Return = append(m.Return, make([]float64, agents-len(m.Return))...)
	if m.ShapedReturn != nil {
		m.ShapedReturn = append(m.ShapedReturn, make([]float64, agents-len(m.ShapedReturn))...)
	}
}

func total(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func average(x []float64) float64 { return total(x) / float64(max(len(x), 1)) }

// Counts are the real costs of an episode, early termination included.
type Counts struct {
	Nodes        int `json:"nodes"`
	Steps        int `json:"env_steps"` // scored joint actions
	Generations  int `json:"generations"`
	Tokens       int `json:"tokens"` // generated
	PromptTokens int `json:"prompt_tokens"`
}

// CostsOf adds up the costs of episodes.
func CostsOf(episodes []*rollout.Episode) Counts {
	var c Counts
	for _, e := range episodes {
		if e.Solo != nil {
			c = c.plus(CostsOf([]*rollout.Episode{e.Solo}))
		}
		for _, n := range e.Nodes {
			c.Nodes++
			c.Steps += len(n.Joint)
			for i := range n.Agents {
				c.Generations += len(n.Agents[i].Completions)
				c.PromptTokens += len(n.Agents[i].Prompt)
				for j := range n.Agents[i].Completions {
					c.Tokens += len(n.Agents[i].Completions[j].Tokens)
				}
			}
		}
	}
	return c
}

func (c Counts) plus(d Counts) Counts {
	return Counts{c.Nodes + d.Nodes, c.Steps + d.Steps, c.Generations + d.Generations, c.Tokens + d.Tokens, c.PromptTokens + d.PromptTokens}
}
