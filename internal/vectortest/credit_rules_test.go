package vectortest

import (
	"encoding/json"
	"testing"

	"parley/rl/credit"
	"parley/rl/credit/workflow"
	"parley/rl/loss"
)

func atgrpoCase(t *testing.T, c Case) {
	v := decode[struct {
		vectorSpread
		K         int
		Alpha     float64
		Pick      credit.ATGRPOPick
		Policies  map[string]string
		Decisions []struct {
			Agent      string
			Turn       int
			Prompts    []string
			Candidates []*struct{ Team, Local float64 }
			Draw       float64
		}
		Scores, Valid, Advantages, Executed, Samples json.RawMessage
	}](t, c)
	rule := credit.ATGRPO{K: v.K, Alpha: v.Alpha, Spread: v.spread(), Pick: v.Pick}
	scores, advantages, valid, executed := []any{}, []any{}, []bool{}, []any{}
	samples := map[string][][]int{}
	for d, decision := range v.Decisions {
		var candidates []credit.Candidate
		for k, candidate := range decision.Candidates {
			x := credit.Candidate{Failed: candidate == nil}
			if candidate != nil {
				x.Team, x.Local = candidate.Team, candidate.Local
			}
			if k < len(decision.Prompts) {
				x.Prompt = decision.Prompts[k]
			}
			candidates = append(candidates, x)
		}
		got, err := rule.Decide(candidates, decision.Draw)
		if err != nil {
			t.Fatal(err)
		}
		score, advantage := []float64{}, []float64{}
		for k, x := range candidates {
			score = append(score, where(!x.Failed, got.Scores[k]))
			if got.Valid {
				advantage = append(advantage, where(!x.Failed, got.Advantages[k]))
			}
			if p, trained := v.Policies[decision.Agent]; trained && got.Learns && !x.Failed {
				samples[p] = append(samples[p], []int{d, k})
			}
		}
		scores, valid = append(scores, score), append(valid, got.Valid)
		if got.Valid {
			advantages = append(advantages, advantage)
		} else {
			advantages = append(advantages, nil)
		}
		if got.Executed >= 0 {
			executed = append(executed, got.Executed)
		} else {
			executed = append(executed, nil)
		}
	}
	same(t, c, "scores", scores, v.Scores)
	same(t, c, "valid", valid, v.Valid)
	same(t, c, "advantages", advantages, v.Advantages)
	same(t, c, "executed", executed, v.Executed)
	same(t, c, "samples", samples, v.Samples)
}

type vectorBranch struct {
	Agent    string
	Q        float64
	R        nullable
	Children []vectorBranch
}

func branchNodes(list []vectorBranch) []workflow.BranchNode {
	var out []workflow.BranchNode
	for _, n := range list {
		out = append(out, workflow.BranchNode{Agent: n.Agent, Reward: n.R.value, Failed: n.R.null, Q: n.Q, Children: branchNodes(n.Children)})
	}
	return out
}

func branchCase(t *testing.T, c Case) {
	v := decode[struct {
		Variant   workflow.BranchVariant
		Alpha     float64
		Baseline  string
		Replay    bool
		Backup    string
		Gamma     float64
		Normalize bool
		Tree      []vectorBranch

		Nodes, Groups json.RawMessage
	}](t, c)
	rule := workflow.BranchRule{
		Variant: v.Variant, Alpha: v.Alpha, Baseline: v.Baseline, NoReplay: !v.Replay, Backup: v.Backup, Gamma: v.Gamma, Normalize: v.Normalize,
	}
	messages, siblings, err := rule.Credit(branchNodes(v.Tree))
	if err != nil {
		t.Fatal(err)
	}
	nodes := []any{}
	for _, m := range messages {
		nodes = append(nodes, map[string]any{
			"path": m.Path, "agent": m.Agent, "value": where(m.Valued, m.Value), "advantage": where(m.Valued, m.Advantage),
		})
	}
	same(t, c, "nodes", nodes, v.Nodes)
	same(t, c, "groups", siblings, v.Groups)
}

func outcomes(list []*float64) []credit.Outcome {
	var out []credit.Outcome
	for _, x := range list {
		if x == nil {
			out = append(out, credit.Outcome{Failed: true})
		} else {
			out = append(out, credit.Outcome{Reward: *x})
		}
	}
	return out
}

func counterfactualCase(t *testing.T, c Case) {
	v := decode[struct {
		vectorSpread
		Form         string
		Lambda       float64
		Bonus        credit.Bonus
		Baseline     string
		Binary       bool
		Step, Period int
		Start        string
		Groups       []struct{ Joint, Solo []*float64 }

		Role                                string
		Baselines, Bonuses, Thinker, Solver json.RawMessage
		ThinkerAdvantages                   json.RawMessage `json:"thinker_advantages"`
		SolverAdvantages                    json.RawMessage `json:"solver_advantages"`
		HelpRate                            json.RawMessage `json:"help_rate"`
		HurtRate                            json.RawMessage `json:"hurt_rate"`
		SameRate                            json.RawMessage `json:"same_rate"`

		Answers    []*string
		Right      string
		Team       float64
		Credits    []float64
		Help, Hurt int
	}](t, c)
	if v.Form == "vote" {
		var votes []credit.Vote
		for _, a := range v.Answers {
			if a == nil {
				votes = append(votes, credit.Vote{})
			} else {
				votes = append(votes, credit.Vote{Answer: *a, Readable: true})
			}
		}
		team, credits := credit.Votes(votes, v.Right)
		near(t, c, "team", team, v.Team)
		nearSlice(t, c, "credits", credits, v.Credits)
		help, hurt := 0, 0
		for _, x := range credits {
			if x > 0 {
				help++
			} else if x < 0 {
				hurt++
			}
		}
		equal(t, "help", help, v.Help)
		equal(t, "hurt", hurt, v.Hurt)
		return
	}
	rule := credit.Rule{Lambda: v.Lambda, Bonus: v.Bonus, Paired: v.Baseline == "paired", Binary: v.Binary, Spread: v.spread()}
	var rates credit.Rates
	baselines, bonuses, thinker, solver, thinkers, solvers := [][]float64{}, [][]float64{}, [][]float64{}, [][]float64{}, [][]float64{}, [][]float64{}
	for _, g := range v.Groups {
		pair := credit.Pair{Joint: outcomes(g.Joint), Solo: outcomes(g.Solo)}
		got, err := rule.Credit(pair, &rates)
		if err != nil {
			t.Fatal(err)
		}
		b := []float64{}
		for _, x := range got.Baselines {
			b = append(b, where(!x.Failed, x.Reward))
		}
		there := func(x []float64) []float64 {
			out := make([]float64, len(x))
			for i := range x {
				out[i] = where(!pair.Joint[i].Failed, x[i])
			}
			return out
		}
		baselines, bonuses = append(baselines, b), append(bonuses, there(got.Bonuses))
		thinker, solver = append(thinker, there(got.Thinker)), append(solver, there(got.Solver))
		thinkers, solvers = append(thinkers, there(got.ThinkerAdvantages)), append(solvers, there(got.SolverAdvantages))
	}
	role := "solver"
	if credit.TrainsThinker(v.Step, v.Period, v.Start == "thinker") {
		role = "thinker"
	}
	equal(t, "role", role, v.Role)
	same(t, c, "baselines", baselines, v.Baselines)
	same(t, c, "bonuses", bonuses, v.Bonuses)
	same(t, c, "thinker", thinker, v.Thinker)
	same(t, c, "solver", solver, v.Solver)
	same(t, c, "thinker advantages", thinkers, v.ThinkerAdvantages)
	same(t, c, "solver advantages", solvers, v.SolverAdvantages)
	rate := func(n int) float64 { return where(rates.Answers > 0, float64(n)/float64(max(rates.Answers, 1))) }
	same(t, c, "help rate", rate(rates.Help), v.HelpRate)
	same(t, c, "hurt rate", rate(rates.Hurt), v.HurtRate)
	same(t, c, "same rate", rate(rates.Same), v.SameRate)
}

func roleBaselineCase(t *testing.T, c Case) {
	v := decode[struct {
		Decay            float64
		Order, Mode, Key string
		Warm             string
		Gamma            float64
		Start            credit.RoleState
		Updates          [][]struct {
			Game    string
			Rewards ordered[float64]
			Failed  bool
			Moves   map[string]int
		}
		Advantages, Baselines, Saved json.RawMessage
		ZeroSum                      json.RawMessage `json:"zero_sum"`
	}](t, c)
	rule := credit.RoleBaseline{
		Decay: v.Decay, After: v.Order == "after", Batch: v.Mode == "batch", Global: v.Key == "global", Corrected: v.Warm == "corrected", Gamma: v.Gamma,
	}
	state := credit.RoleState{}
	for k, a := range v.Start {
		state[k] = a
	}
	advantages, zeroSum, baselines := []any{}, []any{}, []any{}
	for _, update := range v.Updates {
		var games []credit.Game
		for _, g := range update {
			game := credit.Game{Name: g.Game, Failed: g.Failed}
			for _, name := range g.Rewards.keys {
				moves, ok := g.Moves[name]
				if !ok {
					moves = 1
				}
				game.Roles = append(game.Roles, credit.Role{Name: name, Reward: g.Rewards.values[name], Moves: moves})
			}
			games = append(games, game)
		}
		got, err := rule.Update(state, games)
		if err != nil {
			t.Fatal(err)
		}
		moves, sums := []any{}, []any{}
		for g, game := range games {
			if game.Failed {
				moves, sums = append(moves, nil), append(sums, nil)
				continue
			}
			byRole := map[string]any{}
			for i, r := range game.Roles {
				byRole[r.Name] = rule.Moves(got[g][i], r.Moves)
			}
			moves, sums = append(moves, byRole), append(sums, game.ZeroSum())
		}
		values := map[string]any{}
		for k, a := range state {
			values[k] = a.Value
		}
		advantages, zeroSum, baselines = append(advantages, moves), append(zeroSum, sums), append(baselines, values)
	}
	same(t, c, "advantages", advantages, v.Advantages)
	same(t, c, "zero sum", zeroSum, v.ZeroSum)
	same(t, c, "baselines", baselines, v.Baselines)
	same(t, c, "saved", state, v.Saved)
}

func alignCase(t *testing.T, c Case) {
	v := decode[struct {
		D             int
		Mode          string
		Calls         []int
		Draws         [][]float64
		Kept, Weights json.RawMessage
		Slots, Empty  int
	}](t, c)
	got := credit.WeighCalls(v.D, v.Calls)
	if v.Mode == "sample" {
		got = credit.SampleCalls(v.D, v.Calls, v.Draws)
	}
	kept, weights := [][]int{}, [][]float64{}
	for k := range v.Calls {
		kept, weights = append(kept, append([]int{}, got.Kept[k]...)), append(weights, append([]float64{}, got.Weights[k]...))
	}
	same(t, c, "kept", kept, v.Kept)
	same(t, c, "weights", weights, v.Weights)
	equal(t, "slots", got.Slots, v.Slots)
	equal(t, "empty", got.Empty, v.Empty)
}

func subagentCase(t *testing.T, c Case) {
	v := decode[struct {
		Mode           string
		A              [2]float64
		B              [3]float64
		Outcome        string
		Std            bool
		Eps            float64
		MainRuns       []credit.MainRun `json:"main_runs"`
		Calls          [][]credit.SubCall
		Weights        [][]float64
		MainRewards    json.RawMessage `json:"main_rewards"`
		MainAdvantages json.RawMessage `json:"main_advantages"`
		SubRewards     json.RawMessage `json:"sub_rewards"`
		SubAdvantages  json.RawMessage `json:"sub_advantages"`
	}](t, c)
	rule := credit.CallRule{Published: v.Mode == "published", A: v.A, B: v.B, CorrectOnly: v.Outcome == "correct", Std: v.Std, Eps: v.Eps}
	got := rule.Credit(v.MainRuns, v.Calls, v.Weights)
	sub, advantages := [][]float64{}, [][]float64{}
	for k := range v.Calls {
		row := make([]float64, len(v.Calls[k]))
		for i, w := range v.Weights[k] {
			row[i] = where(w > 0, got.SubAdvantages[k][i])
		}
		sub, advantages = append(sub, append([]float64{}, got.Sub[k]...)), append(advantages, row)
	}
	same(t, c, "main rewards", got.Main, v.MainRewards)
	same(t, c, "main advantages", got.MainAdvantages, v.MainAdvantages)
	same(t, c, "sub rewards", sub, v.SubRewards)
	same(t, c, "sub advantages", advantages, v.SubAdvantages)
}

