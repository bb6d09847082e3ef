package harness

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/service"
	"parley/internal/tie"
	"parley/task"
	"parley/task/user"
)

// A result is what a program says of its episode.
type result struct {
	answers []string           // of the team, rewarded together; nil: it says none
	score   task.Score         // what is paid at the end, where the program says it: agents by name
	calls   map[string]float64 // what is paid to calls, by the ids of their responses
	failed  string             // why the episode has, in the program's words; empty: it has not
}

// fields are those of a result. "id" is that of a line.
var fields = []string{"answer", "reward", "agents", "calls", "parts", "flags", "error"}

// longestAnswer is the most bytes of all texts of an answer.
const longestAnswer = 256 << 10

// isResult says whether a line is a JSON object with a field of results.
func isResult(line []byte) bool {
	var r map[string]json.RawMessage
	return json.Unmarshal(line, &r) == nil && slices.ContainsFunc(fields, func(f string) bool { return r[f] != nil })
}

// read reads a result, and checks that it has what the source of rewards needs. e.mu is held.
func (e *Live) read(data []byte) (*result, error) {
	s, names := &e.of.settings, make([]string, len(e.agents))
	for i, a := range e.agents {
		names[i] = a.Name
	}
	r, err := readResult(data, s.Pays, s.Least, s.Most, names)
	if err != nil {
		return nil, fmt.Errorf("the result: %w", err)
	}
	for _, id := range slices.Sorted(maps.Keys(r.calls)) {
		if !slices.ContainsFunc(e.calls, func(c *Call) bool { return c.ask.Response == id }) {
			return nil, fmt.Errorf(`the result: "calls" pays %.80q, which is the id of no response in the episode`, id)
		}
	}
	if err := e.heard(r); err != nil {
		return nil, fmt.Errorf("the result: %w", err)
	}
	return r, nil
}

// heard checks that whoever is paid learns from it: nobody would see that it does not. e.mu is held.
func (e *Live) heard(r *result) error {
	for i, alone := range e.of.settings.TeamAlone[:min(len(e.agents), len(e.of.settings.TeamAlone))] {
		name, field := e.agents[i].Name, ""
		if r.score.Agents[name] != 0 {
			field = "agents"
		}
		for _, c := range e.calls {
			if c.agent == i && r.calls[c.ask.Response] != 0 {
				field = "calls"
			}
		}
		if alone && field != "" {
			return fmt.Errorf("%q pays %s, but team.agents.%s.reward.own is 0: write reward: {team: 1, own: 1} there, or pay nothing", field, name, name)
		}
	}
	return nil
}

// readResult reads a result for a source of rewards: the program, which pays from least to most, or another.
func readResult(data []byte, pays bool, least, most float64, names []string) (*result, error) {
	if len(data) > longestResult {
		return nil, fmt.Errorf("it has %d bytes, expected at most %d", len(data), longestResult)
	}
	if err := service.Text(data); err != nil {
		return nil, err
	}
	var f map[string]json.RawMessage
	if err := json.Unmarshal(data, &f); err != nil || f == nil {
		return nil, fmt.Errorf(`%.80s is no JSON object: write {"answer": "…"} or {"reward": 1}`, data)
	}
	maps.DeleteFunc(f, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	delete(f, "id")
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if !slices.Contains(fields, name) {
			return nil, fmt.Errorf("%.80q is no field of it: there are %s", name, strings.Join(fields, ", "))
		}
	}
	r := &result{}
	if why := f["error"]; why != nil {
		return r, r.readError(why)
	}
	if err := r.readAnswer(f["answer"]); err != nil {
		return nil, err
	}
	if pays {
		return r, r.readPay(f, least, most, names)
	}
	for _, name := range []string{"reward", "agents", "calls"} {
		if f[name] != nil {
			return nil, fmt.Errorf("it says %q, but something else rewards the answer: write reward.source: harness, or leave it out", name)
		}
	}
	if r.answers == nil {
		return nil, fmt.Errorf(`it has no "answer"`)
	}
	return r, nil
}

// readError reads why the program calls the episode failed.
func (r *result) readError(field json.RawMessage) error {
	if err := json.Unmarshal(field, &r.failed); err != nil {
		return fmt.Errorf(`"error" is %.80s, expected a text`, field)
	}
	if r.failed == "" {
		r.failed = "its program says that it has failed"
	}
	return nil
}

// readAnswer reads a text or a list of texts.
func (r *result) readAnswer(field json.RawMessage) error {
	if field == nil {
		return nil
	}
	var one string
	var list []*string
	switch {
	case json.Unmarshal(field, &one) == nil:
		r.answers = []string{one}
	case json.Unmarshal(field, &list) == nil && len(list) > 0 && !slices.Contains(list, nil):
		for _, text := range list {
			r.answers = append(r.answers, *text)
		}
	default:
		return fmt.Errorf(`"answer" is %.80s, expected a text or a list of texts`, field)
	}
	if size := len(strings.Join(r.answers, "")); size > longestAnswer {
		return fmt.Errorf(`"answer" has %d bytes, expected at most %d`, size, longestAnswer)
	}
	return nil
}

// readPay reads what a program pays that says itself what is earned.
func (r *result) readPay(f map[string]json.RawMessage, least, most float64, names []string) error {
	if f["reward"] == nil {
		return fmt.Errorf(`it has no "reward", which reward.source: harness needs`)
	}
	long, err := json.Marshal(map[string]json.RawMessage{"reward": f["reward"], "agents": f["agents"], "parts": f["parts"], "flags": f["flags"]})
	if err != nil {
		return err
	}
	v, err := user.Read(long, least, most)
	if err != nil {
		return err
	}
	if err := user.Pay(names, &v.Score, v.Own); err != nil {
		return err
	}
	r.score = v.Score
	if f["calls"] == nil {
		return nil
	}
	var calls map[string]*float64
	if err := json.Unmarshal(f["calls"], &calls); err != nil || slices.Contains(slices.Collect(maps.Values(calls)), nil) {
		return fmt.Errorf(`"calls" is %.80s, expected a number for each id of a response`, f["calls"])
	}
	r.calls = make(map[string]float64, len(calls))
	for _, id := range slices.Sorted(maps.Keys(calls)) {
		x, ok := tie.Clip(*calls[id], least, most)
		if !ok {
			return &user.OutOfRange{What: fmt.Sprintf("what %.80q of \"calls\" pays", id), Reward: *calls[id], Least: least, Most: most}
		}
		r.calls[id] = x
	}
	return nil
}
