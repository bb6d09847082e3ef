package workflow

import (
	"fmt"
	"slices"

	starjson "go.starlark.net/lib/json"
	starmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"parley/internal/bounded"
	"parley/team"
)

// A program is a workflow in Starlark, in place of steps:
//
//	def next(problem, history):      # asks of one turn, or acts; [] at the end
//	    if len(history) == 0:
//	        return [ask("writer", problem.question)]
//	    return []
//
//	def answer(problem, history):    # optional: a text, or a list of texts that are rewarded together
//	    return history[-1].text
//
// ask(agent, messages, chat="new") asks with a user message, or with a list of messages such as {"role": "user", "content": "…"}; act([names]) hands
// the last words of agents to the environment. history holds what was said, oldest first: .agent .turn .text .answer .score .report, and where
// the environment answered .observations by agent. Beside them a program sees agents, votes, agree, draw, json and math, and the functions of its spec. It keeps nothing between
// calls, and computes at most a million steps a call, on at most 64 MiB of texts, lists and numbers.
type program struct {
	next, answer starlark.Callable
}

const programPlace = "team.program"

// mostActs bounds how often a program acts before it asks again.
const mostActs = 1000

// loadProgram reads the spec's program.
func (l *loader) loadProgram() {
	known := starlark.StringDict{starjson.Module.Name: starjson.Module, starmath.Module.Name: starmath.Module}
	for _, f := range l.spec.Functions {
		known[f.Name()] = f
	}
	for _, name := range []string{"ask", "act", "agents", "votes", "agree", "draw"} {
		known[name] = starlark.NewBuiltin(name, fromThread)
	}
	globals, err := bounded.Exec(limits.Thread(programPlace), programPlace, l.spec.Program, known)
	if err != nil {
		l.fault(programPlace, "", "%v", plainly(err))
		return
	}
	p := &program{}
	var ok bool
	if p.next, ok = globals["next"].(starlark.Callable); !ok {
		l.fault(programPlace, "write def next(problem, history)", "the program has no function next")
	}
	p.answer, _ = globals["answer"].(starlark.Callable)
	if l.spec.Turns < 1 {
		l.fault("team.turns", "write the most turns that the program asks", "%d turns", l.spec.Turns)
	}
	l.program, l.turns, l.anybody = p, l.spec.Turns, true
}

// sceneKey is where a thread holds the scene of the call.
const sceneKey = "scene"

// fromThread is a function of a program: what it does depends on the call.
func fromThread(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	s, ok := t.Local(sceneKey).(*scene)
	if !ok {
		return nil, fmt.Errorf("%s works within next and answer only", b.Name())
	}
	switch b.Name() {
	case "ask":
		return asking(b, args, kwargs)
	case "act":
		return acting(b, args, kwargs)
	case "agents":
		return s.value("agents"), nil
	case "votes":
		return s.votes(t, b, args, kwargs)
	case "agree":
		return s.agree(t, b, args, kwargs)
	}
	return s.draw(t, b, args, kwargs)
}

// asking is the value of ask(…).
func asking(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var agent, chat string
	var messages starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "agent", &agent, "messages", &messages, "chat?", &chat); err != nil {
		return nil, err
	}
	if chat != "" && chat != "new" && chat != "continue" {
		return nil, fmt.Errorf("ask: chat is %q, expected new or continue", chat)
	}
	return starlarkstruct.FromStringDict(starlark.String("ask"), starlark.StringDict{
		"agent": starlark.String(agent), "messages": messages, "chat": starlark.String(chat),
	}), nil
}

// acting is the value of act(…).
func acting(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var names starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "agents", &names); err != nil {
		return nil, err
	}
	return starlarkstruct.FromStringDict(starlark.String("act"), starlark.StringDict{"agents": names}), nil
}

