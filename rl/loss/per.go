package loss

import "fmt"

// A Per says what the losses of the messages of whole episodes are averaged over. A factor is that of every token of a message with n tokens:
//
//	seq_sum 1/units    seq_mean 1/(units·n)    token_mean 1/size
//
//	             units                                size
//	messages     messages                             their tokens            MAGRPO §2.4, where a message is a node
//	agents       those of the message's agent         their tokens            each agent's loss is a mean of its own; then they are summed
//	turns        episodes·messages of the episode     episodes·its tokens     multi-turn GRPO
//	episodes     episodes                             none                    without 1/T (Dr. MAMR, arXiv 2511.02303)
//
// Under messages a talkative agent shrinks the step of the others where they share a policy.
type Per string

// What losses are averaged over.
const (
	PerMessages Per = "messages"
	PerAgents   Per = "agents"
	PerTurns    Per = "turns"
	PerEpisodes Per = "episodes"
)

// Check returns an error for a unit that is unknown, or that a reduction lacks.
func (p Per) Check(r Reduction) error {
	switch p {
	case PerMessages, PerAgents, PerTurns:
		return r.Check()
	case PerEpisodes:
		if r == TokenMean {
			return fmt.Errorf("loss per episodes with token_mean: write seq_sum or seq_mean, or another per")
		}
		return r.Check()
	}
	return fmt.Errorf("loss per %q: write messages, agents, turns or episodes", p)
}

// A Counted message is trained and not masked. One without tokens counts as a message all the same.
type Counted struct{ Agent, Episode, Tokens int }

// Whole is what is known of the episodes that messages come from, those included of which none counts. Episodes that failed are none.
type Whole struct {
	Episodes int
	Messages map[int]int // counted ones, by episode
	Tokens   map[int]int // theirs
}

// WholeOf counts the messages of some episodes.
func WholeOf(episodes int, counted []Counted) Whole {
	w := Whole{Episodes: episodes, Messages: map[int]int{}, Tokens: map[int]int{}}
	for _, c := range counted {
		w.Messages[c.Episode]++
		w.Tokens[c.Episode] += c.Tokens
	}
	return w
}

// Factors returns the factor of every token of some messages that share an optimizer step. Under turns and episodes they may be a part of those of
// their episodes: what is averaged over is in w.
func (p Per) Factors(r Reduction, counted []Counted, w Whole) ([]float64, error) {
	if err := p.Check(r); err != nil {
		return nil, err
	}
	units, tokens := map[int]int{}, map[int]int{} // by agent, or of all
	for _, c := range counted {
		units[p.key(c)]++
		tokens[p.key(c)] += c.Tokens
	}
	out := make([]float64, len(counted))
	for i, c := range counted {
		n, size := units[p.key(c)], tokens[p.key(c)]
		switch p {
		case PerTurns:
			n, size = w.Episodes*w.Messages[c.Episode], w.Episodes*w.Tokens[c.Episode]
		case PerEpisodes:
			n = w.Episodes
		}
		out[i] = r.factor(c.Tokens, n, size)
	}
	return out, nil
}

func (p Per) key(c Counted) int {
	if p == PerAgents {
		return c.Agent
	}
	return -1
}

// factor is that of a token of a message of n tokens, which is one of some units with so many tokens.
func (r Reduction) factor(n, units, size int) float64 {
	switch {
	case n == 0:
		return 0
	case r == SeqMean:
		return 1 / float64(units*n)
	case r == TokenMean:
		return 1 / float64(size)
	case r == TokenSum:
		return 1
	}
	return 1 / float64(units)
}
