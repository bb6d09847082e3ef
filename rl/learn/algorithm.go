package learn

import (
	"cmp"
	"fmt"
	"slices"
)

// A Kind says what an algorithm learns from. Rollouts are made accordingly.
type Kind string

const (
	Debates       Kind = "debates"        // every agent gives one completion a turn
	GroupRelative Kind = "group-relative" // advantages compare the completions of a group (MAGRPO §2.3)
	ActorCritic   Kind = "actor-critic"   // turns are compared with what a critic expects (MAGRPO §5)
	Preferences   Kind = "preferences"    // pairs of joint responses, of many candidates (MAGRPO §5)
)

// A Source says where the episodes of an algorithm come from.
type Source string

const (
	FromPolicies Source = ""         // the policies speak
	FromBase     Source = "base"     // the untrained team speaks
	FromTexts    Source = "texts"    // given texts, with what teachers say about them: no agent speaks
	FromItself   Source = "itself"   // the run plays by itself, not by rollouts of the loop (package train/together)
	FromNowhere  Source = "nowhere"  // nothing is trained
	FromDecoding Source = "decoding" // nothing is trained: the agents write one text together
)

// An Algorithm is an entry of the register: a way to learn, by its name in a recipe.
type Algorithm struct {
	Name  string
	About string // one sentence without its full stop
	Kind  Kind
	// Sections declare the settings that the algorithm reads. Algorithms that learn from groups have that of package group among them.
	Sections []Section
	// Unread are keys of these sections that the algorithm ignores all the same.
	Unread     []string
	Episodes   Source // where they come from
	CriticOnly bool   // no agent is trained
	// RateFactor is what the automatic learning rate is multiplied by; 0: by 1. See [Algorithm.Rate].
	RateFactor float64
	// DesignsRewards says that scores become rewards by a reward design (MAPoRL §2).
	DesignsRewards bool
	// OwnRewards says that what is paid to an agent alone is part of what it learns from ([RewardWeights]).
	OwnRewards bool
	// TeamAlone says, where it is not, why that would have no meaning, in the words of a message
	TeamAlone string
	// Corrects says that tokens which an older policy wrote are weighted with min(π/π_behaviour, group.ratio_cap), held constant (magrpo.md §4):
	// episodes may be sampled before the steps of the update before.
	Corrects bool
	// PenalizesKL says that there is a coefficient of a penalty for the distance from the base, of which agents may have their own.
	PenalizesKL bool
	// Shape is that of its rollouts where group.rollout is a word: the word itself, or one that the algorithm has in its place. Empty: its advantages
	// are not defined there. nil: they are in a tree alone. A shape has itself.
	Shape func(rollout string) string
	// Completions counts what an agent says at a node under some settings; nil: one in debates, else the size of the group.
	Completions func(settings []any) int
	// Critics says which value heads the algorithm trains under some settings; nil: none.
	Critics func(settings []any) Critics
	// Privileged lists the fields of problems that critics read beside what their policies read; nil: critics read nothing else.
	Privileged func(settings []any) []string
	New        func(Config) (Learner, error)

	// What a run would cost, said before it begins.

	// Steps counts the optimizer steps of a run, those of critics included; nil: every policy takes one an update.
	Steps func(Outline) int
	// Passes says how much is read and trained on because of an answer of a trained agent; nil: it is trained on once.
	Passes func(settings []any, a AnswerTokens) Passes
	// Kept counts the episodes of earlier updates that a learner holds in the last one, the only one that learns then; nil: none.
	Kept func(Outline) int
}

// Untrained says that nothing is trained: there are no updates, and settings of training have no effect.
func (a Algorithm) Untrained() bool { return a.Episodes == FromNowhere || a.Decodes() }

// Decodes says that the agents write one text together, token by token: a reward gets that one text (package train/together).
func (a Algorithm) Decodes() bool { return a.Episodes == FromDecoding }

