package team

import "parley/task"

// Without is the protocol of the same team when one agent, from 0, says nothing: where it is asked its answer is the empty text, and the other
// agents go on. So what the others do alone can be compared with what they do with it. The environment of a team that acts in one would have to be
// told: such protocols have no Without.
func Without(p Protocol, agent int) Protocol { return without{within{p}, agent} }

type without struct {
	within
	absent int
}

var (
	_ Answering = without{}
	_ Seeded    = without{}
)

// Next implements [Protocol].
func (w without) Next(p task.Problem, h History) ([]Ask, error) {
	_, asks, err := w.fill(p, h)
	return asks, err
}

// fill is the history with the absent agent's empty answers, and who is asked next.
func (w without) fill(p task.Problem, h History) (History, []Ask, error) {
	var filled History
	for {
		asks, err := w.Protocol.Next(p, filled)
		if err != nil || len(asks) == 0 {
			return filled, nil, err
		}
		var open []Ask
		for _, a := range asks {
			switch {
			case a.Agent == w.absent:
				filled = append(filled, Answer{Turn: a.Turn, Agent: a.Agent, Prompt: a.Prompt})
			case len(h) > 0:
				filled, h = append(filled, h[0]), h[1:]
			default:
				open = append(open, a)
			}
		}
		if len(open) > 0 {
			return filled, open, nil
		}
	}
}

// Seed implements [Seeded].
func (w without) Seed(s uint64) Protocol {
	w.Protocol = seeded(w.Protocol, s)
	return w
}

// Over implements [Answering].
func (w without) Over(p task.Problem, h History) (bool, error) {
	_, asks, err := w.fill(p, h)
	return len(asks) == 0, err
}

// TeamAnswer implements [Answering].
func (w without) TeamAnswer(p task.Problem, h History) ([]string, error) {
	filled, _, err := w.fill(p, h)
	if err != nil {
		return nil, err
	}
	return w.Protocol.(Answering).TeamAnswer(p, filled)
}

// within is a protocol in another one, which speaks by it in its own way.
type within struct{ Protocol }

func (w within) inner(p task.Problem, h History) (Move, error) { return MoveOf(w.Protocol, p, h) }

// Boxes implements [Boxing].
func (w within) Boxes() bool { return Boxes(w.Protocol) }

// Answers implements [Answering].
func (w within) Answers() bool {
	a, ok := w.Protocol.(Answering)
	return ok && a.Answers()
}

// seeded is a protocol with a seed, where it draws.
func seeded(p Protocol, seed uint64) Protocol {
	if inner, draws := p.(Seeded); draws {
		return inner.Seed(seed)
	}
	return p
}
