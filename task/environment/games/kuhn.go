// This file is Kuhn poker: two players, three cards, one bet.
//
// Each pays 1 and gets one of the cards 1, 2 and 3. A move is the first digit 0 or 1 of what is said: 0 checks or folds, 1 bets or calls. The
// game is zero-sum: the winner gets what the other paid, 1 or 2. A text that is no move ends the game: who said it loses 2, the
// most that can be lost, so that it is never as good as a fold, and the other gets nothing.
//
// Problems are the six deals, and each of both splits has all of them: there are no others. What is measured is how a policy plays, which
// [KuhnExploitability] computes exactly from its probabilities at all 12 information sets. Kuhn (1950) solved the game: its value is −1/18 for the
// first player.

package games

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"parley/task"
	"parley/task/environment"
)

// A Deal is the cards of both players, 1 to 3.
type Deal [2]int

// Deals lists all six.
func Deals() []Deal { return []Deal{{1, 2}, {1, 3}, {2, 1}, {2, 3}, {3, 1}, {3, 2}} }

// question is how problems name a deal.
func (d Deal) question() string { return fmt.Sprintf("%d%d", d[0], d[1]) }

// over says whether a history of moves, each 0 or 1, is at its end, and what the first player gets then.
func (d Deal) over(history string) (gain float64, ends bool) {
	showdown := 1.0
	if d[0] < d[1] {
		showdown = -1
	}
	switch history {
	case "00":
		return showdown, true
	case "10":
		return 1, true
	case "010":
		return -1, true
	case "11", "011":
		return 2 * showdown, true
	}
	return 0, false
}

// A KuhnPolicy gives the probability of a bet or call at an information set: the mover's card and the moves so far.
type KuhnPolicy func(card int, history string) float64

// KuhnSets are the information sets of both players, six each: a card and a history.
func KuhnSets() (out []struct {
	Card    int
	History string
},
) {
	for _, history := range []string{"", "01", "0", "1"} {
		for card := 1; card <= 3; card++ {
			out = append(out, struct {
				Card    int
				History string
			}{card, history})
		}
	}
	return out
}

// kuhnValue is what the first player gets on average where both play policies.
func kuhnValue(first, second KuhnPolicy) float64 {
	sum := 0.0
	for _, d := range Deals() {
		sum += d.value([2]KuhnPolicy{first, second}, "") / 6
	}
	return sum
}

func (d Deal) value(by [2]KuhnPolicy, history string) float64 {
	if gain, ends := d.over(history); ends {
		return gain
	}
	mover := len(history) % 2
	bet := by[mover](d[mover], history)
	return bet*d.value(by, history+"1") + (1-bet)*d.value(by, history+"0")
}

// kuhnBest is what a player, 0 or 1, gets on average that plays its best answer to a policy of the other: the best of its 64 pure policies, as each
// of its six information sets has two moves.
func kuhnBest(player int, other KuhnPolicy) float64 {
	at := [2]map[string]int{{"": 0, "01": 3}, {"0": 0, "1": 3}}[player]
	most := -2.0
	for pure := range 64 {
		own := func(card int, history string) float64 { return float64(pure >> (at[history] + card - 1) & 1) }
		gain := 0.0
		if player == 0 {
			gain = kuhnValue(own, other)
		} else {
			gain = -kuhnValue(other, own)
		}
		most = max(most, gain)
	}
	return most
}

// KuhnExploitability is the mean of what best answers gain against a policy that plays both seats: 0 is an equilibrium.
func KuhnExploitability(p KuhnPolicy) float64 { return (kuhnBest(0, p) + kuhnBest(1, p)) / 2 }

// Kuhn returns the game.
func Kuhn() environment.Game {
	return environment.Game{
		Name: "kuhn", About: "Kuhn poker: two players, three cards, one bet.", Agents: 2, Least: -2, Most: 2,
		Open:     func(agents []string) environment.Environment { return kuhnWorld{agents} },
		Problems: kuhnProblems,
	}
}

// kuhnProblems are the six deals, many times: those that are measured are played again, for the play is random.
func kuhnProblems() (train, held []task.Problem) {
	const times = 200
	for i := range times {
		for _, d := range Deals() {
			question := d.question()
			train = append(train, task.Problem{ID: fmt.Sprintf("deal-%s-%d", question, i), Question: question})
			held = append(held, task.Problem{ID: fmt.Sprintf("held-%s-%d", question, i), Question: question})
		}
	}
	return train, held
}

type kuhnWorld struct{ agents []string }

// A kuhnState is a deal and the moves so far.
type kuhnState struct {
	Deal    Deal   `json:"deal"`
	History string `json:"history"`
}

// Reset implements [environment.Environment].
func (w kuhnWorld) Reset(_ context.Context, p task.Problem) (environment.Outcome, error) {
	for _, d := range Deals() {
		if p.Question == d.question() {
			return w.show(kuhnState{Deal: d})
		}
	}
	return environment.Outcome{}, fmt.Errorf("kuhn: problem %s is no deal: %.80s", p.ID, p.Question)
}

// Step implements [environment.Environment].
func (w kuhnWorld) Step(_ context.Context, before json.RawMessage, actions map[string]string) (environment.Outcome, error) {
	var s kuhnState
	if err := json.Unmarshal(before, &s); err != nil {
		return environment.Outcome{}, fmt.Errorf("kuhn: %w", err)
	}
	mover := w.agents[len(s.History)%2]
	text, moves := actions[mover]
	if !moves {
		return w.show(s) // it is the other's turn
	}
	move, ok := environment.Digit(text, "01")
	if !ok {
		o, err := w.show(s)
		o.All, o.Observations = "illegal move of "+mover, nil
		o.Done, o.Agents, o.Info = true, map[string]float64{mover: -2}, environment.Illegal(mover)
		return o, err
	}
	s.History += strconv.Itoa(move)
	o, err := w.show(s)
	if gain, ends := s.Deal.over(s.History); ends {
		o.Done, o.Agents = true, map[string]float64{w.agents[0]: gain, w.agents[1]: -gain}
	}
	return o, err
}

// show is what both observe: their own card, and the moves so far.
func (w kuhnWorld) show(s kuhnState) (environment.Outcome, error) {
	text, err := json.Marshal(s)
	o := environment.Outcome{State: text, Observations: map[string]string{}}
	for i, name := range w.agents {
		o.Observations[name] = KuhnSeen(s.Deal[i], s.History)
	}
	return o, err
}

// KuhnSeen is what a player observes at an information set.
func KuhnSeen(card int, history string) string {
	if history == "" {
		return fmt.Sprintf("card %d", card)
	}
	return fmt.Sprintf("card %d moves %s", card, history)
}
