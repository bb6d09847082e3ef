package measure

import (
	"parley/rl/rollout"
	"parley/task"
)

// addCosts adds the tokens of an episode, and those that had to be waited for: agents answer at the same time, turns follow each other.
func (m *Measurement) addCosts(e *rollout.Episode, names []string) {
	sum, latency := 0, 0
	for _, n := range e.Nodes {
		longest := 0
		for i := range n.Agents {
			for j := range n.Agents[i].Completions {
				sum += len(n.Agents[i].Completions[j].Tokens)
				m.charge(names, n.Agents[i].Agent, len(n.Agents[i].Completions[j].Tokens))
				longest = max(longest, len(n.Agents[i].Completions[j].Tokens))
			}
		}
		latency += longest
	}
	m.Tokens, m.Latency = append(m.Tokens, sum), append(m.Latency, latency)
}

// What an agent costs, in [Measurement].Costs.
const (
	queries = "queries"
	tokens  = "tokens"
)

// charge adds one answer to what an agent with a name costs.
func (m *Measurement) charge(names []string, agent, length int) {
	if agent >= len(names) {
		return
	}
	if m.Costs == nil {
		m.Costs = map[string]map[string]float64{}
		for _, name := range names { // also of those who are never asked
			m.Costs[name] = map[string]float64{queries: 0, tokens: 0}
		}
	}
	m.Costs[names[agent]][queries]++
	m.Costs[names[agent]][tokens] += float64(length)
}

// MeanCosts are what each agent with a name costs a problem.
func (m *Measurement) MeanCosts() map[string]map[string]float64 {
	if m.Costs == nil {
		return nil
	}
	out := map[string]map[string]float64{}
	for name, spent := range m.Costs {
		out[name] = map[string]float64{queries: spent[queries] / float64(len(m.Tokens)), tokens: spent[tokens] / float64(len(m.Tokens))}
	}
	return out
}

// addParts adds the parts and the rates of a joint reward, with a weight.
func (m *Measurement) addParts(s task.Score, weight float64) {
	for name, x := range s.Parts {
		if m.Parts == nil {
			m.Parts = map[string]float64{}
		}
		m.Parts[name] += weight * x
	}
	m.Rates = m.Rates.Plus(s.Rates)
}

// MeanLatency is the mean over problems.
func (m *Measurement) MeanLatency() float64 { return meanOf(m.Latency) }

// MeanParts are the parts of the joint reward of a problem, and the rates over all problems.
func (m *Measurement) MeanParts() map[string]float64 {
	if m.Parts == nil {
		return nil
	}
	out := map[string]float64{}
	for name, x := range m.Parts {
		out[name] = x / float64(len(m.Tokens))
	}
	m.Rates.Shares(out)
	return out
}

// TokensPerProblem is what the system generated, a mean over problems.
func (m *Measurement) TokensPerProblem() float64 { return meanOf(m.Tokens) }

func meanOf(counts []int) float64 {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return float64(sum) / float64(max(len(counts), 1))
}
