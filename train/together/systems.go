package together

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/internal/seed"
	"parley/rl/eval"
	"parley/runs"
	"parley/systems/collab"
	"parley/task"
	"parley/task/answer"
	"parley/train/measure"
)

// The systems that are measured, the team first. Each agent is measured in two ways: controlled by the same rule with as many completions as the
// team has, and alone with one greedy text.
const (
	Collab    = "collab"
	BestOf    = "best-of-n"
	controls  = "controlled-"
	aloneness = "alone-"
)

// Measure measures all systems on the held-out problems. texts are those that the team wrote.
func (t *Team) Measure(ctx context.Context, note func(string)) (systems []*measure.Measurement, texts []Written, err error) {
	m := measured{Team: t, note: note}
	if texts, err = m.written(ctx, Collab, t.all(), t.settings.Candidates); err != nil {
		return nil, nil, err
	}
	for agent := range t.actors {
		if len(t.actors) == 1 { // it is the team
			break
		}
		if _, err := m.written(ctx, controls+t.names[agent], []int{agent}, len(t.actors)*t.settings.Candidates); err != nil {
			return nil, nil, err
		}
	}
	single := 0.0 // tokens of a text
	for agent := range t.actors {
		alone, err := m.greedy(ctx, agent)
		if err != nil {
			return nil, nil, err
		}
		single += alone.TokensPerProblem() / float64(len(t.actors))
	}
	err = m.sampled(ctx, measure.Affordable(m.out[0].TokensPerProblem(), single))
	return m.out, texts, err
}

// A measured team is one that is being measured.
type measured struct {
	*Team
	note func(string)
	out  []*measure.Measurement
}

// by is the measure of texts: whether they are right, or, where rewards are processed or not the label, the processed reward.
func (m *measured) by() eval.Measure {
	least, most := m.lineup.Scorer.ProcessedRange()
	if by := m.lineup.Scorer.Measure(); by == eval.Accuracy() && least == 0 && most == 1 {
		return by
	}
	return eval.Earned("reward", least, most)
}

// begin begins a system.
func (m *measured) begin(system string) *measure.Measurement {
	m.note("measuring " + system)
	out := &measure.Measurement{System: system, Measure: m.by(), Scores: make([][]float64, 1), Costs: map[string]map[string]float64{}, Play: map[string]float64{}}
	m.out = append(m.out, out)
	return out
}

// add counts a problem, with the text that a system gave.
func (m *measured) add(out *measure.Measurement, said rated, waited int, costs map[int]collab.Cost) {
	tokens, queries, n := 0, 0, float64(len(m.lineup.HeldOut))
	for agent, c := range costs {
		tokens, queries = tokens+c.Tokens, queries+c.Queries
		of := out.Costs[m.names[agent]]
		if of == nil {
			of = map[string]float64{}
			out.Costs[m.names[agent]] = of
		}
		of["queries"] += float64(c.Queries)
		of["tokens"] += float64(c.Tokens)
	}
	out.Scores[0], out.Tokens, out.Latency = append(out.Scores[0], said.Worth), append(out.Tokens, tokens), append(out.Latency, waited)
	if m.lineup.Recipe.Votes() && out.Measure != eval.Accuracy() {
		out.AddAccuracy(0, map[bool]float64{true: 1}[said.Right])
	}
	out.Play["completions"] += float64(queries) / n
	if m.lineup.Scorer.Answerer() != nil && said.Right {
		out.Play["right answers"] += 1 / n
	}
}