// playProgram calls the program turn by turn.
func (k *walk) playProgram() error {
	for acts := 0; !k.over; {
		k.done++
		list, err := k.callProgram(k.program.next)
		if err != nil {
			return err
		}
		move, steps, err := k.readMove(list)
		if err != nil {
			return fmt.Errorf("%s, turn %d: %w", programPlace, k.turn+1, err)
		}
		switch {
		case move.Acts && !k.spec.World:
			return fmt.Errorf("%s: it acts, and there is no environment to act in; set task.name to environment", programPlace)
		case move.Acts:
			if acts++; acts > mostActs {
				return fmt.Errorf("%s: it acts %d times without asking anybody", programPlace, acts)
			}
			if on, err := k.observe(move, k.turn-1); !on {
				return err
			}
			continue
		case len(move.Asks) == 0:
			k.over = true
			return nil
		case k.turn >= k.turns:
			return fmt.Errorf("%s: it still asks after team.turns, %d", programPlace, k.turns)
		}
		acts = 0
		if k.forced != nil && len(k.ahead) == 0 {
			k.forced.asks(k, move.Asks)
		}
		if len(k.ahead) == 0 {
			k.next = move
			return nil
		}
		if err := k.takeAsks(move.Asks, steps); err != nil {
			return err
		}
	}
	return nil
}

// callProgram calls a function of the program with what was said so far.
func (k *walk) callProgram(f starlark.Callable) (starlark.Value, error) {
	t := limits.Thread(programPlace)
	s := k.scene()
	t.SetLocal(sceneKey, s)
	history := make([]starlark.Value, len(k.said))
	for i, a := range k.said {
		if a.Agent == team.World {
			history[i] = k.observed(a)
			continue
		}
		history[i] = s.answer(a)
	}
	v, err := starlark.Call(t, f, starlark.Tuple{problemValue(k.problem), starlark.NewList(history)}, nil)
	if err != nil {
		return nil, fmt.Errorf("%s, turn %d: %w", programPlace, k.turn+1, plainly(err))
	}
	return v, nil
}

// observed is what the environment showed, as programs see it.
func (k *walk) observed(a team.Answer) starlark.Value {
	texts := starlark.NewDict(len(k.spec.Agents))
	for agent, text := range a.Observed.Texts {
		_ = texts.SetKey(starlark.String(k.spec.Agents[agent].Name), starlark.String(text)) // texts are hashable
	}
	return starlarkstruct.FromStringDict(starlark.String("observation"), starlark.StringDict{"turn": starlark.MakeInt(a.Turn), "observations": texts})
}

// readMove reads what next returned.
func (k *walk) readMove(v starlark.Value) (m team.Move, goesOn []bool, err error) {
	list, ok := v.(*starlark.List)
	if !ok {
		return m, nil, fmt.Errorf("next returns %s, expected a list of ask(…), or [act(…)]", v.Type())
	}
	if list.Len() > len(k.spec.Agents) {
		return m, nil, fmt.Errorf("next asks %d times at once, and there are %d agents", list.Len(), len(k.spec.Agents))
	}
	for i := range list.Len() {
		item, ok := list.Index(i).(*starlarkstruct.Struct)
		if !ok {
			return m, nil, fmt.Errorf("next returns a list with %s in it, expected ask(…) or act(…)", list.Index(i).Type())
		}
		if names, err := item.Attr("agents"); err == nil {
			if list.Len() > 1 {
				return m, nil, fmt.Errorf("act(…) stands alone")
			}
			m.Acts = true
			m.Actors, err = k.numbers(names)
			return m, nil, err
		}
		a, on, err := k.readAsk(item)
		if err != nil {
			return m, nil, err
		}
		m.Asks, goesOn = append(m.Asks, a), append(goesOn, on)
	}
	order := everybody(len(m.Asks))
	slices.SortStableFunc(order, func(a, b int) int { return m.Asks[a].Agent - m.Asks[b].Agent })
	asks, on := make([]team.Ask, len(order)), make([]bool, len(order))
	for i, at := range order {
		asks[i], on[i] = m.Asks[at], goesOn[at]
		if i > 0 && asks[i].Agent == asks[i-1].Agent {
			return m, nil, fmt.Errorf("next asks %s twice at once", k.spec.Agents[asks[i].Agent].Name)
		}
	}
	m.Asks = asks
	return m, on, nil
}

