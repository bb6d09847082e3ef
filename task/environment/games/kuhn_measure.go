package games

import (
	"context"
	"math"
	"strings"

	"parley/task"
	"parley/task/environment"
)

// Measure computes from the agents' probabilities of the two moves at every information set, renormalised, how far their play can be exploited,
// and what the first of them earns against the second on average. moves is the probability of a bare move, a mean over the sets: what is
// missing to 1 are longer texts and texts that are no move.
func (w kuhnWorld) Measure(ctx context.Context, t environment.Table) (map[string]float64, error) {
	var at []environment.Situation
	for _, set := range KuhnSets() {
		d := dealt(set.Card, len(set.History)%2)
		at = append(at, environment.Situation{
			Problem: task.Problem{ID: "set-" + d.question() + "-" + set.History, Question: d.question()},
			Said:    strings.Split(set.History, "")[:len(set.History)], Texts: []string{"0", "1"},
		})
	}
	logprobs, err := t.Logprobs(ctx, at)
	if err != nil {
		return nil, err
	}
	bets, moves := map[string]float64{}, 0.0
	for i, set := range KuhnSets() {
		check, bet := logprobs[i][0], logprobs[i][1]
		bets[KuhnSeen(set.Card, set.History)] = 1 / (1 + math.Exp(check-bet))
		moves += (math.Exp(check) + math.Exp(bet)) / float64(len(at))
	}
	p := func(card int, history string) float64 { return bets[KuhnSeen(card, history)] }
	return map[string]float64{"exploitability": KuhnExploitability(p), "first_player": kuhnValue(p, p), "moves": moves}, nil
}

// dealt gives a player, 0 or 1, a card, and the other one that it does not see.
func dealt(card, player int) Deal {
	var d Deal
	d[player], d[1-player] = card, card%3+1
	return d
}
