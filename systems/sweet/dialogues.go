package sweet

import (
	"slices"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// A message is what a policy is to learn from or to be compared by, with the problem that it is about.
type message struct {
	*learn.Answer
	problem string
	fields  map[string]string // of the problem
	number  int               // of the policy's messages in the dialogue, from 1
}

// A talk is a whole dialogue about a problem: what one policy would have said in it, and what came of it. The base said it, for dialogues are those of the
// untrained team. What others said in between is in the prompts of the messages; it has no tokens here, so that no loss touches it.
type talk struct {
	problem  string
	reward   float64
	messages []*message
}

// A turn is where a policy speaks in some dialogues, with all that it was to say there: the history o of the paper, and candidates that answer it. In a
// tree each of them goes on; in a chain the first one does, which is a sample of the policy as the others are.
type turn struct {
	update, episode, node int // where it is: of its own random stream
	candidates            []*message
}

// A record is what the dialogues of a run are to one policy.
type record struct {
	talks []talk
	turns []turn
}

// A played episode is one of an update, from 0.
type played struct {
	update int
	*rollout.Episode
}

// recordsOf are the dialogues as each policy sees them, in the order of updates, problems and turns. decided says that of the candidates of a turn
// the first one is executed; else all go on.
func (l *learner) recordsOf(all []played, decided bool) map[engine.Policy]*record {
	out := map[engine.Policy]*record{}
	for _, e := range all {
		if e.Failed() == "" {
			l.add(out, e, decided)
		}
	}
	return out
}

// add takes in an episode: the turns of all its nodes, and its dialogues. Messages that several dialogues share are the same in all of them, so that each
// is scored once.
func (l *learner) add(out map[engine.Policy]*record, e played, decided bool) {
	known := map[*rollout.Completion]*message{}
	for i, n := range e.Nodes {
		for s := range n.Agents {
			p := l.pupil(n, s)
			if p == engine.Base || e.FailedSample(n.Sample) {
				continue
			}
			recordOf(out, p).turns = append(recordOf(out, p).turns, l.turnAt(e, i, s, known))
		}
	}
	for _, end := range endsOf(e.Episode, decided) {
		for p, t := range l.talksOf(e.Episode, end, known) {
			recordOf(out, p).talks = append(recordOf(out, p).talks, t)
		}
	}
}

// turnAt is what the s-th speaker of the i-th node was to say. Its candidates are the messages that something can be learned from; the others are known
// all the same, for a dialogue may go through them.
func (l *learner) turnAt(e played, i, s int, known map[*rollout.Completion]*message) turn {
	n, t := e.Nodes[i], turn{update: e.update, episode: e.Index, node: i}
	number := l.spoken(e.Path(i), l.pupil(n, s))
	for j := range n.Agents[s].Completions {
		c := &n.Agents[s].Completions[j]
		m := &message{&learn.Answer{Turn: n.Turn, AgentTurn: &n.Agents[s], Completion: c}, e.Problem.ID, e.Problem.Fields, number}
		if known[c] = m; learn.Learnable(c) {
			t.candidates = append(t.candidates, m)
		}
	}
	return t
}

// spoken counts the nodes on a path at which a policy speaks: the number of its message at the last of them, from 1.
func (l *learner) spoken(path []*rollout.Node, p engine.Policy) (number int) {
	for _, n := range path {
		for s := range n.Agents {
			if l.pupil(n, s) == p {
				number++
				break // agents who share a policy and speak at once are one turn of it
			}
		}
	}
	return number
}

// recordOf is that of a policy, made where there is none yet.
func recordOf(all map[engine.Policy]*record, p engine.Policy) *record {
	if all[p] == nil {
		all[p] = &record{}
	}
	return all[p]
}

// pupil is the policy that learns from what the s-th speaker of a node said; the base: none does.
func (l *learner) pupil(n *rollout.Node, s int) engine.Policy {
	if n.Agents[s].Speaker != "" {
		return engine.Base
	}
	return l.Sharing.Policy(n.Turn, n.Agents[s].Agent)
}

// An end is the last joint action of a dialogue.
type end struct{ node, action int }

// endsOf are the dialogues of an episode: the joint actions that nothing follows. Where one candidate of each turn is executed, there is one
// dialogue, which ends with the first candidate of its last turn that could be scored.
func endsOf(e *rollout.Episode, decided bool) []end {
	followed := map[end]bool{}
	inner := map[int]bool{}
	for _, n := range e.Nodes {
		followed[end{n.Parent, n.ParentAction}], inner[n.Parent] = true, true
	}
	var out []end
	for i, n := range e.Nodes {
		if n.Failed != "" || e.FailedSample(n.Sample) || decided && inner[i] {
			continue
		}
		for j := range n.Joint {
			if x := (end{i, j}); !followed[x] && !slices.Contains(n.Unscored, j) {
				out = append(out, x)
				if decided {
					break
				}
			}
		}
	}
	return out
}

// walk goes from the beginning of a dialogue to its end: its nodes, the joint action at each of them, and all that was paid on the way.
func walk(e *rollout.Episode, last end) (path []*rollout.Node, actions []int, reward float64) {
	path = e.Path(last.node)
	actions = make([]int, len(path))
	for i, action := len(path)-1, last.action; i >= 0; i-- {
		actions[i] = action
		reward += path[i].Rewards[action]
		action = path[i].ParentAction
	}
	return path, actions, reward
}

// talksOf are what each policy said in the dialogue with an end, empty messages and masked ones left out.
func (l *learner) talksOf(e *rollout.Episode, last end, known map[*rollout.Completion]*message) map[engine.Policy]talk {
	out := map[engine.Policy]talk{}
	path, actions, reward := walk(e, last)
	for i, n := range path {
		for s := range n.Agents {
			p := l.pupil(n, s)
			if p == engine.Base {
				continue
			}
			t := out[p]
			if m := known[&n.Agents[s].Completions[n.Joint[actions[i]][s]]]; learn.Learnable(m.Completion) {
				t.messages = append(t.messages, m)
			}
			t.problem, t.reward = e.Problem.ID, reward
			out[p] = t
		}
	}
	return out
}

// byProblem are the rewards of dialogues, problem by problem in the order in which problems appear, and where each dialogue is.
func byProblem(talks []talk) (rewards [][]float64, at [][]int) {
	index := map[string]int{}
	for i, t := range talks {
		k, known := index[t.problem]
		if !known {
			k = len(rewards)
			index[t.problem] = k
			rewards, at = append(rewards, nil), append(at, nil)
		}
		rewards[k], at[k] = append(rewards[k], t.reward), append(at[k], i)
	}
	return rewards, at
}