// written measures texts that some agents write by the rule.
func (m *measured) written(ctx context.Context, system string, agents []int, candidates int) (texts []Written, err error) {
	out := m.begin(system)
	for i, p := range m.lineup.HeldOut {
		k, err := once(m, i, func() (keptWritten, error) {
			pen, err := m.pen(p, agents)
			if err != nil {
				return keptWritten{}, err
			}
			pen.Candidates = candidates
			w, err := m.write(ctx, p, pen, agents)
			return w.keep(), err
		})
		if err != nil {
			return nil, err
		}
		w := k.written()
		m.add(out, w.rated, w.waited, w.costs)
		out.Play["switches"] += float64(w.Switches) / float64(len(m.lineup.HeldOut))
		if texts = append(texts, w); i < m.lineup.Recipe.Eval.Examples {
			out.Examples = append(out.Examples, runs.Dialogue{System: system, Question: p.Question, Truth: p.Truth, Lines: []runs.Answer{
				{Turn: 1, Agent: 1, Name: "together", Text: w.Text + "\n\n" + w.Told(), Correct: w.Right, Reward: w.Worth},
			}})
		}
	}
	return texts, nil
}

// greedy measures one text of one agent.
func (m *measured) greedy(ctx context.Context, agent int) (*measure.Measurement, error) {
	out := m.begin(aloneness + m.names[agent])
	for i, p := range m.lineup.HeldOut {
		d, err := once(m, i, func() (drawn, error) { return m.draw(ctx, p, []int{agent}, 1, engine.Sampling{}) })
		if err != nil {
			return nil, err
		}
		m.add(out, d.texts[0], d.waited, d.costs)
	}
	return out, nil
}

// sampled measures n texts of a problem, the agents in turn: the best by the reward, and the first of those with the most frequent answer.
func (m *measured) sampled(ctx context.Context, n int) error {
	best := m.begin(BestOf)
	var vote *measure.Measurement
	if m.lineup.Scorer.Answerer() != nil {
		vote = m.begin(runs.MajorityVote)
	}
	for i, p := range m.lineup.HeldOut {
		d, err := once(m, i, func() (drawn, error) { return m.draw(ctx, p, m.all(), n, m.Team.draw.Sampling) })
		if err != nil {
			return err
		}
		top := d.texts[0]
		for _, x := range d.texts {
			if x.Worth > top.Worth {
				top = x
			}
		}
		m.add(best, top, d.waited, d.costs)
		if vote != nil {
			m.add(vote, voted(d.texts), d.waited, d.costs)
		}
	}
	return nil
}

// voted is the first text with the most frequent answer; of answers with as many votes the first given wins. Without any answer it is the first text.
func voted(texts []rated) rated {
	var answers []answer.Answer
	for _, x := range texts {
		answers = append(answers, answer.Answer{Canonical: x.answer, OK: x.hasAnswer})
	}
	winner := answer.Plurality(answers).Winner
	for _, x := range texts {
		if winner.OK && x.hasAnswer && x.answer == winner.Canonical {
			return x
		}
	}
	return texts[0]
}

// drawn are texts for a problem, with what they cost.
type drawn struct {
	texts  []rated
	costs  map[int]collab.Cost
	waited int
}

// draw lets some agents write n texts for a problem by themselves, in turn: text i is of agent i mod their number.
func (m *measured) draw(ctx context.Context, p task.Problem, agents []int, n int, s engine.Sampling) (out drawn, err error) {
	pen, err := m.pen(p, agents)
	if err != nil {
		return out, err
	}
	out.texts, out.costs = make([]rated, n), map[int]collab.Cost{}
	for i, agent := range agents {
		texts, cost, err := pen.Draw(ctx, i, (n-i+len(agents)-1)/len(agents), s, seed.Derive(uint64(m.lineup.Recipe.Seed), "together: "+p.ID))
		if err != nil {
			return out, fmt.Errorf("problem %s: %w", p.ID, err)
		}
		if len(texts) == 0 {
			continue
		}
		said, err := m.rate(ctx, p, agent, texts)
		if err != nil {
			return out, err
		}
		for k, x := range said {
			out.texts[i+k*len(agents)], out.waited = x, max(out.waited, len(texts[k].Tokens))
		}
		out.costs[agent] = cost
	}
	return out, nil
}
