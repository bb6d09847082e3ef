package collab

// This file lets policies of engines write one text together (Collab, arXiv 2503.21720): decode.go over what engines can do.
//
//	pen := collab.Pen{Members: members, Candidates: 2, MaxTokens: 48, Worth: reward}
//	said, err := pen.Write(ctx)
//
//	pen.go        who writes, and what it costs
//	next.go       distributions of the next token
//	rollouts.go   completions, which say what a token is worth; whole texts of one member
//
// All members continue the same tokens, each behind a prompt of its own, so they must have one vocabulary. At a place each member says the
// distribution of the next token, one row of the vocabulary at a time. Its most probable tokens are tried: the member goes on alone, greedily or a few
// times by chance, and the reward of the whole texts is the token's value. Nothing else is kept of a rollout than its cost.

import (
	"context"
	"errors"
	"slices"

	"parley/engine"
)

// A Member is one of those who write.
type Member struct {
	Name    string
	Engine  engine.Engine
	Policy  engine.Policy
	Prompt  []int
	Stop    []int                 // tokens that end a text
	Never   [][2]int              // tokens that it does not write, in ranges
	Watch   func() engine.Watcher // follows a text from its beginning and may end it; nil: none does
	Context int                   // most tokens of a prompt with its text; 0: no limit is known
}

// A Text is what was written of a text so far.
type Text struct {
	Tokens []int
	Stop   engine.StopReason
}

// A Cost is what was spent on a member.
type Cost struct {
	Queries int // completions
	Tokens  int // generated in them, the tried tokens among them
}

// Plus adds costs.
func (c Cost) Plus(o Cost) Cost { return Cost{c.Queries + o.Queries, c.Tokens + o.Tokens} }

// A Pen is what members write one text with.
type Pen struct {
	Members    []Member
	Reference  Member  // of which only the distributions are asked, where Alpha is not 0
	Candidates int     // tokens of each member that are tried at each place
	Rollouts   int     // completions of each of them, drawn at temperature 1, whose mean reward counts; below 2: a greedy one
	Seed       uint64  // that they are drawn with
	Alpha      float64 // what distance from the reference costs
	MaxTokens  int
	MinTokens  int // a text has at least so many before it ends
	// Worth is the reward of whole texts of a member, each in [0, 1].
	Worth func(ctx context.Context, member int, texts []Text) ([]float64, error)
	// Hear is told every token once it is chosen; nil: nobody listens.
	Hear func(token, member int) error
}

// A Said is a text with who wrote which of its tokens, and what it cost by member.
type Said struct {
	Trace
	Stop   engine.StopReason
	Costs  []Cost
	Waited int // tokens that had to be waited for: the longest completion of every place
}

// Write writes the text. Where it fails, Said is how far it came.
func (p Pen) Write(ctx context.Context) (Said, error) {
	said := Said{Costs: make([]Cost, len(p.Members))}
	length, err := p.length()
	if err != nil {
		return said, err
	}
	d := Decoder{Candidates: p.Candidates, Alpha: p.Alpha, Length: length, Over: p.over, Hear: p.Hear}
	d.Reference = p.next(ctx, p.Reference)
	for _, m := range p.Members {
		d.Agents = append(d.Agents, p.next(ctx, m))
	}
	longest := 0 // of the place
	d.Value = func(j int, texts [][]int) ([]float64, error) {
		wide := p.repeated(texts)
		whole, cost, err := p.completions(ctx, j, wide, length)
		if err != nil {
			return nil, err
		}
		if j == 0 { // a place begins
			said.Waited, longest = said.Waited+longest, 0
		}
		for i, t := range whole {
			longest = max(longest, 1+len(t.Tokens)-len(wide[i]))
		}
		said.Costs[j] = said.Costs[j].Plus(cost)
		worth, err := p.Worth(ctx, j, whole)
		return p.means(worth), err
	}
	said.Trace, err = d.Decode()
	said.Trace.Rollouts *= max(p.Rollouts, 1)
	said.Waited += longest
	if said.Stop = engine.StopLength; p.ended(said.Tokens) {
		said.Stop = p.reason(said.Tokens)
	}
	return said, err
}

// length is how long a text may be: everybody's prompt has to leave room for it.
func (p Pen) length() (int, error) {
	if len(p.Members) == 0 {
		return 0, errors.New("collab: nobody writes")
	}
	length := p.MaxTokens
	for _, m := range p.Members {
		if m.Context > 0 {
			length = min(length, m.Context-len(m.Prompt))
		}
	}
	if length < 1 {
		return 0, errors.New("collab: the prompts leave no room for a token: shorten them")
	}
	return length, nil
}

func (p Pen) ended(text []int) bool { return len(text) > 0 && p.over(text) }

// over says that a text with tokens has ended: at an end token of anybody, or where somebody's watcher says so.
func (p Pen) over(text []int) bool { return p.reason(text) != engine.StopLength }

// reason is why a text is over; length: nothing has ended it.
func (p Pen) reason(text []int) engine.StopReason {
	last := text[len(text)-1]
	for _, m := range p.Members {
		if slices.Contains(m.Stop, last) {
			return engine.StopEOS
		}
	}
	for _, m := range p.Members {
		if w, ends := m.follow(text); w != nil && ends {
			return engine.StopText
		}
	}
	return engine.StopLength
}

// follow lets a watcher of the member read a text; nil: it has none.
func (m Member) follow(text []int) (w engine.Watcher, ends bool) {
	if m.Watch == nil {
		return nil, false
	}
	if w = m.Watch(); w == nil {
		return nil, false
	}
	for _, t := range text {
		ends = w.Ends(t)
	}
	return w, ends
}
