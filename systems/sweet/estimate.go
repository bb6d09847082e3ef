package sweet

import (
	"math"

	"parley/rl/learn"
)

// steps counts those of a run that learns from all it may. A problem that is drawn in every update has a dialogue of each, and all but the best of them
// make a pair: no more pairs than dialogues. At every turn all draws make one.
func steps(o learn.Outline) int {
	s, g := learn.SettingsIn[Settings](o.Settings), learn.SettingsIn[learn.Group](o.Settings)
	dialogues, candidates := counted(o, g)
	perPolicy := 0
	if s.critical() {
		perPolicy += s.Critic.Epochs * batches(dialogues*o.Updates, s.Critic.Batch)
	}
	switch s.Method {
	case byAdvantage:
		perPolicy += s.Epochs * batches(candidates*o.Updates*s.Draws, s.Batch)
	case byDialogue:
		perPolicy += s.Epochs * batches(dialogues*o.Updates, s.Batch)
	default:
		perPolicy += s.Epochs * batches(candidates*o.Updates*max(g.Size, 1), s.Batch)
	}
	return perPolicy * o.Trained(false)
}

// counted counts the dialogues of an update, and the places in them at which a policy speaks, both at most.
func counted(o learn.Outline, g learn.Group) (dialogues, turns int) {
	branching := 1
	switch g.Rollout {
	case "tree":
		branching = max(o.Branching, 1)
	case "episodes":
		return o.Problems * g.Size, o.Problems * g.Size * o.Turns * len(o.Sharing.Bases)
	}
	nodes := 0
	for turn := range o.Turns {
		nodes += int(math.Pow(float64(branching), float64(turn))) * max(len(o.Units(turn)), 1)
	}
	return o.Problems * int(math.Pow(float64(branching), float64(o.Turns))), o.Problems * nodes
}

func batches(n, size int) int { return (n + size - 1) / size }

// passes: under a critic a message is read by it and by the base; each pass over pairs reads what it learns from before.
func passes(settings []any, a learn.AnswerTokens) learn.Passes {
	s, tokens := learn.SettingsIn[Settings](settings), a.Prompt+a.Answer
	if s.Method == byImitation {
		return learn.Passes{Trained: tokens * float64(s.Epochs)}
	}
	p := learn.Passes{Scored: tokens * float64(1+s.Epochs), Trained: tokens * float64(s.Epochs)}
	if s.critical() {
		p.Scored += tokens * float64(3+s.Critic.Epochs)
		p.Trained += tokens * float64(s.Critic.Epochs)
	}
	return p
}

// kept counts the dialogues of all updates, which the last one learns from.
func kept(o learn.Outline) int { return o.Problems * o.Updates }
