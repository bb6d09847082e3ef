package train

import "slices"

// ofSize returns the session with a team of n agents on the same bases and policies; every further agent is like the first. The recipe has
// been checked to tell no agents apart where n is another number than it trains.
func (s *session) ofSize(n int) (*session, error) {
	if n == s.recipe.Team.Agents {
		return s, nil
	}
	r := *s.recipe
	r.Team.Agents = n
	protocol, err := newProtocol(&r)
	if err != nil {
		return nil, &UserError{Err: err}
	}
	other := *s
	other.recipe, other.protocol, other.scorer = &r, protocol, s.scorer.ForAgents(&r, make([]int, n))
	other.sharing.Bases = slices.Repeat(s.sharing.Bases[:1], n)
	return &other, nil
}
