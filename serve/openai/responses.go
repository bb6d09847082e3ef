package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"parley/model/chat"
	"parley/serve"
)

// A responseRequest is the body of /v1/responses. Nothing is stored: every request is a conversation of its own.
type responseRequest struct {
	sampling
	Model              string            `json:"model"`
	Input              json.RawMessage   `json:"input"`
	Instructions       string            `json:"instructions"`
	MaxOutputTokens    *int              `json:"max_output_tokens"`
	PreviousResponseID *string           `json:"previous_response_id"`
	Tools              []json.RawMessage `json:"tools"`
	ToolChoice         json.RawMessage   `json:"tool_choice"`
	ParallelToolCalls  *bool             `json:"parallel_tool_calls"`
	Background         bool              `json:"background"`
	Text               struct {
		Format *serve.Format `json:"format"`
	} `json:"text"`
	StructuredOutputs serve.Outputs `json:"structured_outputs"`
}

func (s *Server) respond(w http.ResponseWriter, r *http.Request) *serve.Failure {
	var req responseRequest
	if fault := read(r, responses, &req); fault != nil {
		return fault
	}
	t, fault := s.checkResponse(&req)
	if fault != nil {
		return fault
	}
	if req.Stream {
		fits := func() error { return ofInput(t.fits()) }
		return s.gate.Stream(w, r, req.User, s.still, fits, func(ctx context.Context, e *serve.Events) error { return s.typed(ctx, &typed{chatTask: t, Events: e}) })
	}
	return s.whole(w, r, req.User, func(ctx context.Context) (any, error) {
		answers, err := s.answers(ctx, t, func(int) serve.Listener { return silent(s.gate.FirstText()) })
		if err != nil {
			return nil, ofInput(err)
		}
		return t.response(answers[0]), nil
	})
}

// ofInput is an error as clients of this route read it: a conversation is called an input here.
func ofInput(err error) error {
	if err == nil {
		return nil
	}
	if f := serve.FailureOf(err); f.Param != nil && *f.Param == "messages" {
		return f.Of("input")
	}
	return err
}

// checkResponse makes a chat of it.
func (s *Server) checkResponse(req *responseRequest) (*chatTask, *serve.Failure) {
	switch {
	case req.PreviousResponseID != nil:
		return nil, serve.Bad("previous_response_id", "no response is stored here: send the whole conversation as input").Coded("unsupported_parameter")
	case req.N != nil:
		return nil, serve.Bad("n", "a response is one answer")
	}
	if req.Background {
		return nil, serve.Bad("background", "background is true, but no response is stored here: wait for it, or stream it").Coded("unsupported_parameter")
	}
	messages, fault := items(req.Input)
	if fault != nil {
		return nil, fault
	}
	if req.Instructions != "" {
		messages = append([]message{{Role: "system", Content: content{req.Instructions, true}}}, messages...)
	}
	n, fault := limit([]string{"max_output_tokens"}, req.MaxOutputTokens)
	if fault != nil {
		return nil, fault
	}
	chat := &chatRequest{
		sampling: req.sampling, Model: req.Model, Messages: messages, Tools: serve.Nested(req.Tools), ToolChoice: req.ToolChoice, ParallelToolCalls: req.ParallelToolCalls,
		ResponseFormat: req.Text.Format, StructuredOutputs: req.StructuredOutputs,
	}
	t, fault := s.checkChat(chat, "text.format")
	if fault != nil {
		return nil, serve.FailureOf(ofInput(fault))
	}
	t.question.MaxTokens, t.id, t.created = n, serve.NewID("resp_"), time.Now().Unix()
	return t, nil
}

// items are the messages of an input: one text, or an array of items.
func items(input json.RawMessage) ([]message, *serve.Failure) {
	var text string
	if json.Unmarshal(input, &text) == nil && !bytes.Equal(input, []byte("null")) {
		return []message{{Role: "user", Content: content{text, true}}}, nil
	}
	var all []struct {
		Type      string    `json:"type"`
		CallID    string    `json:"call_id"`
		Called    string    `json:"name"`
		Arguments arguments `json:"arguments"`
		Output    content   `json:"output"`
		message
	}
	if err := json.Unmarshal(input, &all); err != nil || all == nil {
		return nil, serve.Bad("input", "input is neither a text nor an array of items")
	}
	var out []message
	for _, item := range all {
		switch item.Type {
		case "", "message":
			item.Name = item.Called
			out = append(out, item.message)
		case "function_call":
			c := toolCall{ID: item.CallID}
			c.Function.Name, c.Function.Arguments = item.Called, item.Arguments
			if n := len(out); n == 0 || out[n-1].Role != "assistant" { // else it belongs to what was said with it
				out = append(out, message{Role: "assistant"})
			}
			out[len(out)-1].ToolCalls = append(out[len(out)-1].ToolCalls, c)
		case "function_call_output":
			out = append(out, message{Role: "tool", Content: item.Output, ToolCallID: item.CallID})
		case "reasoning": // what was thought in earlier answers is no part of the conversation
		default:
			return nil, serve.Bad("input", "input has an item of type %.40q, expected message, function_call or function_call_output", item.Type)
		}
	}
	return out, nil
}

// response is the answer as items: what was thought, and the message.
func (t *chatTask) response(a serve.Answer) any {
	var output []any
	if a.Reasoning != "" {
		output = append(output, thought(serve.NewID("rs_"), a.Reasoning))
	}
	if a.Text != "" || len(a.Calls) == 0 {
		output = append(output, said(serve.NewID("msg_"), "completed", a.Text))
	}
	for _, c := range a.Calls {
		output = append(output, called(serve.NewID("fc_"), "completed", c, c.Arguments))
	}
	return t.responseOf(&a, output)
}

// called is the item of a call.
func called(id, status string, c chat.Call, arguments string) map[string]any {
	return map[string]any{"id": id, "type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": arguments, "status": status}
}

// thought is the item of what a team said in its turns.
func thought(id, text string) any {
	return map[string]any{"id": id, "type": "reasoning", "summary": []any{summary(text)}}
}

func summary(text string) any { return map[string]any{"type": "summary_text", "text": text} }

// said is the item of an answer; empty texts are no part of it yet.
func said(id, status, text string) any {
	content := []any{}
	if status == "completed" {
		content = append(content, outputText(text))
	}
	return map[string]any{"id": id, "type": "message", "role": "assistant", "status": status, "content": content}
}

func outputText(text string) any {
	return map[string]any{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

// responseOf is a response with its items; without an answer, one that is being worked on.
func (t *chatTask) responseOf(a *serve.Answer, output []any) map[string]any {
	status, incomplete, usage := "in_progress", any(nil), any(nil)
	if a != nil {
		u := usageOf([]serve.Answer{*a})
		status, usage = "completed", map[string]any{
			"input_tokens": u["prompt_tokens"], "input_tokens_details": u["prompt_tokens_details"],
			"output_tokens": u["completion_tokens"], "output_tokens_details": u["completion_tokens_details"], "total_tokens": u["total_tokens"],
		}
		if a.Cut {
			status, incomplete = "incomplete", map[string]any{"reason": "max_output_tokens"}
		}
	}
	return map[string]any{
		"id": t.id, "object": "response", "created_at": t.created, "status": status, "incomplete_details": incomplete, "error": nil,
		"model": t.model.ID, "output": output, "instructions": nil, "metadata": map[string]string{}, "parallel_tool_calls": false,
		"temperature": t.Temperature, "top_p": t.TopP, "tool_choice": "auto", "tools": []any{}, "store": false, "previous_response_id": nil,
		"usage": usage,
	}
}
