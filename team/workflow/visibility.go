package workflow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"parley/task"
	"parley/team"
)

// A Sight is what one agent sees when it is asked: the texts that its prompt shows.
type Sight struct {
	Turn  int // from 1
	Place string
	Agent string
	// Sees is in the order of the prompt. A source that the prompt shows twice is listed once, at its first place.
	Sees []Source
}

// A Source is a text that a prompt may show: a part of the problem, or what was said or observed before.
type Source struct {
	What  string // one of the words below
	Turn  int    // from 1; of an observation: that of the turn before it, 0 at the beginning
	Agent string
	Field string
}

// What sources are.
const (
	Question    = "question"
	Field       = "field" // of the problem
	Said        = "text"
	Report      = "report" // on what was said
	Observation = "observation"
	Notes       = "notes" // of what a step has noted
)

// markers plays the agents and the environment of a walk through everything that can happen: each text is one of a kind, so a prompt that
// holds it shows it.
type markers struct {
	sights  []Sight
	sources map[string]Source  // by marker
	spoken  map[string]bool    // by agent
	ahead   map[*prompt]string // templates that read an agent who cannot have spoken, and what they read; empty: in one turn at least it can
	broken  map[*prompt]error  // templates that cannot be filled in
	lost    []error            // of expressions that name nobody
	problem task.Problem
}

// rehearse walks through everything and reports what would fail in every episode.
func (l *loader) rehearse() {
	m, err := l.walkAll()
	for p, reads := range m.ahead {
		if reads != "" {
			l.fault(p.place, "ask the agent in a step before", "it reads an agent that cannot have spoken yet: %s", reads)
		}
	}
	for p, err := range m.broken {
		place := p.place
		if failed := (template.ExecError{}); errors.As(err, &failed) {
			place = failed.Name // it may be that of the system message
		}
		l.fault(place, "a template sees "+join(fields), "%v", err)
	}
	for _, lost := range m.lost {
		place, what, _ := strings.Cut(lost.Error(), ": ")
		l.fault(place, "the agents are "+join(l.agentNames()), "%s", what)
	}
	if err != nil && (l.program == nil || len(m.sights) == 0) { // a program may fail on markers, which say nothing
		l.fault("team.workflow", "", "%v", err)
	}
	slices.SortFunc(l.faults, func(a, b Fault) int { return cmp.Compare(a.Place, b.Place) })
	l.faults = slices.Compact(l.faults)
}

// certain refuses an answer of somebody who cannot speak.
func (l *loader) certain() {
	for _, name := range l.spec.Answer.Names {
		if !l.always(l.body, name) {
			l.fault("team.answer", "ask it in a step without when, or name another", "%s may be silent in an episode, and then there is no answer", name)
		}
	}
}

// always says that an agent speaks in every episode.
func (l *loader) always(steps []*step, name string) bool {
	for _, s := range steps {
		switch {
		case s.steps != nil:
			if l.always(s.steps, name) {
				return true
			}
		case s.when != nil || s.names != nil:
		default:
			for _, asked := range s.ask {
				if asked == name || l.groups[asked] == len(l.spec.Agents) {
					return true
				}
			}
		}
	}
	return false
}

// Visibility measures who sees what, by a walk in which every text is a marker. Conditions hold there and loops go to their last round, so
// it is the most that can be seen.
func (w *Workflow) Visibility() ([]Sight, error) {
	m, err := w.walkAll()
	if w.program != nil && len(m.sights) > 0 { // it may fail on markers, which say nothing
		err = nil
	}
	return m.sights, err
}

// fields are what templates see.
var fields = []string{".Question", ".Fields", ".Agent", ".Role", ".Turn", ".Round", ".Last.AGENT", ".All", ".Own", ".Others", ".Report", ".Notes", ".Observation", ".ShowScores"}

// walkAll is the walk through everything.
func (w *Workflow) walkAll() (*markers, error) {
	m := &markers{sources: map[string]Source{}, spoken: map[string]bool{}, ahead: map[*prompt]string{}, broken: map[*prompt]error{}}
	m.problem = task.Problem{ID: "example", Question: m.mark(Source{What: Question}), Truth: "⟦truth⟧", Fields: m.fields(w)}
	k := w.begin(m.problem, nil)
	k.forced = m
	return m, k.play()
}

