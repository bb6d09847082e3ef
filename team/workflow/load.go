package workflow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/team"
)

// Names of agents and groups can stand in templates and expressions.
var nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// harmless are the places of faults that leave it clear who speaks.
var harmless = regexp.MustCompile(`\.(prompt(\[\d+\])?|when|until|note|samples|system)$`)

// Bounds of a workflow.
const (
	Longest   = 4096         // turns of an episode
	mostSteps = 16 * Longest // of an episode, with those that ask nobody
	mostDeep  = 16           // loops in each other
)

// A loader reads a spec and collects what is wrong with it.
type loader struct {
	*Workflow
	faults   Faults
	groups   map[string]int  // by name: the size
	speakers map[string]bool // who is asked somewhere
	anybody  bool            // an expression or a program may ask everybody
}

// New checks a workflow, all of it, and makes the protocol. An error is [Faults].
func New(s Spec) (*Workflow, error) {
	if s.Feedback == nil {
		s.Feedback = func(float64) string { return "" }
	}
	l := &loader{Workflow: &Workflow{spec: s, index: map[string]int{}}, groups: map[string]int{}, speakers: map[string]bool{}}
	l.agents()
	if fields, names := s.Hidden.Unknown(l.agentNames()); len(fields) > 0 {
		l.fault("team.fields."+fields[0], "the agents are "+join(l.agentNames()), "there is no agent %s", names[0])
	}
	l.groupNames(s.Steps)
	l.examples = chat(s.Examples)
	switch {
	case s.Program != "":
		l.loadProgram()
	default:
		if l.body = l.list(s.Steps, 0); len(s.Steps) == 0 {
			l.fault("team.workflow", "", "there is no step")
		}
		l.turns = MostTurns(s.Steps)
	}
	l.loadAnswer()
	unclear := slices.ContainsFunc(l.faults, func(f Fault) bool { return !harmless.MatchString(f.Place) })
	l.bounds(unclear)
	if len(l.faults) == 0 {
		l.rehearse()
	}
	if !unclear && l.program == nil && s.Answer.Kind != Computed && s.Answer.Kind != Vote {
		l.certain()
	}
	if len(l.faults) > 0 {
		return nil, l.faults
	}
	return l.Workflow, nil
}

