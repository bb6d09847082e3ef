package picture

import (
	"fmt"
	"slices"
	"strings"

	"parley/team/workflow"
)

// A story is a workflow as it happens where every condition holds and every loop goes to its last round: the walk that was measured.
type story struct {
	spec   workflow.Spec
	sights []workflow.Sight // those that have no row yet
	agents map[string]int

	given    map[workflow.Source]int // the columns of what prompts show of the problem
	origin   int                     // number of the first of the columns below
	columns  []column
	texts    map[[2]int]int // by turn and agent: the column
	observed map[int]int    // by turn: the column of what the environment shows after it
	noted    map[int]int    // by turn: the column of what is noted after it
	last     map[int]int    // by agent: the column of its last text
	latest   int            // the column of what was said last

	rows    []row
	notes   []note
	letters map[string]string // by place
	laps    []lap             // that the story is in
	turn    int               // turns so far
}

func newStory(spec workflow.Spec, sights []workflow.Sight) *story {
	s := &story{
		spec: spec, sights: sights, agents: map[string]int{}, given: map[workflow.Source]int{}, texts: map[[2]int]int{}, observed: map[int]int{}, noted: map[int]int{},
		last: map[int]int{}, latest: nobody, letters: map[string]string{},
	}
	for i, a := range spec.Agents {
		s.agents[a.Name] = i
	}
	return s
}

// tell goes through the workflow.
func (s *story) tell() {
	if s.spec.World {
		s.observe("the environment begins", nil)
	}
	s.steps(s.spec.Steps)
	if s.spec.Program != "" {
		s.program()
	}
	s.answer()
}

// program tells what a program asks.
func (s *story) program() {
	for len(s.sights) > 0 {
		s.programActs()
		s.asks(workflow.Step{})
	}
	s.notes = append(s.notes, note{"A program asks by what was said:", "it may ask more than is shown here, where texts say nothing."})
}

func (s *story) steps(list []workflow.Step) {
	for _, step := range list {
		switch {
		case step.Steps != nil:
			s.repeat(step)
		case len(step.Act) > 0:
			s.observe("the environment", step.Act)
		case len(step.Groups) > 0:
			s.assign(step.Groups)
		default:
			s.asks(step)
		}
	}
}

func (s *story) repeat(step workflow.Step) {
	text := fmt.Sprintf("a loop of at most %s", rounds(step.Repeat))
	if step.Until != "" {
		text += ", until " + step.Until
	}
	letter := s.letter(step.Place, text)
	for round := range step.Repeat {
		if len(s.sights) == 0 && !s.acts(step.Steps) {
			break
		}
		s.laps = append(slices.Clone(s.laps), lap{letter, round + 1})
		s.steps(step.Steps)
		s.laps = s.laps[:len(s.laps)-1]
	}
}

// acts says that steps act in an environment.
func (s *story) acts(list []workflow.Step) bool {
	return slices.ContainsFunc(list, func(x workflow.Step) bool { return len(x.Act) > 0 || s.acts(x.Steps) })
}

func rounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", n)
}

// letter is what stands for an expression of a step: A, B, … in the order in which they come.
func (s *story) letter(place, text string) string {
	if letter, known := s.letters[place]; known {
		return letter
	}
	letter := ""
	for n := len(s.notes); n >= 0; n = n/26 - 1 {
		letter = string(rune('A'+n%26)) + letter
	}
	s.letters[place] = letter
	s.notes = append(s.notes, note{letter + ":", strings.Join(strings.Fields(text), " ")})
	return letter
}

// asks takes the rows of one turn.
func (s *story) asks(step workflow.Step) {
	if len(s.sights) == 0 {
		return
	}
	n := 0
	for s.turn = s.sights[0].Turn; n < len(s.sights) && s.sights[n].Turn == s.turn; {
		n++
	}
	condition := s.condition(step)
	from := len(s.rows)
	for _, x := range s.sights[:n] {
		s.rows = append(s.rows, row{
			kind: ask, turn: s.turn, label: clipped(x.Agent), agent: s.agents[x.Agent], laps: s.laps,
			asked: strings.Join(slices.DeleteFunc([]string{s.group(step, x.Agent), condition}, func(p string) bool { return p == "" }), ", "), marks: s.marks(x),
		})
	}
	s.sights = s.sights[n:]
	for i := from; i < len(s.rows); i++ {
		s.said(i)
	}
	if step.Note != "" && !s.spec.OwnOnly {
		s.noted[s.turn] = s.origin + len(s.columns)
		s.columns = append(s.columns, column{fmt.Sprintf("note, %d", s.turn), nobody, len(s.rows) - 1})
	}
}

