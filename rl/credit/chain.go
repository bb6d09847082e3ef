package credit

import (
	"fmt"
	"math"

	"parley/internal/tie"
)

// A Chain is the multi-turn variant of the code released with the MAGRPO paper (§2.6): no tree and no discounted return.
// Every turn samples one group of aligned joint actions, their advantages come from that turn's immediate rewards, and the
// best joint action alone seeds the next turn.
type Chain struct {
	TurnWeights []float64 // factor of each turn's loss; turns beyond the list weigh 1
	EarlyValue  *float64  // a mean reward of this ends the chain before its last turn; nil: never
	EarlyWeight float64   // further factor of the loss of the turn that ended the chain
	Clip        float64   // advantages are clamped to ±Clip; 0: not
	Width       float64   // of the range of rewards: what differs by rounding is equal
}

// ChainClip is where the released code clamps advantages.
const ChainClip = 10

// A ChainTurn is what one played turn of a chain gives.
type ChainTurn struct {
	Mean       float64   // of the group's rewards
	Best       int       // joint action that the next turn follows: the first of the largest rewards
	Advantages []float64 // the same for every agent
	Weight     float64   // of this turn's loss
	Stop       bool      // the chain ended here, before its last turn
}

// Turn credits the rewards of the group played in a turn (from 0) of a chain of turns turns.
func (c Chain) Turn(turn, turns int, rewards []float64) (ChainTurn, error) {
	if len(rewards) == 0 {
		return ChainTurn{}, fmt.Errorf("chain turn %d: no rewards", turn+1)
	}
	t := ChainTurn{Mean: average(rewards), Best: tie.Best(rewards, c.Width), Weight: 1}
	for _, r := range rewards {
		t.Advantages = append(t.Advantages, c.clamp(r-t.Mean))
	}
	if turn < len(c.TurnWeights) {
		t.Weight = c.TurnWeights[turn]
	}
	if c.EarlyValue != nil && tie.Equal(t.Mean, *c.EarlyValue, c.Width) && turn < turns-1 {
		t.Stop = true
		t.Weight *= c.EarlyWeight
	}
	return t, nil
}

func (c Chain) clamp(a float64) float64 {
	if c.Clip == 0 {
		return a
	}
	return math.Max(-c.Clip, math.Min(c.Clip, a))
}

// LoggedMeans returns the mean reward of every turn for plots: turns that an early end left unplayed count as its value.
func (c Chain) LoggedMeans(played []ChainTurn, turns int) []float64 {
	means := make([]float64, turns)
	for t := range means {
		if t < len(played) {
			means[t] = played[t].Mean
		} else if c.EarlyValue != nil {
			means[t] = *c.EarlyValue
		}
	}
	return means
}
