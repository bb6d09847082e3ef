package openai

import (
	"context"
	"maps"

	"parley/model/chat"
	"parley/serve"
)

// typed is a response in events with types and numbers. Items, parts of them and their texts are each announced, and said to be done: what was
// thought is the first item, the message the next. The first error stays.
type typed struct {
	*chatTask
	*serve.Events
	number  int   // of the next event
	done    []any // items
	open    item
	calling string // the item of the call that is being written
	err     error
}

// An item is one that has begun; its kind is nil: none has.
type item struct {
	*kind
	id   string
	text string
}

// A kind of items: its parts are numbered by index, and delta, done and so on are what events of them are called.
type kind struct {
	index, text, part string
	partOf            func(text string) any
	itemOf            func(id, status, text string) any
	more              map[string]any // that events of texts have
}

var (
	thinking = &kind{
		"summary_index", "response.reasoning_summary_text", "response.reasoning_summary_part", summary,
		func(id, _, text string) any { return thought(id, text) }, nil,
	}
	speaking = &kind{"content_index", "response.output_text", "response.content_part", outputText, said, map[string]any{"logprobs": []any{}}}
)

// typed answers piece by piece.
func (s *Server) typed(ctx context.Context, t *typed) error {
	t.Fail = t.failed
	begun := map[string]any{"response": t.responseOf(nil, []any{})}
	t.tell("response.created", begun)
	t.tell("response.in_progress", begun)
	text := s.gate.FirstText()
	answers, err := s.answers(ctx, t.chatTask, func(int) serve.Listener {
		return serve.Listener{
			Reason: func(piece string) error { text(); return t.piece(thinking, piece) },
			Say:    func(piece string) error { text(); return t.piece(speaking, piece) },
			Call:   func(c chat.Call) error { text(); return t.calls(c) },
		}
	})
	if err != nil {
		return err
	}
	if len(answers[0].Calls) == 0 {
		t.begin(speaking) // there is a message, be it empty
	}
	t.end()
	for _, c := range answers[0].Calls {
		if t.calling == "" {
			_ = t.calls(c) // its error stays with t
		}
		t.called(c)
	}
	name := "response.completed"
	if answers[0].Cut {
		name = "response.incomplete"
	}
	t.tell(name, map[string]any{"response": t.responseOf(&answers[0], t.done)})
	return t.err
}

// tell writes an event.
func (t *typed) tell(name string, fields map[string]any) {
	body := maps.Clone(fields)
	body["type"], body["sequence_number"] = name, t.number
	t.number++
	if err := t.SendNamed(name, body); t.err == nil {
		t.err = err
	}
}

// place is what an event says of a part of the open item.
func (t *typed) place(fields map[string]any) map[string]any {
	at := map[string]any{"item_id": t.open.id, "output_index": len(t.done), t.open.index: 0}
	maps.Copy(at, fields)
	return at
}

// piece is more text of an item.
func (t *typed) piece(k *kind, text string) error {
	if text != "" {
		t.begin(k)
		t.open.text += text
		at := t.place(k.more)
		at["delta"] = text
		t.tell(k.text+".delta", at)
	}
	return t.err
}

// begin opens an item, where none of its kind is open.
func (t *typed) begin(k *kind) {
	if t.open.kind == k {
		return
	}
	t.end()
	id := "msg_"
	if k == thinking {
		id = "rs_"
	}
	t.open = item{kind: k, id: serve.NewID(id)}
	begun := k.itemOf(t.open.id, "in_progress", "")
	if k == thinking {
		begun = map[string]any{"id": t.open.id, "type": "reasoning", "summary": []any{}}
	}
	t.tell("response.output_item.added", map[string]any{"output_index": len(t.done), "item": begun})
	t.tell(k.part+".added", t.place(map[string]any{"part": k.partOf("")}))
}

// end closes the item that is open.
func (t *typed) end() {
	k := t.open.kind
	if k == nil {
		return
	}
	at := t.place(k.more)
	at["text"] = t.open.text
	t.tell(k.text+".done", at)
	t.tell(k.part+".done", t.place(map[string]any{"part": k.partOf(t.open.text)}))
	done := k.itemOf(t.open.id, "completed", t.open.text)
	t.tell("response.output_item.done", map[string]any{"output_index": len(t.done), "item": done})
	t.done, t.open = append(t.done, done), item{}
}

// calls begins the item of a call, which has a name, or goes on with its arguments.
func (t *typed) calls(c chat.Call) error {
	if c.Name != "" {
		t.calling = serve.NewID("fc_")
		t.tell("response.output_item.added", map[string]any{"output_index": len(t.done), "item": called(t.calling, "in_progress", c, "")})
	}
	if c.Arguments != "" {
		t.tell("response.function_call_arguments.delta", map[string]any{"item_id": t.calling, "output_index": len(t.done), "delta": c.Arguments})
	}
	return t.err
}

// called ends the item of a call.
func (t *typed) called(c chat.Call) {
	id, at := t.calling, len(t.done)
	t.tell("response.function_call_arguments.done", map[string]any{"item_id": id, "output_index": at, "name": c.Name, "arguments": c.Arguments})
	done := called(id, "completed", c, c.Arguments)
	t.tell("response.output_item.done", map[string]any{"output_index": at, "item": done})
	t.done, t.calling = append(t.done, done), ""
}

// failed is the event of a failure. Clients go by the error, or by what stands beside it.
func (t *typed) failed(f *serve.Failure) error {
	t.tell("error", map[string]any{"error": f, "message": f.Message, "code": f.Code, "param": f.Param})
	return t.err
}