// FromUntrained says that no episode is one of the policies that are trained.
func (a Algorithm) FromUntrained() bool { return a.Episodes == FromBase || a.Episodes == FromTexts }

// Alone says that the run is none of the loop.
func (a Algorithm) Alone() bool { return a.Episodes == FromItself || a.Decodes() }

// Unheard says that no update of the loop lets the team speak.
func (a Algorithm) Unheard() bool { return a.Episodes != FromPolicies && a.Episodes != FromBase }

// ShapeOf is the shape of its rollouts where group.rollout is a word; empty: its advantages are not defined there.
func (a Algorithm) ShapeOf(rollout string) string {
	switch {
	case a.Shape != nil:
		return a.Shape(rollout)
	case rollout == "tree":
		return rollout
	}
	return ""
}

// Played are the settings of a recipe with the shape of the rollouts in the place of the word for it.
func (a Algorithm) Played(settings []any) []any {
	out := slices.Clone(settings)
	for i, s := range out {
		if g, ok := s.(Group); ok {
			g.Rollout = cmp.Or(a.ShapeOf(g.Rollout), g.Rollout)
			out[i] = g
		}
	}
	return out
}

// CompletionsUnder counts the completions of an agent at a node under some settings.
func (a Algorithm) CompletionsUnder(settings []any) int {
	switch {
	case a.Completions != nil:
		return a.Completions(settings)
	case a.Kind == Debates:
		return 1
	}
	return SettingsIn[Group](settings).Size
}

// CriticsUnder says which value heads the algorithm trains under some settings.
func (a Algorithm) CriticsUnder(settings []any) Critics {
	if a.Critics == nil {
		return CriticsNone
	}
	return a.Critics(settings)
}

// PrivilegedUnder lists the fields that critics read beside what their policies read.
func (a Algorithm) PrivilegedUnder(settings []any) []string {
	if a.Privileged == nil {
		return nil
	}
	return a.Privileged(settings)
}

// Rate is the automatic learning rate of the algorithm over a base of so many parameters.
func (a Algorithm) Rate(parameters int, p Policies) float64 {
	rate := AutomaticRate(parameters, p)
	if a.RateFactor == 0 {
		return rate
	}
	return ruleOfThumb(a.RateFactor * rate)
}

// StepsOf counts the optimizer steps of a run at most.
func (a Algorithm) StepsOf(o Outline) int {
	if a.Steps == nil {
		return o.Updates * o.Trained(a.CriticsUnder(o.Settings).Beside())
	}
	return a.Steps(o)
}

// PassesOver says how much is read and trained on because of an answer.
func (a Algorithm) PassesOver(settings []any, t AnswerTokens) Passes {
	if a.Passes == nil {
		return Passes{Trained: t.Prompt + t.Answer}
	}
	return a.Passes(settings, t)
}

// Gathers says that all updates but the last of a run only gather what that one learns from.
func (a Algorithm) Gathers(o Outline) bool { return a.KeptOf(o) > 0 }

// KeptOf counts the episodes of earlier updates that a learner holds at most.
func (a Algorithm) KeptOf(o Outline) int {
	if a.Kept == nil {
		return 0
	}
	return a.Kept(o)
}

// OfItself is an algorithm whose runs play by themselves: they have clocks of their own, or train what is no policy. Making its learner is an error.
func OfItself(a Algorithm) Algorithm {
	a.Kind, a.Episodes = Debates, FromItself
	a.New = func(Config) (Learner, error) {
		return nil, fmt.Errorf("algorithm %s plays by itself and learns from no episodes of others", a.Name)
	}
	return a
}

// PairInWorld refuses teams of other than two agents for algorithms of two in an environment.
func PairInWorld(v View) string {
	return If(v.Read && v.Agents != 2, "algorithm is %s, which is for two agents in an environment, but team.agents is %d", v.Algorithm.Name, v.Agents)
}
