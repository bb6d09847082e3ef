package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// events calls each with the data of every event of a stream, in order. Lines end with LF, CR, or both; comments and other fields have no data.
func events(stream []byte, each func(data []byte) error) error {
	text := bytes.ReplaceAll(bytes.TrimPrefix(stream, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	var data [][]byte
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) == 0 {
			if data != nil {
				if err := each(bytes.Join(data, []byte("\n"))); err != nil {
					return err
				}
			}
			data = nil
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(name) == "data" {
			data = append(data, bytes.TrimPrefix(value, []byte(" ")))
		}
	}
	return nil // what no empty line ends was cut off
}

// piece is the part of an event of a chat that is read.
type piece struct {
	Choices []struct {
		Index int `json:"index"`
		Delta struct {
			Content *string `json:"content"`
		} `json:"delta"`
		Logprobs *chatLogprobs `json:"logprobs"`
		Finish   *string       `json:"finish_reason"`
	} `json:"choices"`
	Usage json.RawMessage `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// assemble makes of the events of a chat the reply that would have come at once. A stream proves by its reason to end that it is whole: whether [DONE]
// follows says nothing.
func assemble(stream []byte) ([]byte, error) {
	var text strings.Builder
	var choice chatChoice
	var out chatBody
	began := false
	err := events(stream, func(data []byte) error {
		if string(data) == "[DONE]" {
			return nil
		}
		var p piece
		if err := json.Unmarshal(data, &p); err != nil {
			return fmt.Errorf("the event %.80q is no piece of a chat completion: %w", data, err)
		}
		if isSet(p.Error) {
			return fmt.Errorf("the server ends its stream: %.500s", p.Error)
		}
		if isSet(p.Usage) {
			out.Usage = p.Usage
		}
		for _, c := range p.Choices {
			if c.Index != 0 {
				continue // nobody asked for it
			}
			began = true
			if c.Delta.Content != nil {
				text.WriteString(*c.Delta.Content)
			}
			if c.Logprobs != nil {
				if choice.Logprobs == nil {
					choice.Logprobs = &chatLogprobs{}
				}
				choice.Logprobs.Content = append(choice.Logprobs.Content, c.Logprobs.Content...)
			}
			if c.Finish != nil {
				choice.Finish = c.Finish
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case !began:
		return nil, errors.New("the reply is no stream of a chat completion")
	case choice.Finish == nil:
		return nil, errors.New("the stream was cut: it ends without a finish_reason")
	}
	whole := text.String()
	choice.Message.Content = &whole
	out.Choices = []chatChoice{choice}
	return json.Marshal(out)
}

func isSet(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }
