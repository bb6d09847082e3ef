package credit

import "math"

// An InfluenceStep is one message of an episode.
type InfluenceStep struct {
	Agent     string
	Tokens    int
	Influence *float64  // Δℓ; nil: none, as of the last step
	Vector    []float64 // embedding
	Restart   *float64  // Δℓ of dropping what was said before; nil: no restart
}

// An InfluenceEpisode is one rollout of the group.
type InfluenceEpisode struct {
	Outcome float64
	Right   bool
	Steps   []InfluenceStep
}

// An InfluenceRule is how steps of a multi-turn episode are credited beside its outcome (Dr. MAMR, arXiv 2511.02303).
//
// Multi-turn GRPO averages over the T turns of an episode:
//
//	1/G Σ_i 1/T_i Σ_t 1/|y_t| Σ_j l
//
// A step of a longer episode then counts less. At equal outcome it must be worth T_long/T_short times as much to be taken, so the team learns to stop
// early and one agent turns lazy. Without 1/T ([TokenScale]) this does not happen. A baseline that knows the state cures it too: the harm comes of 1/T
// together with a group mean that is blind to the state.
//
// A step's advantage has three parts, each standardised over those that have it:
//
//	A = Õ + α·C̃ + β·R̃                             α = β = 0.1
//
//	O   outcome of the episode
//	C   influence: mean of Δℓ over the steps alike, Δℓ = log p(next step) with the step − with it masked
//	R   sign of Δℓ of a restart (the agent drops its earlier answers) if the answer is right, its negative if wrong
//
// Alike are steps of the same agent to the same problem whose embeddings have a cosine of at least a threshold, and a step itself.
type InfluenceRule struct {
	Alpha, Beta float64 // of influence and restart
	Eps         float64 // added to deviations
	Threshold   float64 // of the cosine of steps alike
	RawRestarts bool    // take restart rewards as they are: standardised, "all restarts were good" says nothing
}

// Influenced is a step that is credited.
type Influenced struct {
	Influence *float64 // mean over the steps alike; nil where the step has none
	Alike     int
	Restart   *float64 // reward
	Advantage float64
}

// Credit returns the steps of the episodes of one problem, [episode][step].
func (r InfluenceRule) Credit(episodes []InfluenceEpisode) [][]Influenced {
	out := make([][]Influenced, len(episodes))
	outcomes := make([]float64, len(episodes))
	var agents []string
	influences, restarts := map[string]*terms{}, &terms{}
	for e, ep := range episodes {
		outcomes[e] = ep.Outcome
		out[e] = make([]Influenced, len(ep.Steps))
		for t := range ep.Steps {
			s, c := &ep.Steps[t], &out[e][t]
			if influences[s.Agent] == nil {
				influences[s.Agent] = &terms{}
				agents = append(agents, s.Agent)
			}
			if s.Influence != nil {
				mean, alike := r.neighbourhood(episodes, s)
				c.Influence, c.Alike = &mean, alike
				influences[s.Agent].add(mean, c)
			}
			if s.Restart != nil {
				reward := restartReward(*s.Restart, ep.Right)
				c.Restart = &reward
				restarts.add(reward, c)
			}
		}
	}
	for e, o := range r.standardised(outcomes) {
		for t := range out[e] {
			out[e][t].Advantage = o
		}
	}
	for _, agent := range agents {
		influences[agent].pay(r.Alpha, r.standardised(influences[agent].values))
	}
	if r.RawRestarts {
		restarts.pay(r.Beta, restarts.values)
	} else {
		restarts.pay(r.Beta, r.standardised(restarts.values))
	}
	return out
}

// terms are what some steps have of one kind.
type terms struct {
	values []float64
	of     []*Influenced
}

func (t *terms) add(x float64, c *Influenced) { t.values, t.of = append(t.values, x), append(t.of, c) }

func (t *terms) pay(weight float64, values []float64) {
	for i, c := range t.of {
		c.Advantage += weight * values[i]
	}
}

func (r InfluenceRule) standardised(x []float64) []float64 {
	return Spread{Std: StdPopulation, Divide: DivideAdd, Eps: r.Eps}.Centred(x)
}

// neighbourhood is the mean influence of the steps alike, and their number.
func (r InfluenceRule) neighbourhood(episodes []InfluenceEpisode, s *InfluenceStep) (mean float64, alike int) {
	sum := 0.0
	for e := range episodes {
		for t := range episodes[e].Steps {
			o := &episodes[e].Steps[t]
			if o.Influence == nil || o != s && (o.Agent != s.Agent || !r.alike(o.Vector, s.Vector)) {
				continue
			}
			sum, alike = sum+*o.Influence, alike+1
		}
	}
	return sum / float64(alike), alike
}

// alike compares the directions of two embeddings; that of a zero vector is like no other.
func (r InfluenceRule) alike(a, b []float64) bool {
	dot, na, nb := 0.0, 0.0, 0.0
	for i := range a {
		dot += a[i] * b[i]
		na += a[i] * a[i]
		nb += b[i] * b[i]
	}
	const rounding = 1e-9
	return na > 0 && nb > 0 && dot/math.Sqrt(na*nb) >= r.Threshold-rounding
}

func restartReward(delta float64, right bool) float64 {
	switch {
	case delta == 0:
		return 0
	case delta > 0 == right:
		return 1
	}
	return -1
}

// TokenScale is the factor of a token of a step in the loss of one of so many episodes: 1/(episodes·tokens), with turns also over the turns of its
// episode, as multi-turn GRPO has it. turns 0 leaves that out. A step without tokens has 0.
func TokenScale(episodes, tokens, turns int) float64 {
	if tokens == 0 {
		return 0
	}
	return 1 / float64(episodes*tokens*max(turns, 1))
}
