package workflow

import (
	"errors"
	"fmt"
	"slices"

	"parley/internal/bounded"
	"parley/task"
	"parley/team"
)

// A walk goes through a workflow along a history, from the first step, and ends at the first one whose answers are not there.
type walk struct {
	*Workflow
	problem task.Problem
	ahead   team.History     // what was said and has not been taken by a step
	said    team.History     // what was taken
	heard   map[heard][]said // the answers in it, as templates see them
	chats   [][]prompted     // of each agent: its chat that may go on
	groups  map[string][]int
	notes   []string // what steps have noted, oldest first
	turn    int      // asks so far
	round   int      // of the innermost loop, from 0
	done    int      // steps executed so far: with it every random choice has a stream of its own
	over    bool
	unasked bool      // asks need no prompts: it matters only that there are some
	next    team.Move // where the walk ended

	// forced makes a walk through everything that can happen: conditions hold, loops go to their last round, and nobody answers but markers.
	forced *markers
}

// A heard list is what an agent hears of all that is said, in one of two forms. Agents who hear everything share that of the first.
type heard struct {
	by    int
	boxed bool
}

// A prompted entry is a prompt of a chat with its answer.
type prompted struct {
	step   *step
	prompt string // empty: it has to be made again, as it was after said[:at] in a round
	at     int
	round  int
	turn   int
	answer int // index in said
	notes  []string
	agent  int
}

func (w *Workflow) begin(p task.Problem, h team.History) *walk {
	return &walk{Workflow: w, problem: p, ahead: h, chats: make([][]prompted, len(w.spec.Agents)), heard: map[heard][]said{}, groups: map[string][]int{}}
}

// Move implements [team.Mover]. A prompt that depends on what is hidden from its agent is an error.
func (w *Workflow) Move(p task.Problem, h team.History) (team.Move, error) {
	m, err := w.move(p, h)
	if err == nil && len(w.spec.Hidden) > 0 {
		err = w.spec.Hidden.Kept(p, w.agentNames(), m, func(other task.Problem) (team.Move, error) { return w.move(other, h) })
	}
	return m, err
}

func (w *Workflow) move(p task.Problem, h team.History) (team.Move, error) {
	k := w.begin(p, h)
	if err := k.play(); err != nil {
		return team.Move{}, err
	}
	if !k.over && len(k.ahead) > 0 {
		return team.Move{}, fmt.Errorf("the history goes on after the workflow: turn %d", k.ahead[0].Turn+1)
	}
	return k.next, nil
}

// Next implements [team.Protocol].
func (w *Workflow) Next(p task.Problem, h team.History) ([]team.Ask, error) {
	m, err := w.Move(p, h)
	if err == nil && m.Acts {
		err = errors.New("the workflow acts in an environment, and whatever drives it has none")
	}
	return m.Asks, err
}

// play walks to the end of the history.
func (k *walk) play() error {
	if k.spec.World {
		if there, err := k.observe(team.Move{Acts: true}, -1); !there {
			return err
		}
	}
	if k.program != nil {
		return k.playProgram()
	}
	_, err := k.all(k.body)
	return err
}