func (l *loader) fault(place, hint, format string, args ...any) {
	l.faults = append(l.faults, Fault{Place: place, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// chat is the messages of examples.
func chat(texts []string) []team.Message {
	out := make([]team.Message, len(texts))
	for i, text := range texts {
		out[i] = team.Message{Role: team.User, Content: text}
		if i%2 == 1 {
			out[i].Role = team.Assistant
		}
	}
	return out
}

func (l *loader) agents() {
	folded := map[string]string{}
	for i, a := range l.spec.Agents {
		place := "team.agents." + a.Name
		like, alike := folded[strings.ToLower(a.Name)]
		folded[strings.ToLower(a.Name)] = a.Name
		switch _, twice := l.index[a.Name]; {
		case !nameForm.MatchString(a.Name):
			l.fault(place, "write a name of at most 64 letters, digits and underscores", "an agent cannot be named %q: templates and expressions could not name it", a.Name)
		case twice:
			l.fault(place, "", "two agents are named %s", a.Name)
		case alike:
			l.fault(place, "give one another name", "%s and %s differ in capitals alone, and some systems take their files for one", like, a.Name)
		}
		l.index[a.Name] = i
		source := a.System
		if source == "" {
			source, place = l.spec.System, "team.prompts"
		}
		p, err := parsePrompt(place+".system", source)
		if err != nil {
			l.fault(place+".system", "", "%v", err)
			p, _ = parsePrompt(place, "")
		}
		l.systems = append(l.systems, p)
	}
	if len(l.spec.Agents) == 0 {
		l.fault("team.agents", "", "there is no agent")
	}
}

// groupNames finds the groups that steps assign, so that steps before them may be told from mistaken names.
func (l *loader) groupNames(steps []Step) {
	for _, s := range steps {
		total := 0
		for _, g := range s.Groups {
			place := s.Place + ".groups." + g.Name
			switch _, agent := l.index[g.Name]; {
			case !nameForm.MatchString(g.Name):
				l.fault(place, "write a name of at most 64 letters, digits and underscores", "a group cannot be named %q", g.Name)
			case agent:
				l.fault(place, "give the group another name", "an agent has that name")
			case g.Size < 1:
				l.fault(place, "", "a group of %d agents, expected at least 1", g.Size)
			}
			l.groups[g.Name] = g.Size
			total += g.Size
		}
		if total > len(l.spec.Agents) {
			l.fault(s.Place+".groups", "make the groups smaller", "the groups have %d agents together, of %d", total, len(l.spec.Agents))
		}
		l.groupNames(s.Steps)
	}
}

func (l *loader) list(steps []Step, deep int) []*step {
	out := []*step{} // not nil: a loop has steps
	for _, s := range steps {
		out = append(out, l.step(s, deep))
	}
	return out
}

// step reads one step. Its keys say what kind of step it is.
func (l *loader) step(s Step, deep int) *step {
	kinds := []string{}
	for kind, has := range map[string]bool{"ask": len(s.Ask) > 0, "act": len(s.Act) > 0, "repeat": s.Repeat != 0 || s.Steps != nil, "groups": len(s.Groups) > 0} {
		if has {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	if len(kinds) != 1 {
		what := "nothing"
		if len(kinds) > 1 {
			what = strings.Join(kinds, " and ")
		}
		l.fault(s.Place, "write each as a step of its own", "a step has one of ask, act, repeat and groups, this one has %s", what)
		return &step{place: s.Place}
	}
	l.refuseOtherKeys(s, kinds[0])
	out := &step{place: s.Place, samples: s.Samples, boxed: s.Boxed, goesOn: s.Continue, groups: s.Groups}
	out.when, out.note = l.expression(s.Place+".when", s.When), l.expression(s.Place+".note", s.Note)
	switch kinds[0] {
	case "act":
		l.acts(s, out)
	case "repeat":
		l.loop(s, out, deep)
	case "ask":
		l.asked(s, out)
	}
	return out
}

// refuseOtherKeys refuses keys that steps of another kind have.
func (l *loader) refuseOtherKeys(s Step, kind string) {
	for key, wrong := range map[string]bool{
		"prompt": len(s.Prompts) > 0 && kind != "ask", "chat": s.Continue && kind != "ask", "shows": s.Boxed && kind != "ask", "when": s.When != "" && kind != "ask", "note": s.Note != "" && kind != "ask",
		"samples": s.Samples != 0 && kind != "ask", "until": s.Until != "" && kind != "repeat",
	} {
		if wrong {
			l.fault(s.Place+"."+key, "leave it out", "a step of %s has no %s", kind, key)
		}
	}
}

func (l *loader) acts(s Step, out *step) {
	if !l.spec.World {
		l.fault(s.Place+".act", "set task.name to environment", "there is no environment to act in")
	}
	for _, name := range s.Act {
		if agent, ok := l.agent(s.Place+".act", name); ok {
			out.acts = append(out.acts, agent)
		}
	}
	slices.Sort(out.acts)
}

func (l *loader) loop(s Step, out *step, deep int) {
	switch {
	case s.Repeat < 1:
		l.fault(s.Place+".repeat", "write the most rounds, such as repeat: 3", "a loop of %d rounds", s.Repeat)
	case len(s.Steps) == 0:
		l.fault(s.Place+".steps", "", "a loop without steps")
	case deep >= mostDeep:
		l.fault(s.Place, "", "loops are in each other more than %d deep", mostDeep)
		return
	}
	out.rounds, out.until = max(s.Repeat, 0), l.expression(s.Place+".until", s.Until)
	out.steps = l.list(s.Steps, deep+1)
}

func (l *loader) asked(s Step, out *step) {
	if source, computed := strings.CutPrefix(s.Ask[0], "="); computed {
		out.names, l.anybody = l.expression(s.Place+".ask", source), true
		if len(s.Ask) > 1 {
			l.fault(s.Place+".ask", "", "an expression stands alone, without further names")
		}
	} else {
		l.named(s, out)
	}
	switch n := len(s.Prompts); {
	case n == 0:
		l.fault(s.Place, `write for example prompt: "{{.Question}}"`, "a step that asks has no prompt")
	case n > 1 && n != len(s.Ask):
		l.fault(s.Place+".prompt", "write one for all, or one for each name", "%d prompts for %d names", n, len(s.Ask))
	}
	for i, source := range s.Prompts {
		place := s.Place + ".prompt"
		if len(s.Prompts) > 1 {
			place = fmt.Sprintf("%s[%d]", place, i)
		}
		p, err := parsePrompt(place, source)
		if err != nil {
			l.fault(place, "", "%v", err)
			continue
		}
		out.prompts = append(out.prompts, p)
	}
	if s.Samples < 0 {
		l.fault(s.Place+".samples", "", "%d samples, expected at least 1", s.Samples)
	}
}

// named reads the names that a step asks.
func (l *loader) named(s Step, out *step) {
	for i, name := range s.Ask {
		if _, group := l.groups[name]; group {
			l.anybody = true
		} else if _, ok := l.agent(s.Place+".ask", name); ok {
			l.speakers[name] = true
		}
		if slices.Contains(s.Ask[:i], name) {
			l.fault(s.Place+".ask", "remove one", "%s is asked twice at once", name)
		}
		out.ask = append(out.ask, name)
	}
}

// agent is the number of a name that has to be an agent.
func (l *loader) agent(place, name string) (int, bool) {
	agent, known := l.index[name]
	if !known {
		all := l.agentNames()
		hint := "the agents are " + join(all)
		if near := usererror.Nearest(name, all); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		l.fault(place, hint, "there is no agent %q", name)
	}
	return agent, known
}

// expression compiles an expression; nil where there is none.
func (l *loader) expression(place, source string) *expression {
	if source == "" {
		return nil
	}
	e, err := parseExpression(place, source)
	if err != nil {
		l.fault(place, "an expression sees "+join(names), "%v", err)
	}
	return e
}

// loadAnswer reads what the team's answer is.
func (l *loader) loadAnswer() {
	a := l.spec.Answer
	if a.Kind == Computed {
		l.answer = l.expression("team.answer", a.Expr)
	}
	if a.Kind == Computed && strings.TrimSpace(a.Expr) == "" {
		l.fault("team.answer", `write for example answer: '=said("NAME").text'`, "there is no expression")
	}
	for i, name := range a.Names {
		l.agent("team.answer", name)
		if slices.Contains(a.Names[:i], name) {
			l.fault("team.answer", "remove one", "%s stands there twice", name)
		}
	}
}

// MostTurns counts the most turns of an episode of steps; more than [Longest] if there are too many turns, or too many steps that ask no
// agent.
func MostTurns(steps []Step) int {
	turns, all := most(steps)
	if all > mostSteps {
		return Longest + 1
	}
	return turns
}

// most counts the turns of an episode and all its steps, as far as the bounds.
func most(steps []Step) (turns, all int) {
	for _, s := range steps {
		inside, within := 0, 0
		rounds := 1
		switch {
		case s.Steps != nil:
			rounds = min(max(s.Repeat, 0), mostSteps+1)
			inside, within = most(s.Steps)
		case len(s.Ask) > 0:
			inside = 1
		}
		turns, all = min(turns+rounds*inside, Longest+1), min(all+rounds*(within+1), mostSteps+1)
	}
	return turns, all
}

// bounds refuses what is too long, and, unless it is unclear who speaks, agents who are never asked.
func (l *loader) bounds(unclear bool) {
	if l.turns > Longest {
		l.fault("team.workflow", "lower repeat", "an episode may have more than %d turns, or than %d steps", Longest, mostSteps)
	}
	if unclear || l.anybody {
		return
	}
	for _, a := range l.spec.Agents {
		if !l.speakers[a.Name] {
			l.fault("team.agents."+a.Name, "ask it in a step, or leave it out", "%s is never asked", a.Name)
		}
	}
}