func (k *walk) numbers(names starlark.Value) ([]int, error) {
	list, err := bounded.Texts(names)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, name := range list {
		agent, known := k.index[name]
		if !known {
			return nil, fmt.Errorf("%q is no agent: write one of %s", name, join(k.agentNames()))
		}
		out = append(out, agent)
	}
	slices.Sort(out)
	return out, nil
}

// readAsk reads one ask(…).
func (k *walk) readAsk(item *starlarkstruct.Struct) (a team.Ask, goesOn bool, err error) {
	name, err := item.Attr("agent")
	if err != nil {
		return a, false, fmt.Errorf("next returns %s, expected ask(…) or act(…)", bounded.Show(item))
	}
	agents, err := k.numbers(name)
	if err != nil {
		return a, false, err
	}
	a.Agent, a.Turn = agents[0], k.turn
	word, _ := item.Attr("chat")
	chat, _ := starlark.AsString(word)
	messages, _ := item.Attr("messages")
	if text, ok := starlark.AsString(messages); ok {
		a.Prompt, goesOn = text, chat == "continue"
		a.Messages, err = k.chat(a.Agent, text, goesOn, false)
		return a, goesOn, err
	}
	list, err := readMessages(messages)
	if err != nil {
		return a, false, err
	}
	head, err := k.head(a.Agent)
	a.Messages = append(head, list...)
	return a, false, err
}

// readMessages reads a list of messages.
func readMessages(v starlark.Value) ([]team.Message, error) {
	list, ok := v.(*starlark.List)
	if !ok || list.Len() == 0 {
		return nil, fmt.Errorf("ask has %s for messages, expected a text or a list of messages", v.Type())
	}
	var out []team.Message
	for i := range list.Len() {
		d, ok := list.Index(i).(*starlark.Dict)
		if !ok {
			return nil, fmt.Errorf(`a message is %s, expected {"role": "user", "content": "…"}`, list.Index(i).Type())
		}
		role, content := textIn(d, "role"), textIn(d, "content")
		if r := team.Role(role); r != team.System && r != team.User && r != team.Assistant {
			return nil, fmt.Errorf("a message has the role %q, expected system, user or assistant", role)
		}
		out = append(out, team.Message{Role: team.Role(role), Content: content})
	}
	if out[len(out)-1].Role != team.User {
		return nil, fmt.Errorf("the last message is of %s, expected user", out[len(out)-1].Role)
	}
	return out, nil
}

func textIn(d *starlark.Dict, key string) string {
	v, _, _ := d.Get(starlark.String(key))
	if v == nil {
		return ""
	}
	text, _ := starlark.AsString(v)
	return text
}

// takeAsks moves the answers of a program's asks from the history to what was said.
func (k *walk) takeAsks(asks []team.Ask, goesOn []bool) error {
	for i, ask := range asks {
		if len(k.ahead) == 0 || k.ahead[0].Turn != k.turn || k.ahead[0].Agent != ask.Agent {
			return fmt.Errorf("the history lacks the answer of %s in turn %d", k.spec.Agents[ask.Agent].Name, k.turn+1)
		}
		if !goesOn[i] {
			k.chats[ask.Agent] = nil
		}
		k.chats[ask.Agent] = append(k.chats[ask.Agent], prompted{prompt: ask.Prompt, answer: len(k.said), agent: ask.Agent})
		k.said, k.ahead = append(k.said, k.ahead[0]), k.ahead[1:]
	}
	k.turn++
	return nil
}

// teamAnswer is what the program's answer returns.
func (p *program) teamAnswer(k *walk) ([]string, error) {
	v, err := k.callProgram(p.answer)
	if err != nil {
		return nil, err
	}
	texts, err := bounded.Texts(v)
	if err == nil && len(texts) == 0 {
		err = fmt.Errorf("answer returns no text")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: answer: %w", programPlace, err)
	}
	return texts, nil
}
