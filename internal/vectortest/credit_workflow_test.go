package vectortest

import (
	"encoding/json"
	"slices"
	"testing"

	"parley/rl/credit"
	"parley/rl/credit/workflow"
	"parley/rl/loss"
)

// vectorSpread are the fields of a spread in a case.
type vectorSpread struct {
	Std    credit.Std
	Divide credit.Division
	Eps    float64
}

func (s vectorSpread) spread() credit.Spread { return credit.Spread(s) }

// nullable is a number that may be null; absent it is 0.
type nullable struct {
	value float64
	null  bool
}

func (n *nullable) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		n.null = true
		return nil
	}
	return json.Unmarshal(data, &n.value)
}

func episodeReturnsCase(t *testing.T, c Case) {
	v := decode[struct {
		Gamma      float64
		Clock      workflow.Clock
		Returns    string
		TeamWeight float64 `json:"team_weight"`
		OwnWeight  float64 `json:"own_weight"`
		Failed     string
		FailReward float64 `json:"fail_reward"`
		Agents     []string
		Episodes   []struct {
			Failed bool
			Steps  []struct {
				Says []string
				Team nullable
				Own  map[string]float64
			}
		}
		Kept, Messages, Totals, Scores json.RawMessage
	}](t, c)
	o := workflow.Options{Gamma: v.Gamma, Clock: v.Clock, Returns: v.Returns, Keep: v.Failed == "keep", FailReward: v.FailReward}
	o.Weights = slices.Repeat([]workflow.Weights{{Team: v.TeamWeight, Own: v.OwnWeight}}, len(v.Agents))
	var kept []bool
	var messages, totals, scores []any
	for _, ep := range v.Episodes {
		e := workflow.Episode{Failed: ep.Failed}
		for _, s := range ep.Steps {
			step := workflow.Step{Team: s.Team.value, Unscored: s.Team.null, Own: make([]float64, len(v.Agents))}
			for _, a := range s.Says {
				step.Says = append(step.Says, slices.Index(v.Agents, a))
			}
			for a, r := range s.Own {
				step.Own[slices.Index(v.Agents, a)] = r
			}
			e.Steps = append(e.Steps, step)
		}
		got := o.Credit(e)
		kept = append(kept, got.Kept)
		if !got.Kept {
			messages, totals, scores = append(messages, nil), append(totals, nil), append(scores, nil)
			continue
		}
		said := []any{}
		for _, m := range got.Messages {
			said = append(said, map[string]any{"step": m.Step, "agent": v.Agents[m.Agent], "turn": m.Turn, "return": m.Return})
		}
		total := map[string]any{}
		for a, name := range v.Agents {
			total[name] = got.Totals[a]
		}
		score, ok := got.Score()
		messages, totals, scores = append(messages, said), append(totals, total), append(scores, where(ok, score))
	}
	same(t, c, "kept", kept, v.Kept)
	same(t, c, "messages", messages, v.Messages)
	same(t, c, "totals", totals, v.Totals)
	same(t, c, "scores", scores, v.Scores)
}

// baselineCase checks one of the baselines.
func baselineCase(b workflow.Baseline) func(*testing.T, Case) {
	return func(t *testing.T, c Case) {
		v := decode[struct {
			vectorSpread
			Single, Loo, Turn, Scope string
			Replace                  bool
			Problems                 [][][]struct {
				Agent  string
				Step   int
				Return float64
			}
			Groups, Advantages, Dead json.RawMessage
		}](t, c)
		rule := workflow.Comparison{
			Baseline: b, Spread: v.spread(), Leave: v.Loo, Raw: v.Single == "raw", Replace: v.Replace, BySteps: v.Turn == "step", Batch: v.Scope == "batch",
		}
		var names []string
		problems := make([][][]workflow.Message, len(v.Problems))
		for p, episodes := range v.Problems {
			for _, episode := range episodes {
				var said []workflow.Message
				if episode != nil {
					said = []workflow.Message{}
				}
				spoke := map[string]int{}
				for _, m := range episode {
					if !slices.Contains(names, m.Agent) {
						names = append(names, m.Agent)
					}
					said = append(said, workflow.Message{Agent: slices.Index(names, m.Agent), Step: m.Step, Turn: spoke[m.Agent], Return: m.Return})
					spoke[m.Agent]++
				}
				problems[p] = append(problems[p], said)
			}
		}
		advantages, groups, err := rule.Advantages(problems)
		if err != nil {
			t.Fatal(err)
		}
		dead := 0
		listed := []any{}
		for _, g := range groups {
			key := []any{}
			if g.Key.Problem >= 0 {
				key = append(key, g.Key.Problem)
			}
			if g.Key.Agent >= 0 {
				key = append(key, names[g.Key.Agent])
			}
			if g.Key.Turn >= 0 {
				key = append(key, g.Key.Turn)
			}
			if g.Dead {
				dead++
			}
			listed = append(listed, map[string]any{"key": key, "n": len(g.Values), "mean": g.Mean, "std": where(v.Std != "none", g.Std)})
		}
		same(t, c, "groups", listed, v.Groups)
		same(t, c, "advantages", advantages, v.Advantages)
		same(t, c, "dead", dead, v.Dead)
	}
}

func workflowLossCase(t *testing.T, c Case) {
	v := decode[struct {
		Reduction loss.Reduction
		Per       loss.Per
		Episodes  [][]struct {
			Agent     string
			Logps     []float64
			Advantage float64
			Masked    bool
			Trained   *bool
		}
		Loss      float64
		Grads     json.RawMessage
		AgentLoss map[string]float64 `json:"agent_loss"`
		Messages  int
		Tokens    int
	}](t, c)
	var names []string
	var counted []loss.Counted
	played, tokens := 0, 0
	for e, episode := range v.Episodes {
		if episode == nil {
			continue
		}
		played++
		for _, m := range episode {
			if m.Masked || m.Trained != nil && !*m.Trained {
				continue
			}
			if !slices.Contains(names, m.Agent) {
				names = append(names, m.Agent)
			}
			counted = append(counted, loss.Counted{Agent: slices.Index(names, m.Agent), Episode: e, Tokens: len(m.Logps)})
			tokens += len(m.Logps)
		}
	}
	factors, err := v.Per.Factors(v.Reduction, counted, loss.WholeOf(played, counted))
	if err != nil {
		t.Fatal(err)
	}
	total, at := 0.0, 0
	grads := make([][][]float64, len(v.Episodes))
	perAgent := map[string]float64{}
	for e, episode := range v.Episodes {
		if episode == nil {
			continue
		}
		grads[e] = [][]float64{}
		for _, m := range episode {
			factor, counts := 0.0, !m.Masked && (m.Trained == nil || *m.Trained)
			if counts {
				factor = factors[at]
				at++
				perAgent[m.Agent] += 0
			}
			g := make([]float64, len(m.Logps))
			for i, lp := range m.Logps {
				g[i] = -factor * m.Advantage
				total += g[i] * lp
				if counts {
					perAgent[m.Agent] += g[i] * lp
				}
			}
			grads[e] = append(grads[e], g)
		}
	}
	near(t, c, "loss", total, v.Loss)
	same(t, c, "grads", grads, v.Grads)
	equalParts(t, c, "agent loss", perAgent, v.AgentLoss)
	equal(t, "messages", len(counted), v.Messages)
	equal(t, "tokens", tokens, v.Tokens)
}
