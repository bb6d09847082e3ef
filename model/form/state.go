package form

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// A frame is a place in a rule, and below it the places where the rules go on that called it. Equal frames of a matcher are one.
type frame struct {
	id    uint32
	node  int32
	below *frame // nil: the text may end behind this rule
	least int    // bytes to the end of the text
}

// A State is what a text may go on with. Equal states of a matcher are one.
type State struct {
	frames []*frame // ordered by id; each can go on with a byte or a token
	ends   bool
	least  int
	next   *[256]*State // by byte, as far as it is known
}

// Ends says whether the text may end here.
func (s *State) Ends() bool { return s.ends }

// Alive says whether the text can still become one of the form, or is one.
func (s *State) Alive() bool { return s.ends || len(s.frames) > 0 }

// Shortest is the least number of bytes to an end, a token without bytes counted as one.
func (s *State) Shortest() int { return s.least }

// Most states and frames that a matcher holds; then it forgets them, and makes those that are asked for again.
const (
	mostStates = 1 << 12
	mostFrames = 1 << 16
)

// A Matcher follows texts of one form. It is not safe for concurrent use.
type Matcher struct {
	*rules
	start   *State
	frames  map[frame]*frame // by node and what is below
	states  map[string]*State
	created uint32
	// In the making of a state:
	seen    map[*frame]bool
	leading []*frame
	ends    bool
}

// NewMatcher follows texts of a form.
func (f *Form) NewMatcher() (*Matcher, error) {
	m := &Matcher{rules: &f.rules, seen: map[*frame]bool{}}
	m.forget()
	m.visit(m.frame(f.rules.start(f.root), nil))
	var err error
	m.start, err = m.made()
	return m, err
}

// Start is the state before any byte.
func (m *Matcher) Start() *State { return m.start }

// Step is the state behind one more byte.
func (m *Matcher) Step(s *State, b byte) (*State, error) {
	if s.next != nil && s.next[b] != nil {
		return s.next[b], nil
	}
	m.makeRoom()
	for _, f := range s.frames {
		for _, e := range m.nodes[f.node].edges {
			if e.from <= b && b <= e.to {
				m.enter(e.next, f.below)
			}
		}
	}
	next, err := m.made()
	if err != nil {
		return nil, err
	}
	if s.next == nil {
		s.next = new([256]*State)
	}
	s.next[b] = next
	return next, nil
}

// Tokens are those that the form names and that may come next.
func (m *Matcher) Tokens(s *State) []int {
	var out []int
	for _, f := range s.frames {
		for _, t := range m.nodes[f.node].tokens {
			out = append(out, t.id)
		}
	}
	return out
}

// StepToken is the state behind a token that is taken as it is.
func (m *Matcher) StepToken(s *State, id int) (*State, error) {
	m.makeRoom()
	for _, f := range s.frames {
		for _, t := range m.nodes[f.node].tokens {
			if t.id == id {
				m.enter(t.next, f.below)
			}
		}
	}
	return m.made()
}

// makeRoom forgets what is held where that is much. States that others hold stay valid. What leads from one to the next is forgotten too: else the
// first would hold all.
func (m *Matcher) makeRoom() {
	if len(m.states) >= mostStates || len(m.frames) >= mostFrames {
		m.forget()
	}
}

func (m *Matcher) forget() {
	for _, s := range m.states {
		s.next = nil
	}
	if m.start != nil {
		m.start.next = nil
	}
	m.frames, m.states = map[frame]*frame{}, map[string]*State{}
}

// frame returns that of a node with what is below it.
func (m *Matcher) frame(node int32, below *frame) *frame {
	key := frame{node: node, below: below}
	f, ok := m.frames[key]
	if !ok {
		m.created++
		f = &frame{id: m.created, node: node, below: below, least: m.rules.least[node]}
		if below != nil {
			f.least += below.least
		}
		m.frames[key] = f
	}
	return f
}

// enter goes to a node; at the end of its rule, to what is below.
func (m *Matcher) enter(node int32, below *frame) {
	switch {
	case !m.nodes[node].end:
		m.visit(m.frame(node, below))
	case below == nil:
		m.ends = true
	default:
		m.visit(below)
	}
}

// mostVisited bounds the frames of one state with those that lead to them.
const mostVisited = 16 * maxStacks

// visit adds a frame to the state in the making, with all that follow from it without a byte.
func (m *Matcher) visit(f *frame) {
	if m.seen[f] || len(m.seen) > mostVisited {
		return
	}
	m.seen[f] = true
	n := &m.nodes[f.node]
	if len(n.edges)+len(n.tokens) > 0 {
		m.leading = append(m.leading, f)
	}
	for _, next := range n.empty {
		m.enter(next, f.below)
	}
	for _, c := range n.calls {
		below := f.below
		if !m.nodes[c.next].end { // else nothing remains to be done behind the call
			below = m.frame(c.next, f.below)
		}
		m.enter(m.rules.start(c.rule), below)
	}
}

// made finishes the state in the making.
func (m *Matcher) made() (*State, error) {
	defer func() {
		clear(m.seen)
		m.leading, m.ends = m.leading[:0], false
	}()
	if len(m.leading) > maxStacks || len(m.seen) > mostVisited {
		return nil, fmt.Errorf("%w: a text can be in more than %d places of it", ErrAmbiguous, maxStacks)
	}
	slices.SortFunc(m.leading, func(a, b *frame) int { return cmp.Compare(a.id, b.id) })
	key := make([]byte, 0, 4*len(m.leading)+1)
	for _, f := range m.leading {
		key = binary.LittleEndian.AppendUint32(key, f.id)
	}
	if m.ends {
		key = append(key, 1)
	}
	s, ok := m.states[string(key)]
	if !ok {
		s = &State{frames: slices.Clone(m.leading), ends: m.ends, least: never}
		if m.ends {
			s.least = 0
		}
		for _, f := range s.frames {
			s.least = min(s.least, f.least)
		}
		m.states[string(key)] = s
	}
	return s, nil
}
