package train

import (
	"cmp"
	"fmt"

	"parley/engine"
	"parley/internal/sysmem"
	"parley/internal/usererror"
	"parley/recipe"
)

// checkMemory refuses a run that the machine, or the recipe's own limit, cannot hold, and sets the options of the engines. What
// a limit leaves beside bases, policies and text is for activations; where that is little, they are computed again.
func (s *session) checkMemory() error {
	s.options = engineOptions(s.recipe.Engine)
	var err error
	if s.question, err = s.firstPrompt(); err != nil {
		return err
	}
	limit, of := sysmem.Available(), "this machine has free"
	if allowed := s.recipe.MemoryBytes(); allowed > 0 && allowed < limit {
		limit, of = allowed, "memory allows"
	}
	need, err := s.allot(limit)
	if err != nil {
		return err
	}
	s.predicted = need.Total()
	if need.Total() > limit {
		a := sysmem.Amount
		return usererror.Errorf("recipe %s needs about %s of memory (%s %s, policies %s, activations %s, keys and values %s, episodes and the rest %s), more than the %s that %s: use a smaller model, engine.dtype, policies.rank, engine.batch_tokens or training.problems, or set memory so that activations keep to it",
			s.recipe.Name, a(need.Total()), plural(len(s.bases), "base"), a(need.Base), a(need.Policies), a(need.Activations+need.Reused), a(need.Cache), a(need.Rest), a(limit), of)
	}
	return nil
}

// allot gives the engines what the recipe's memory has for activations, and of what is left of a limit what sampling may keep for training. It
// returns what the run then needs, which may be more than the limit.
func (s *session) allot(limit float64) (engine.Footprint, error) {
	s.options.ReuseMemory = -1
	if allowed := s.recipe.MemoryBytes(); allowed > 0 {
		s.options.ActivationMemory = 1
		least, err := s.footprint()
		if err != nil {
			return least, err
		}
		spare := allowed - (least.Total() - least.Activations)
		s.options.ActivationMemory = max(1, int64(min(spare/float64(len(s.bases)), engine.DefaultActivationMemory)))
	}
	need, err := s.footprint()
	if err != nil {
		return need, err
	}
	err = s.keepWithin(limit-need.Total(), &need)
	return need, err
}

// keepWithin lets the engines keep what training would compute again in half of the memory that is spare.
func (s *session) keepWithin(spare float64, need *engine.Footprint) error {
	if !s.keeps() || spare <= 0 {
		return nil
	}
	s.options.ReuseMemory = max(1, int64(min(spare/2/float64(len(s.bases)), engine.DefaultReuseMemory)))
	var err error
	*need, err = s.footprint()
	return err
}

// footprint estimates what the bases need with their policies and the samples of their agents.
func (s *session) footprint() (engine.Footprint, error) {
	var need engine.Footprint
	for _, b := range s.bases {
		config, err := b.config()
		if err != nil {
			return need, err
		}
		load := engine.Load{Samples: max(len(b.agents), s.recipe.Eval.Agents) * s.samplesInFlight(), Length: min(config.Context, s.longest())}
		if s.keeps() {
			load.ReusedTokens = len(b.agents) * s.recipe.Training.Problems * (s.asked() + 1 + groupSize(s.recipe)*s.answerTokens())
		}
		o := s.trainingSampling()
		load.Cut = (o.TopK > 0 || o.TopP < 1) && s.recipe.Group.LogprobsAt != "full"
		load.Tokens = load.Samples * s.recipe.Team.Turns * load.Length
		need.Add(s.backend.Estimator(config, s.options).Footprint(load, s.specs(b)))
	}
	need.Rest += s.episodeBytes()
	return need, nil
}

// episodeBytes is about what the largest rollout holds until it is learned from or counted, if all answers are as long as they may be.
func (s *session) episodeBytes() float64 {
	const promptToken, answerToken = 8 + 4, 8 + 4 + 4 + 4 // bytes: the id and its letters; also its log-probability and the letters that are shown
	r := s.recipe
	held := func(problems, answers, prompts int) float64 {
		one := answers*s.answerTokens()*answerToken + prompts*s.longest()/2*promptToken
		return float64(problems) * float64(one)
	}
	measured := r.MeasuredAgents() * r.Team.Turns
	most := held(r.Eval.Problems, measured, measured)
	if answers, err := r.Generations(); err == nil {
		problems := r.Training.Problems
		if r.Algorithm == recipe.SFT && r.SFT.Pool == "run" {
			problems += int(r.SFT.Keep * float64(problems*r.Training.Updates)) // the best ones so far
		}
		most = max(most, held(problems, answers, answers/groupSize(r)))
	}
	return most
}

// firstPrompt is how many tokens the longest prompt of the first turn has, of some held-out problems.
func (s *session) firstPrompt() (int, error) {
	const problems = 32
	most := 0
	for _, p := range s.test[:min(len(s.test), problems)] {
		asks, err := s.protocol.Next(p, nil)
		if err != nil {
			return 0, fmt.Errorf("ask problem %s: %w", p.ID, err)
		}
		for _, a := range asks {
			for _, b := range s.bases {
				prompt, err := b.model.Prompt(a.Messages)
				if err != nil {
					return 0, fmt.Errorf("prompt of problem %s: %w", p.ID, err)
				}
				most = max(most, len(prompt))
			}
		}
	}
	return most, nil
}

// assumedQuestion is how many tokens a first prompt is taken to have before any is there.
const assumedQuestion = 512

// asked is how many tokens a first prompt has, as far as is known.
func (s *session) asked() int { return cmp.Or(s.question, assumedQuestion) }

// longest is about how long a dialogue can get, in tokens: a question, and all answers that its last turn shows.
func (s *session) longest() int {
	t := s.recipe.Team
	seen := t.Turns
	if t.SeesOthers() {
		seen *= max(t.Agents, s.recipe.Eval.Agents)
	}
	return s.asked() + seen*s.answerTokens()
}

// answerTokens is how many tokens an answer may have: none is longer than its base's context.
func (s *session) answerTokens() int {
	most := 0
	for _, b := range s.bases {
		if c, err := b.config(); err == nil { // what is wrong with one is said where it is used
			most = max(most, c.Context)
		}
	}
	return min(s.recipe.Sampling.MaxTokens, most)
}

// plural is a word for n things: "base", "3 bases".
func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// specs are those of all policies over a base.
func (s *session) specs(b *base) []engine.PolicySpec {
	var out []engine.PolicySpec
	for i, p := range s.kept() {
		if p.base == b {
			out = append(out, s.spec(i, p.name))
		}
	}
	if v, ok := s.verdicts[b]; ok {
		out = append(out, v.Settings.Spec())
	}
	return out
}

// samplesInFlight is how many completions one turn of an update or of an evaluation may ask of one agent at once.
func (s *session) samplesInFlight() int {
	r := s.recipe
	return max(r.Training.Problems*groupSize(r), r.Eval.Problems)
}