// fields are those that prompts read, each as a marker.
func (m *markers) fields(w *Workflow) map[string]string {
	out := map[string]string{}
	add := func(source string) {
		for _, name := range (team.Prompts{First: source}).FieldNames() {
			out[name] = m.mark(Source{What: Field, Field: name})
		}
	}
	for _, source := range w.spec.Templates() {
		add(source)
	}
	return out
}

// ask answers for the agents of a step, and writes down what each of them saw.
func (m *markers) ask(k *walk, s *step, agents, prompts []int) {
	asks := make([]team.Ask, len(agents))
	for i, agent := range agents {
		messages, prompt, err := k.messages(s, agent, prompts[i])
		if err != nil {
			m.unreadable(s.prompts[prompts[i]], err)
		}
		asks[i] = team.Ask{Turn: k.turn, Agent: agent, Messages: messages, Prompt: prompt}
	}
	m.readsAhead(k, s, agents, prompts)
	m.answer(k, s.place, asks)
}

// unreadable hears of a template that cannot be filled in, whatever was said: the walk goes on, so that other mistakes are found too.
func (m *markers) unreadable(p *prompt, err error) {
	if _, known := m.broken[p]; !known {
		m.broken[p] = err
	}
}

// asks answers for the agents that a program asks.
func (m *markers) asks(k *walk, asks []team.Ask) { m.answer(k, programPlace, asks) }

func (m *markers) answer(k *walk, place string, asks []team.Ask) {
	for _, a := range asks {
		name := k.spec.Agents[a.Agent].Name
		m.sights = append(m.sights, m.sight(place, name, a))
		m.spoken[name] = true
		text := m.mark(Source{What: Said, Turn: a.Turn + 1, Agent: name})
		k.ahead = append(k.ahead, team.Answer{Turn: a.Turn, Agent: a.Agent, Text: text, Report: m.mark(Source{What: Report, Turn: a.Turn + 1, Agent: name}), Score: 0.5, Prompt: a.Prompt})
	}
}

// sight is what an ask shows.
func (m *markers) sight(place, name string, a team.Ask) Sight {
	s := Sight{Turn: a.Turn + 1, Place: place, Agent: name, Sees: []Source{}}
	var b strings.Builder
	for _, message := range a.Messages {
		b.WriteString(message.Content + "\n")
	}
	text, at := b.String(), map[Source]int{}
	for mark, source := range m.sources {
		if place := strings.Index(text, mark); place >= 0 {
			s.Sees, at[source] = append(s.Sees, source), place
		}
	}
	slices.SortFunc(s.Sees, func(a, b Source) int { return at[a] - at[b] })
	return s
}

// mark makes the marker of a source.
func (m *markers) mark(s Source) string {
	mark := fmt.Sprintf("⟦%s %s of %s, %d⟧", s.What, s.Field, s.Agent, s.Turn)
	m.sources[mark] = s
	return mark
}

// observation is what the environment shows every agent.
func (m *markers) observation(k *walk, turn int) team.Answer {
	texts := make([]string, len(k.spec.Agents))
	for i, a := range k.spec.Agents {
		texts[i] = m.mark(Source{What: Observation, Turn: turn + 1, Agent: a.Name})
	}
	return team.Answer{Turn: turn, Agent: team.World, Observed: &team.Observation{Texts: texts}}
}

// expression hears of an expression that was evaluated among markers. They say nothing, so it may fail; but agents are those of any walk.
func (m *markers) expression(err error) {
	if _, ok := errors.AsType[*unknownAgent](err); ok {
		m.lost = append(m.lost, err)
	}
}

// readsAhead finds templates that read an agent who cannot have spoken.
func (m *markers) readsAhead(k *walk, s *step, agents, prompts []int) {
	for i, agent := range agents {
		if m.broken[s.prompts[prompts[i]]] != nil {
			continue
		}
		v, p := k.view(agent, len(k.said), k.turn, k.round, k.notes, s.boxed), s.prompts[prompts[i]]
		for name := range v.Last {
			if !m.spoken[name] {
				delete(v.Last, name)
			}
		}
		reads := ""
		if _, err := p.render(v); err != nil {
			reads = err.Error()
		}
		if before, known := m.ahead[p]; !known || before != "" {
			m.ahead[p] = reads
		}
	}
}
