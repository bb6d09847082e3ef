package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/engine"
	"parley/model/chat"
	"parley/model/chat/jinja"
	"parley/model/tokenizer"
	"parley/rl/rollout"
	"parley/team"
)

// A turn is one completion of an agent, part by part.
type turn struct {
	*Agent
	dialogue []team.Message
	earlier  []chat.Message // the parts before, with their results
	said     string         // of a turn in form text: what it reads as so far
	left     int            // calls
	ids      int            // of calls so far
	watch    *watch         // of the part; nil: none

	part  string // that was read last
	calls []Call
}

// Watch implements [rollout.ToolTurn].
func (t *turn) Watch(least int) rollout.Watcher {
	t.watch = nil
	if t.marked != nil && t.left > 0 {
		t.watch = &watch{marked: *t.marked, stream: t.Tokenizer.Stream()}
		if t.settings.Stops != nil {
			t.watch.stops = t.settings.Stops.Watch(least)
		}
		return t.watch
	}
	if t.settings.Stops != nil {
		return t.settings.Stops.Watch(least)
	}
	return nil
}

// Calls implements [rollout.ToolTurn]. A part that was cut calls nothing, nor does one behind the last call of a turn.
func (t *turn) Calls(tokens []int, why engine.StopReason) bool {
	switch {
	case t.left == 0, why == engine.StopLength, why == engine.StopText && (t.watch == nil || !t.watch.called):
		return false
	case t.marked != nil:
		t.part = t.Model.Text(tokens)
	default:
		if n := len(tokens); n > 0 && slices.Contains(t.Stop(), tokens[n-1]) {
			tokens = tokens[:n-1]
		}
		t.part = t.Tokenizer.Decode(tokens, true)
	}
	t.calls = t.form.Calls(t.part)
	return len(t.calls) > 0
}

// Run implements [rollout.ToolTurn].
func (t *turn) Run(ctx context.Context) (calls []rollout.Call, insert []int, err error) {
	var results []Result
	for i := range t.calls {
		c := &t.calls[i]
		if c.Texts && c.Err == nil {
			c.Arguments = t.functions.Typed(c.Name, c.Arguments)
		}
		r, err := t.run(ctx, *c)
		if err != nil {
			return calls, nil, err
		}
		results = append(results, r)
		arguments := string(c.Arguments)
		if c.Err != nil {
			arguments = c.Written
		}
		calls = append(calls, rollout.Call{Name: c.Name, Arguments: arguments, Result: r.Text, Failed: r.Failed})
	}
	insert, err = t.insert(results)
	return calls, insert, err
}

// run runs one call. What is wrong with it is its result.
func (t *turn) run(ctx context.Context, c Call) (r Result, err error) {
	switch {
	case t.left == 0:
		r = Result{Text: fmt.Sprintf("error: a turn has at most %d calls", t.settings.Calls), Failed: true}
	case c.Err != nil:
		r = Result{Text: fmt.Sprintf("error: %v", c.Err), Failed: true}
	default:
		if r, err = t.functions.Call(ctx, c.Name, c.Arguments); err != nil {
			return r, err
		}
	}
	t.left = max(0, t.left-1)
	r.Text, err = t.short(tokenizer.ValidUTF8(r.Text))
	return r, err
}

// short cuts a result to the tokens that it may have.
func (t *turn) short(text string) (string, error) {
	whole := len(text)
	for kept := text; ; {
		ids, err := t.Encode(text)
		if err != nil || len(ids) <= t.settings.ResultTokens {
			return text, err
		}
		n := len(kept) * t.settings.ResultTokens / (len(ids) + 1)
		for n > 0 && !utf8.RuneStart(kept[n]) {
			n--
		}
		if kept, text = kept[:n], kept[:n]+fmt.Sprintf("… (cut: %d bytes in all)", whole); n == 0 {
			return "…", nil
		}
	}
}

// insert returns what the model reads behind its calls: the result itself, or what the template prints between the end of the call and the
// beginning of the next part.
func (t *turn) insert(results []Result) ([]int, error) {
	if t.marked != nil {
		result := results[0].Text
		if result == "" {
			result = "none"
		}
		t.said += t.part + result
		return t.Encode(result)
	}
	return t.template(results)
}

// template returns what the chat template prints for results. The model has written its calls in its own way: the last one has a mark for its
// name, behind which the template says where the answer ends.
func (t *turn) template(results []Result) ([]int, error) {
	if _, one := t.form.(interface{ Single() }); one {
		t.calls = t.calls[:1] // whose template has no place for more
	}
	var calls, marked []any
	var answers []chat.Message
	mark := t.mark(results)
	for i, r := range results {
		t.ids++
		id, name := fmt.Sprintf("call%05d", t.ids), "unreadable"
		if i < len(t.calls) {
			c := t.calls[i]
			name = cmp.Or(c.Name, name)
			calls = append(calls, called(id, name, jinjaOf(c.Arguments)))
			if marked = append(marked, calls[i]); i == len(t.calls)-1 {
				marked[i] = called(id, mark, jinja.NewObject())
			}
		}
		answers = append(answers, jinja.NewObject("role", "tool", "name", name, "tool_call_id", id, "content", r.Text))
	}
	before := slices.Concat(messages(t.dialogue), t.earlier)
	t.earlier = slices.Concat(t.earlier, []chat.Message{saying(calls)}, answers)
	return t.Behind(t.input(slices.Concat(before, []chat.Message{saying(marked)}, answers)), mark)
}

// mark is a name that stands nowhere in the conversation.
func (t *turn) mark(results []Result) string {
	var all strings.Builder
	for _, m := range t.dialogue {
		all.WriteString(m.Content)
	}
	for _, m := range t.earlier {
		content, _ := m.Get("content")
		fmt.Fprint(&all, content)
	}
	for _, r := range results {
		all.WriteString(r.Text)
	}
	for n := 0; ; n++ {
		if mark := fmt.Sprintf("endofcall%d", n); !strings.Contains(all.String(), mark) {
			return mark
		}
	}
}

// called is a call as templates have it.
func called(id, name string, arguments any) *jinja.Object {
	return jinja.NewObject("id", id, "type", "function", "function", jinja.NewObject("name", name, "arguments", arguments))
}

// saying is an answer that is only calls.
func saying(calls []any) chat.Message {
	return jinja.NewObject("role", "assistant", "content", "", "tool_calls", calls)
}

// jinjaOf are the arguments of a call as templates have them: an object.
func jinjaOf(arguments json.RawMessage) any {
	if v, err := jinja.DecodeJSON(arguments); err == nil {
		return v
	}
	return jinja.NewObject()
}

// Text implements [rollout.ToolTurn]: in form text the whole turn is one text; else it is what the agent says at the end, behind all results.
func (t *turn) Text(last string) string {
	if t.marked != nil {
		return t.said + last
	}
	return last
}

// A watch ends a part at a whole call in form text, or at a stop text.
type watch struct {
	marked Marked
	stops  rollout.Watcher // nil: none
	stream *tokenizer.Stream
	text   string
	called bool
}

// Ends implements [engine.Watcher].
func (w *watch) Ends(token int) bool {
	w.text += w.stream.Push(token)
	if _, whole := w.marked.Inside(w.text + w.stream.Held()); whole {
		w.text += w.stream.Held()
		w.called = true
		return true
	}
	return w.stops != nil && w.stops.Ends(token)
}

// Text implements [rollout.Watcher].
func (w *watch) Text() (string, bool) {
	if w.called || w.stops == nil {
		return w.text, w.called
	}
	return w.stops.Text()
}