func influenceCase(t *testing.T, c Case) {
	v := decode[struct {
		Alpha, Beta, Eps, Threshold float64
		TurnFactor                  bool   `json:"turn_factor"`
		RestartNorm                 string `json:"restart_norm"`
		Episodes                    []struct {
			Outcome float64
			Right   bool
			Steps   []struct {
				Agent     string
				Tokens    int
				Influence *float64
				Vec       []float64
				Restart   *float64
			}
		}
		Influence, Alike, Advantages json.RawMessage
		RestartRewards               json.RawMessage `json:"restart_rewards"`
		TokenScales                  json.RawMessage `json:"token_scales"`
	}](t, c)
	rule := credit.InfluenceRule{Alpha: v.Alpha, Beta: v.Beta, Eps: v.Eps, Threshold: v.Threshold, RawRestarts: v.RestartNorm == "none"}
	var episodes []credit.InfluenceEpisode
	for _, e := range v.Episodes {
		ep := credit.InfluenceEpisode{Outcome: e.Outcome, Right: e.Right}
		for _, s := range e.Steps {
			ep.Steps = append(ep.Steps, credit.InfluenceStep{Agent: s.Agent, Tokens: s.Tokens, Influence: s.Influence, Vector: s.Vec, Restart: s.Restart})
		}
		episodes = append(episodes, ep)
	}
	var means, alike, restarts, advantages, scales []any
	for e, steps := range rule.Credit(episodes) {
		turns := 0
		if v.TurnFactor {
			turns = len(steps)
		}
		mean, count, restart, advantage, scale := []any{}, []any{}, []any{}, []any{}, []any{}
		for t, s := range steps {
			mean, restart, advantage = append(mean, s.Influence), append(restart, s.Restart), append(advantage, s.Advantage)
			scale = append(scale, credit.TokenScale(len(episodes), episodes[e].Steps[t].Tokens, turns))
			if s.Influence != nil {
				count = append(count, s.Alike)
			} else {
				count = append(count, nil)
			}
		}
		means, alike, restarts = append(means, mean), append(alike, count), append(restarts, restart)
		advantages, scales = append(advantages, advantage), append(scales, scale)
	}
	same(t, c, "influence", means, v.Influence)
	same(t, c, "alike", alike, v.Alike)
	same(t, c, "restart rewards", restarts, v.RestartRewards)
	same(t, c, "advantages", advantages, v.Advantages)
	same(t, c, "token scales", scales, v.TokenScales)
}

func massCase(t *testing.T, c Case) {
	v := decode[struct {
		Kind                               string
		Shared                             bool
		Window                             int
		Dominance, Against, Starved, Spike float64
		Gradients                          []ordered[[]float64]
		Updates, Warnings                  json.RawMessage
		WindowMeans                        json.RawMessage `json:"window_means"`
		Messages                           []loss.MassMessage
		Mass                               json.RawMessage
		Total                              float64
	}](t, c)
	if v.Kind == "loss" {
		shares, total := loss.MassOfLoss(v.Messages)
		same(t, c, "mass", shares, v.Mass)
		near(t, c, "total", total, v.Total)
		return
	}
	limits := loss.MassLimits{Window: v.Window, Dominance: v.Dominance, Against: v.Against, Starved: v.Starved, Spike: v.Spike}
	var steps []loss.Mass
	updates := []any{}
	for _, g := range v.Gradients {
		var roles []loss.RoleGradient
		for _, name := range g.keys {
			roles = append(roles, loss.RoleGradient{Name: name, Gradient: g.values[name]})
		}
		s := loss.MassOf(roles)
		steps = append(steps, s)
		norms, masses, shares, cosines := map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}
		for _, p := range s.Parts {
			norms[p.Name], masses[p.Name], shares[p.Name], cosines[p.Name] = p.Norm, p.Mass, p.Share, p.Cos
		}
		updates = append(updates, map[string]any{"norm": norms, "mass": masses, "share": shares, "cos": cosines, "step": s.Norm, "cancel": s.Cancel})
	}
	means := map[string]any{}
	for _, m := range limits.Means(steps) {
		means[m.Name] = map[string]any{"mass": m.Mass, "cos": m.Cos}
	}
	same(t, c, "updates", updates, v.Updates)
	same(t, c, "window means", means, v.WindowMeans)
	same(t, c, "warnings", append([]string{}, limits.Warnings(steps, v.Shared)...), v.Warnings)
}
