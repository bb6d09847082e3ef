package score

import (
	"parley/internal/tie"
	"parley/recipe/keys"
	"parley/rl/credit"
	"parley/rl/eval"
	"parley/rl/learn"
	"parley/rl/reward"
	"parley/rl/rollout"
)

// Ends says where training dialogues end before their last turn: at a consensus, at the end of a chain, or where a node is good enough.
func (s *Scorer) Ends() func(*rollout.Node) bool {
	switch {
	case s.recipe.Stepwise(), s.recipe.Harnessed():
		return nil // its steps say when, or its program does
	case s.recipe.Kind() == learn.Debates:
		return s.consensus
	case s.recipe.Groups().Rollout == "chain":
		return s.endsChain
	}
	return s.terminates
}

// consensus reports MAPoRL's early consensus (maporl.md §1.2).
func (s *Scorer) consensus(n *rollout.Node) bool {
	c := s.recipe.Team.Consensus
	scores := make([]float64, len(n.Agents))
	for a := range n.Agents {
		scores[a] = n.Agents[a].Completions[0].Score
	}
	return (&reward.Consensus{Share: c.Share, Score: c.Score}).Reached(n.Votes(), scores)
}

// endsChain reports the end of a chain before its last turn (magrpo.md §2.6).
func (s *Scorer) endsChain(n *rollout.Node) bool {
	end := s.recipe.Groups().EndValue
	return end != nil && !s.waited(n) && tie.Equal(eval.Mean(n.Rewards), *end, s.width())
}

// terminates reports MAGRPO's early termination (magrpo.md §2.1, step 5).
func (s *Scorer) terminates(n *rollout.Node) bool {
	return !s.waited(n) && credit.Terminate(n.Rewards, s.threshold, s.width())
}

// width is that of the range of processed rewards.
func (s *Scorer) width() float64 {
	least, most := s.ProcessedRange()
	return most - least
}

// waited reports that a scored node has earned nothing yet, because some of the team have not spoken.
func (s *Scorer) waited(n *rollout.Node) bool {
	return (s.joint != nil || s.user != nil || s.recipe.Reward.Source == keys.OfHarness) && n.Scored == nil
}