// condition is when a step asks.
func (s *story) condition(step workflow.Step) string {
	var parts []string
	if len(step.Ask) > 0 && strings.HasPrefix(step.Ask[0], "=") {
		parts = append(parts, "if in "+s.letter(step.Place+".ask", "the agents of "+strings.TrimPrefix(step.Ask[0], "=")))
	}
	if step.When != "" {
		parts = append(parts, "if "+s.letter(step.Place+".when", step.When))
	}
	return strings.Join(parts, ", ")
}

// group is the group of which an agent is asked by a step, where it is not asked by its own name.
func (s *story) group(step workflow.Step, agent string) string {
	if len(step.Ask) == 0 || slices.Contains(step.Ask, agent) || strings.HasPrefix(step.Ask[0], "=") {
		return ""
	}
	var groups []string
	for _, name := range step.Ask {
		if _, single := s.agents[name]; !single {
			groups = append(groups, clipped(name))
		}
	}
	return "if in " + strings.Join(groups, " or ")
}

// said adds the column of what is said in a row.
func (s *story) said(row int) {
	agent := s.rows[row].agent
	s.latest = s.origin + len(s.columns)
	s.columns = append(s.columns, column{fmt.Sprintf("%s, %d", clipped(s.spec.Agents[agent].Name), s.turn), agent, row})
	s.texts[[2]int{s.turn, agent}], s.last[agent] = s.latest, s.latest
}

// observe adds the row of the environment, and the column of what it shows.
func (s *story) observe(label string, actors []string) {
	r := row{kind: act, label: label, agent: nobody, laps: s.laps, marks: map[int][]mark{}}
	for _, name := range actors {
		if at, spoken := s.last[s.agents[name]]; spoken {
			r.marks[at] = []mark{taken}
		}
	}
	s.rows = append(s.rows, r)
	s.observed[s.turn] = s.origin + len(s.columns)
	s.columns = append(s.columns, column{fmt.Sprintf("observation, %d", s.turn), nobody, len(s.rows) - 1})
}

// programActs adds the environment where prompts of the next turn are the first to show what it shows.
func (s *story) programActs() {
	for _, source := range s.sights[0].Sees {
		if _, known := s.observed[source.Turn]; source.What == workflow.Observation && !known && source.Turn == s.turn {
			s.observe("the environment", nil)
		}
	}
}

func (s *story) assign(groups []workflow.Group) {
	var parts []string
	for _, g := range groups {
		parts = append(parts, fmt.Sprintf("%s: %d", clipped(g.Name), g.Size))
	}
	s.rows = append(s.rows, row{kind: assign, label: "groups are drawn", agent: nobody, laps: s.laps, asked: strings.Join(parts, ", ")})
}

// marks are what a prompt shows, by column.
func (s *story) marks(x workflow.Sight) map[int][]mark {
	out := map[int][]mark{}
	for _, source := range x.Sees {
		if at, m, known := s.shown(x.Agent, source); known {
			out[at] = append(out[at], m)
		}
	}
	return out
}

// shown is the column of a source, and the mark of it for an agent.
func (s *story) shown(agent string, source workflow.Source) (at int, m mark, known bool) {
	switch source.What {
	case workflow.Observation:
		m = others
		if source.Agent == agent {
			m = own
		}
		at, known = s.observed[source.Turn]
		return at, m, known
	case workflow.Notes:
		at, known = s.noted[source.Turn]
		return at, noted, known
	case workflow.Said, workflow.Report:
		m = spoken
		if source.What == workflow.Report {
			m = report
		}
		at, known = s.texts[[2]int{source.Turn, s.agents[source.Agent]}]
		return at, m, known
	}
	at, known = s.given[source]
	return at, given, known
}

// answer adds the row of what the team answers, where that is texts of its agents.
func (s *story) answer() {
	a := s.spec.Answer
	r := row{kind: answer, label: "the team's answer", agent: nobody, marks: map[int][]mark{}}
	take := func(at int) { r.marks[at] = []mark{taken} }
	switch {
	case s.spec.Program != "":
		return
	case a.Kind == workflow.Computed:
		r.asked = s.letter("answer", a.Expr)
	case a.Kind == workflow.EveryTurn:
		r.label = "rewarded, turn by turn"
		for _, at := range s.texts {
			take(at)
		}
	case a.Kind == workflow.Vote && len(a.Names) == 0:
		for _, at := range s.last {
			take(at)
		}
	case len(a.Names) == 0:
		if s.latest != nobody {
			take(s.latest)
		}
	}
	for _, name := range a.Names {
		if at, spoken := s.last[s.agents[name]]; spoken {
			take(at)
		}
	}
	if a.Kind == workflow.Vote {
		r.label = "the team's answer: a vote"
	}
	s.rows = append(s.rows, r)
}