// all executes steps; false: the walk is at its end.
func (k *walk) all(list []*step) (on bool, err error) {
	for _, s := range list {
		if on, err = k.one(s); !on || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (k *walk) one(s *step) (on bool, err error) {
	k.done++
	switch {
	case s.steps != nil:
		return k.repeat(s)
	case s.acts != nil:
		return k.observe(team.Move{Acts: true, Actors: s.acts}, k.turn-1)
	case s.groups != nil:
		k.assign(s.groups)
		return true, nil
	}
	return k.ask(s)
}

// repeat executes the steps of a loop until its condition holds or its rounds are over.
func (k *walk) repeat(s *step) (on bool, err error) {
	outer, before := k.round, k.notes
	defer func() { k.round, k.notes = outer, before }()
	for k.round = range s.rounds {
		if on, err = k.all(s.steps); !on || err != nil || k.over {
			return on && !k.over, err
		}
		ends, err := k.holds(s.until, false)
		if err != nil {
			return false, err
		}
		if ends {
			break
		}
	}
	return true, nil
}

// holds evaluates a condition; where there is none, or the walk is forced, it has the usual value.
func (k *walk) holds(e *expression, usual bool) (bool, error) {
	if e == nil {
		return usual, nil
	}
	v, err := e.eval(k.scene())
	if k.forced != nil {
		k.forced.expression(err)
		return usual, nil
	}
	if err != nil {
		return false, err
	}
	return bool(v.Truth()), nil
}

// observe takes what the environment shows from the history, or ends the walk with the call of it.
func (k *walk) observe(call team.Move, turn int) (on bool, err error) {
	if k.forced != nil && len(k.ahead) == 0 {
		k.ahead = append(k.ahead, k.forced.observation(k, turn))
	}
	if len(k.ahead) == 0 {
		k.next = call
		return false, nil
	}
	a := k.ahead[0]
	if a.Agent != team.World || a.Observed == nil {
		return false, fmt.Errorf("the history has agent %d in turn %d where the environment has to answer", a.Agent+1, a.Turn+1)
	}
	k.said, k.ahead = append(k.said, a), k.ahead[1:]
	k.over = a.Observed.Done
	return !k.over, nil
}

// assign draws agents for groups, in the order of the agents, once an episode.
func (k *walk) assign(groups []Group) {
	if k.forced != nil {
		for _, g := range groups { // anybody may be in any
			k.groups[g.Name] = everybody(len(k.spec.Agents))
		}
		return
	}
	order := k.stream("assign", 0).Perm(len(k.spec.Agents))
	for _, g := range groups {
		members := slices.Sorted(slices.Values(order[:g.Size]))
		k.groups[g.Name], order = members, order[g.Size:]
	}
}

func everybody(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// ask takes the answers of a step from the history, or ends the walk with its asks.
func (k *walk) ask(s *step) (on bool, err error) {
	when, err := k.holds(s.when, true)
	if err != nil || !when {
		return err == nil, err
	}
	agents, prompts, err := k.asked(s)
	if err != nil || len(agents) == 0 {
		return err == nil, err
	}
	if k.forced != nil && len(k.ahead) == 0 {
		k.forced.ask(k, s, agents, prompts)
	}
	if len(k.ahead) == 0 {
		k.next.Asks, err = k.asks(s, agents, prompts)
		return false, err
	}
	return true, k.take(s, agents, prompts)
}

// asked returns who a step asks, in agent order, with the number of each one's prompt.
func (k *walk) asked(s *step) (agents, prompts []int, err error) {
	if s.names != nil {
		if agents, err = k.computed(s); err != nil {
			return nil, nil, err
		}
		return agents, make([]int, len(agents)), nil
	}
	prompt := map[int]int{}
	for i, name := range s.ask {
		members, isGroup := k.groups[name]
		if !isGroup {
			members = []int{k.index[name]}
		}
		for _, agent := range members {
			if _, twice := prompt[agent]; !twice {
				prompt[agent] = min(i, len(s.prompts)-1)
				agents = append(agents, agent)
			}
		}
	}
	slices.Sort(agents)
	for _, agent := range agents {
		prompts = append(prompts, prompt[agent])
	}
	return agents, prompts, nil
}

// computed is who an expression names.
func (k *walk) computed(s *step) ([]int, error) {
	v, err := s.names.eval(k.scene())
	if k.forced != nil {
		k.forced.expression(err)
		return everybody(len(k.spec.Agents)), nil
	}
	if err != nil {
		return nil, err
	}
	names, err := bounded.Texts(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.names.place, err)
	}
	var agents []int
	for _, name := range names {
		agent, known := k.index[name]
		if !known {
			return nil, fmt.Errorf("%s: it names %q, which is no agent", s.names.place, name)
		}
		agents = append(agents, agent)
	}
	slices.Sort(agents)
	return slices.Compact(agents), nil
}

// take moves the answers of a step from the history to what was said.
func (k *walk) take(s *step, agents, prompts []int) error {
	at := len(k.said)
	for i, agent := range agents {
		if len(k.ahead) == 0 || k.ahead[0].Turn != k.turn || k.ahead[0].Agent != agent {
			return fmt.Errorf("the history lacks the answer of %s in turn %d", k.spec.Agents[agent].Name, k.turn+1)
		}
		a := k.ahead[0]
		if !s.goesOn {
			k.chats[agent] = nil
		}
		k.chats[agent] = append(k.chats[agent], prompted{step: s.with(prompts[i]), prompt: a.Prompt, at: at, round: k.round, turn: k.turn, answer: len(k.said), agent: agent, notes: k.notes})
		k.said, k.ahead = append(k.said, a), k.ahead[1:]
	}
	k.turn++
	return k.note(s)
}

// asks are those of a step, as far as the walk has come.
func (k *walk) asks(s *step, agents, prompts []int) ([]team.Ask, error) {
	out := make([]team.Ask, len(agents))
	if k.unasked {
		return out, nil
	}
	for i, agent := range agents {
		messages, prompt, err := k.messages(s, agent, prompts[i])
		if err != nil {
			return nil, fmt.Errorf("prompt of %s, turn %d, problem %s: %w", k.spec.Agents[agent].Name, k.turn+1, k.problem.ID, err)
		}
		out[i] = team.Ask{Turn: k.turn, Agent: agent, Messages: messages, Prompt: prompt, Samples: s.samples}
	}
	return out, nil
}
