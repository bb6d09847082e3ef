package measure

import (
	"context"
	"slices"

	"parley/engine"
	"parley/eval"
	"parley/rollout"
	"parley/runs"
	"parley/task"
	"parley/task/answer"
	"parley/team"
	"parley/train/lineup"
)

// PassVote measures the team, trained or not, by a vote over what it answers in as many independent passes as the recipe says (MALT's MV@m). Of
// several answers with as many votes the first given wins. The first pass is the one that the team alone is measured by.
func PassVote(ctx context.Context, l lineup.Lineup, system string, trained bool) (*Measurement, error) {
	sized, err := l.WithAgents(l.Recipe.MeasuredAgents())
	if err != nil {
		return nil, err
	}
	return voted(ctx, sized, system, sized.Evaluation(trained), l.Recipe.Eval.Passes)
}

// An Ablation is the trained team, in the size that it is trained in, with one agent that is not what it has become.
type Ablation struct {
	System  string
	agent   int  // from 0
	skipped bool // it says nothing; else the base speaks for it
}

// Ablations lists those that the recipe asks for, agent by agent.
func Ablations(l lineup.Lineup) []Ablation {
	var out []Ablation
	for agent, name := range l.Recipe.Team.Agents.Names()[:l.Protocol.Agents()] {
		for _, kind := range l.Recipe.Eval.Ablations {
			system := runs.Ablation(kind, name)
			known := slices.ContainsFunc(out, func(a Ablation) bool { return a.System == system })
			if learns := !l.Sharing.IsFrozen(agent); !known && (kind == "skipped" || learns) {
				out = append(out, Ablation{System: system, agent: agent, skipped: kind == "skipped"})
			}
		}
	}
	return out
}

// Measure measures the team with its one agent untrained or skipped, in one pass.
func (a Ablation) Measure(ctx context.Context, l lineup.Lineup) (*Measurement, error) {
	runner := l.Evaluation(true)
	if !a.skipped {
		runner.Actors[a.agent].Policy = func(int) engine.Policy { return engine.Base }
		return voted(ctx, l, a.System, runner, 1)
	}
	runner.Actors[a.agent].Speaker = nil
	runner.Script = func(_ *rollout.Episode, agent int, _ team.History, _ uint64) (string, bool, error) {
		return "", agent == a.agent, nil
	}
	return voted(ctx, l, a.System, runner, 1)
}

// voted measures a team by a vote over its answers in some passes, of which each has random numbers of its own.
func voted(ctx context.Context, l lineup.Lineup, system string, r *rollout.Runner, passes int) (*Measurement, error) {
	m := Of(l)
	out := &Measurement{System: system, Scores: make([][]float64, 1)}
	answers := make([][]answer.Answer, len(m.Problems))
	for pass := range passes {
		episodes, err := m.playPart(ctx, system, r, pass, m.Problems)
		if err != nil {
			return nil, err
		}
		cost := new(Measurement)
		for i, e := range episodes {
			given, err := teamAnswer(l, r.Protocol, e)
			if err != nil {
				return nil, err
			}
			answers[i] = append(answers[i], given)
			cost.addCosts(e)
		}
		out.addPass(cost)
	}
	for i, p := range m.Problems {
		winner, score := eval.Plurality(answers[i]).Winner, 0.0
		if winner.OK && winner.Canonical == p.Truth {
			score = 1
		}
		out.Scores[0] = append(out.Scores[0], score)
	}
	return out, nil
}

// addPass adds what one pass over all problems cost. Passes do not wait for each other.
func (m *Measurement) addPass(cost *Measurement) {
	if m.Tokens == nil {
		m.Tokens, m.Latency = cost.Tokens, cost.Latency
		return
	}
	for i := range cost.Tokens {
		m.Tokens[i] += cost.Tokens[i]
		m.Latency[i] = max(m.Latency[i], cost.Latency[i])
	}
}

// teamAnswer is what a team answered in one pass: what its protocol says it did, or the vote after the last turn. If whoever was to give it said
// nothing, the answer is in what was said last.
func teamAnswer(l lineup.Lineup, p team.Protocol, e *rollout.Episode) (answer.Answer, error) {
	said := e.Said()
	texts, err := answerTexts(p, e.Problem, said)
	if err != nil {
		return answer.Answer{}, err
	}
	if len(texts) == 1 && texts[0] == "" {
		for _, a := range said {
			if a.Text != "" {
				texts[0] = a.Text
			}
		}
	}
	answerer, _ := l.Task.(task.Answerer)
	var given []answer.Answer
	for _, text := range texts {
		canonical, ok := task.AnswerTo(answerer, e.Problem, text)
		given = append(given, answer.Answer{Canonical: canonical, OK: ok})
	}
	return eval.Plurality(given).Winner, nil
}

// answerTexts are the texts that a team answers with.
func answerTexts(p team.Protocol, problem task.Problem, said team.History) ([]string, error) {
	if a, ok := p.(team.Answering); ok && a.Answers() {
		return a.TeamAnswer(problem, said)
	}
	var texts []string
	for _, a := range said {
		if a.Turn == said[len(said)-1].Turn {
			texts = append(texts, a.Text)
		}
	}
	return texts, nil
}
