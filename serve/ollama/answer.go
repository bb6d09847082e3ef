package ollama

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"time"

	"parley/engine"
	"parley/serve"
	"parley/serve/chatsession"
	"parley/team"
)

// chat answers a conversation.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) *serve.Failure {
	return s.answer(w, r, (*request).dialogue, func(text, thinking string) map[string]any {
		m := map[string]any{"role": "assistant", "content": text}
		if thinking != "" {
			m["thinking"] = thinking
		}
		return map[string]any{"message": m}
	})
}

// generate answers a text, or goes on with it as it stands.
func (s *Server) generate(w http.ResponseWriter, r *http.Request) *serve.Failure {
	return s.answer(w, r, (*request).single, func(text, thinking string) map[string]any {
		m := map[string]any{"response": text}
		if thinking != "" {
			m["thinking"] = thinking
		}
		return m
	})
}

// A piece is a text of an answer in the words of a route.
type piece func(text, thinking string) map[string]any

// answer does what both routes do.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, messages func(*request) ([]team.Message, *serve.Failure), form piece) *serve.Failure {
	var req request
	if fault := serve.Body(r, &req); fault != nil {
		return fault
	}
	m, fault := s.model(req.Model)
	if fault != nil {
		return fault
	}
	q, fault := req.question()
	if fault != nil {
		return fault
	}
	if q.Messages, fault = messages(&req); fault != nil {
		return fault
	}
	if fault = req.Options.setLogits(&q, m); fault != nil {
		return fault
	}
	if fault = q.SetTools(m, req.Tools, nil); fault != nil {
		return fault
	}
	if fault = req.hold(&q, m); fault != nil {
		return fault
	}
	begun := time.Now()
	out := &lines{w: w, name: req.Model, form: form, whole: req.Stream != nil && !*req.Stream}
	if len(q.Messages) == 0 { // a tool that wants the model loaded
		return failed(out.end(serve.Answer{}, "load", begun))
	}
	ask := m.Answer
	if req.Raw {
		writer, ok := m.Answerer.(serve.Writer)
		if !ok {
			return serve.Bad("raw", "%.200s is a team, which answers conversations: leave raw out, or ask one of its agents", req.Model)
		}
		ask = raw(writer, req.Prompt)
	}
	return s.gate.Work(r, "", func(ctx context.Context) error {
		err := s.draw(ctx, ask, q, out, &req, begun)
		if err != nil && out.begun {
			s.gate.Broken(r, err, func(f *serve.Failure) error { return out.write(map[string]any{"error": f.Message}) })
		}
		return err
	})
}

// draw lets the model answer.
func (s *Server) draw(ctx context.Context, ask asker, q serve.Question, out *lines, req *request, begun time.Time) error {
	first := s.gate.FirstText()
	a, err := ask(ctx, q, serve.Listener{
		Reason: func(text string) error {
			first()
			if !req.thinks() {
				return nil
			}
			return out.piece("", text)
		},
		Say: func(text string) error { first(); return out.piece(text, "") },
	})
	if err != nil {
		return err
	}
	s.gate.Took(a.Usage)
	if !req.thinks() {
		a.Reasoning = ""
	}
	why := "stop"
	if a.Cut {
		why = "length"
	}
	return out.end(a, why, begun)
}

// An asker is [serve.Answerer]'s method.
type asker func(ctx context.Context, q serve.Question, l serve.Listener) (serve.Answer, error)

// raw goes on with a prompt without a template.
func raw(w serve.Writer, prompt string) asker {
	return func(ctx context.Context, q serve.Question, l serve.Listener) (serve.Answer, error) {
		ids, err := w.Speaker().Model.Tokenizer.Encode(prompt, true)
		if err != nil {
			return serve.Answer{}, &serve.QuestionError{Err: err}
		}
		reply, err := w.Speaker().Continue(ctx, ids, q.With(w.Settings()), l.Say)
		return answerOf(reply), err
	}
}

func answerOf(r chatsession.Reply) serve.Answer {
	return serve.Answer{Text: r.Text, Cut: r.Stop == engine.StopLength, Usage: serve.Usage{Prompt: r.Prompt, Drawn: r.Tokens}}
}

// lines is an answer as JSON objects, one a line, or as a single one. A line is sent as soon as it is there.
type lines struct {
	w     http.ResponseWriter
	name  string
	form  piece
	whole bool // one object, at the end
	begun bool
}

func (l *lines) piece(text, thinking string) error {
	if l.whole || text == "" && thinking == "" {
		return nil
	}
	return l.line(l.form(text, thinking), map[string]any{"done": false})
}

// end says the last line, or all in one.
func (l *lines) end(a serve.Answer, why string, begun time.Time) error {
	text, thinking := "", ""
	if l.whole {
		text, thinking = a.Text, a.Reasoning
	}
	took := time.Since(begun).Nanoseconds()
	last := l.form(text, thinking)
	if m, chats := last["message"].(map[string]any); chats && len(a.Calls) > 0 {
		m["tool_calls"] = callsOf(a)
	}
	return l.line(last, map[string]any{
		"done": true, "done_reason": why, "total_duration": took, "load_duration": 0,
		"prompt_eval_count": a.Usage.Prompt, "prompt_eval_duration": 0, "eval_count": a.Usage.Drawn, "eval_duration": took,
	})
}

// callsOf are the calls of an answer, whose arguments are no text here.
func callsOf(a serve.Answer) []toolCall {
	out := make([]toolCall, len(a.Calls))
	for i, c := range a.Calls {
		out[i].Function.Name, out[i].Function.Arguments = c.Name, json.RawMessage(c.Arguments)
		if !json.Valid(out[i].Function.Arguments) { // it was cut
			out[i].Function.Arguments, _ = json.Marshal(c.Arguments)
		}
	}
	return out
}

func (l *lines) line(body, more map[string]any) error {
	body["model"], body["created_at"] = l.name, time.Now().UTC()
	maps.Copy(body, more)
	return l.write(body)
}

func (l *lines) write(body map[string]any) error {
	if !l.begun {
		kind := "application/x-ndjson"
		if l.whole {
			kind = "application/json"
		}
		l.w.Header().Set("Content-Type", kind)
		l.begun = true
	}
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if _, err := l.w.Write(append(data, '\n')); err != nil {
		return err
	}
	return http.NewResponseController(l.w).Flush()
}

// failed is a failure of an error, or none.
func failed(err error) *serve.Failure {
	if err == nil {
		return nil
	}
	return serve.FailureOf(err)
}
