package servecmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"parley/internal/service/web"
)

const (
	mostLine = 1 << 20  // bytes of a line of events
	mostText = 16 << 20 // bytes of an answer
)

// A chunk is what is read of an event.
type chunk struct {
	Choices []struct {
		Index int `json:"index"`
		Delta struct {
			Content          string `json:"content"`
			Reasoning        string `json:"reasoning"`
			ReasoningContent string `json:"reasoning_content"`
		} `json:"delta"`
		Finish string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// hear reads an answer in events until its end.
func hear(body io.Reader, l listener) (Reply, error) {
	var text strings.Builder
	var reply Reply
	total, ended := 0, false
	err := each(body, func(data []byte) error {
		if string(data) == "[DONE]" {
			return nil
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return fmt.Errorf("the server's event %s is no piece of an answer: %w", web.Words(data, 80), err)
		}
		if len(c.Error) > 0 && string(c.Error) != "null" {
			words := messageOf(data)
			if words == "" {
				words = string(c.Error)
			}
			return fmt.Errorf("the server broke off: %s", web.Words([]byte(words), 300))
		}
		if c.Usage.Completion > 0 {
			reply.Tokens = c.Usage.Completion
		}
		for _, choice := range c.Choices {
			if choice.Index != 0 {
				continue // nobody asked for more than one
			}
			thought := choice.Delta.ReasoningContent
			if thought == "" { // servers that spell it in both ways mean the same
				thought = choice.Delta.Reasoning
			}
			if total += len(thought) + len(choice.Delta.Content); total > mostText {
				return fmt.Errorf("the server's answer has more than %d bytes", mostText)
			}
			if thought != "" {
				if err := l.Reason(thought); err != nil {
					return err
				}
			}
			if choice.Delta.Content != "" {
				text.WriteString(choice.Delta.Content)
				if err := l.Say(choice.Delta.Content); err != nil {
					return err
				}
			}
			if choice.Finish != "" {
				ended, reply.Cut = true, choice.Finish == "length"
			}
		}
		return nil
	})
	reply.Text = text.String()
	if err == nil && !ended {
		err = errors.New("the answer was cut off: the server did not say that it ends")
	}
	return reply, err
}

// each calls f with the data of every event. Comments and other fields than data have none. Lines end with LF, or CR LF.
func each(body io.Reader, f func(data []byte) error) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, mostLine)
	var data []byte
	has := false
	for lines.Scan() {
		line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		if len(line) == 0 {
			if has {
				if err := f(data); err != nil {
					return err
				}
			}
			data, has = data[:0], false
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(name) != "data" {
			continue
		}
		if has {
			data = append(data, '\n')
		}
		data, has = append(data, bytes.TrimPrefix(value, []byte(" "))...), true
		if len(data) > mostLine {
			return fmt.Errorf("an event of the server has more than %d bytes", mostLine)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("the answer was cut off: %w", err)
	}
	return nil // what no empty line ends was cut off
}
