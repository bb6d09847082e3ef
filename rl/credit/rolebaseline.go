package credit

// This file compares a role of a game with its own past: role-conditioned advantage estimation (RAE, SPIRAL, arXiv 2506.24119). In a
// zero-sum game the mean over both roles is 0 whatever is learned; a moving average by role removes the constant edge that a role has.
//
//	A = R − b,  then  b ← d·b + (1−d)·R           b = 0 at first, d = 0.95
//
// for every game and role. The baseline is used before it moves, so it does not hang on the reward that it is compared with. Nothing is divided by a
// deviation, and a group of one game is enough. Every move of the role has the advantage, the i-th of n times γ^(n−1−i).
//
// The published codes keep b in the memory of their processes and lose it on a restart. Here it is a value, [State], that is saved with a checkpoint;
// games move it in their order, not in that of their arrival. A failed game neither uses nor moves it. A role that made no move still moves it.

import (
	"fmt"
	"math"
)

// An Average is the baseline of one role.
type Average struct {
	Value float64 `json:"value"`
	N     int     `json:"n"` // rewards that it has seen
}

// A RoleState holds the averages by "game/role", or "all" where there is one for everybody.
type RoleState map[string]Average

// A RoleBaseline is how averages are used and moved.
type RoleBaseline struct {
	Decay     float64
	After     bool    // move before use: the average then contains the reward
	Batch     bool    // use the averages of the update's start, and move each once, by the mean of the update
	Global    bool    // one average for all roles of all games; in zero-sum games it cancels
	Corrected bool    // divide by 1 − decay^n, what is missing at the start
	Gamma     float64 // of a role's earlier moves
}

// Check returns an error for a decay or a discount outside of [0, 1].
func (r RoleBaseline) Check() error {
	if !(r.Decay >= 0 && r.Decay < 1) {
		return fmt.Errorf("decay %v of the roles' baselines: write a number of at least 0 and below 1", r.Decay)
	}
	if !(r.Gamma >= 0 && r.Gamma <= 1) {
		return fmt.Errorf("discount %v of a role's moves: write a number from 0 to 1", r.Gamma)
	}
	return nil
}

// A Role is what one role of a game earned, in how many moves.
type Role struct {
	Name   string
	Reward float64
	Moves  int
}

// A Game is one that was played; roles are in the order of the game.
type Game struct {
	Name   string
	Roles  []Role
	Failed bool
}

// ZeroSum reports whether what the roles earned adds up to 0.
func (g Game) ZeroSum() bool {
	sum := 0.0
	for _, r := range g.Roles {
		sum += r.Reward
	}
	return math.Abs(sum) <= 1e-9
}

// Update returns the advantages of the games of one update, [game][role], each of a role's last move; see [Rule.Moves]. A failed game has nil. The
// averages of s move.
func (r RoleBaseline) Update(s RoleState, games []Game) ([][]float64, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	out := make([][]float64, len(games))
	var keys []string // of the update, in their order
	sums := map[string]Average{}
	for g, game := range games {
		if game.Failed {
			continue
		}
		out[g] = make([]float64, len(game.Roles))
		for i, role := range game.Roles {
			k := r.key(game.Name, role.Name)
			if !r.Batch {
				out[g][i] = r.one(s, k, role.Reward)
				continue
			}
			out[g][i] = role.Reward - r.get(s[k])
			if sums[k].N == 0 {
				keys = append(keys, k)
			}
			sums[k] = Average{sums[k].Value + role.Reward, sums[k].N + 1}
		}
	}
	for _, k := range keys {
		r.put(s, k, sums[k].Value/float64(sums[k].N))
	}
	return out, nil
}

// one is the advantage of a reward, with which the average moves.
func (r RoleBaseline) one(s RoleState, k string, reward float64) float64 {
	if r.After {
		r.put(s, k, reward)
		return reward - r.get(s[k])
	}
	a := reward - r.get(s[k])
	r.put(s, k, reward)
	return a
}

// Moves spreads the advantage of a role over its moves, the last of which has it whole.
func (r RoleBaseline) Moves(advantage float64, moves int) []float64 {
	out := make([]float64, moves)
	for i := range out {
		out[i] = advantage * math.Pow(r.Gamma, float64(moves-1-i))
	}
	return out
}

func (r RoleBaseline) key(game, role string) string {
	if r.Global {
		return "all"
	}
	return game + "/" + role
}

func (r RoleBaseline) get(a Average) float64 {
	if r.Corrected && a.N > 0 {
		return a.Value / (1 - math.Pow(r.Decay, float64(a.N)))
	}
	return a.Value
}

func (r RoleBaseline) put(s RoleState, k string, reward float64) {
	a := s[k]
	s[k] = Average{r.Decay*a.Value + (1-r.Decay)*reward, a.N + 1}
}
