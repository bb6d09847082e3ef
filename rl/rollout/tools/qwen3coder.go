package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// qwen3Coder has each call between two tags, as tags of its own: the function, and each argument as a text.
//
//	<tool_call>
//	<function=add>
//	<parameter=a>
//	1
//	</parameter>
//	</function>
//	</tool_call>
//
// A line break behind the opening tag of an argument and one before its closing tag do not belong to it. Closing tags may be missing, and so may
// the outer tags.
type qwen3Coder struct{}

const (
	functionOpen   = "<function="
	functionClose  = "</function>"
	parameterOpen  = "<parameter="
	parameterClose = "</parameter>"
)

// Calls implements [Form].
func (qwen3Coder) Calls(text string) (calls []Call) {
	for {
		tag, function := strings.Index(text, hermesOpen), strings.Index(text, functionOpen)
		switch {
		case tag < 0 && function < 0:
			return calls
		case tag >= 0 && (function < 0 || tag < function):
			text = text[tag+len(hermesOpen):]
			if inside, _, _ := strings.Cut(text, hermesOpen); !strings.Contains(strings.Split(inside, hermesClose)[0], functionOpen) {
				calls = append(calls, Call{Written: strings.TrimSpace(strings.Split(inside, hermesClose)[0]), Err: errors.New("the call has no <function=NAME>")})
				text = text[len(strings.Split(inside, hermesClose)[0]):]
			}
		default:
			var c Call
			c, text = taggedCall(text[function:])
			calls = append(calls, c)
		}
	}
}

// taggedCall reads the call at the beginning of a text, and returns what stands behind it.
func taggedCall(text string) (Call, string) {
	end, rest := len(text), ""
	for _, mark := range []string{functionClose, hermesClose, functionOpen, hermesOpen} {
		at := strings.Index(text[len(functionOpen):], mark)
		if at < 0 || at+len(functionOpen) >= end {
			continue
		}
		end = at + len(functionOpen)
		rest = strings.TrimPrefix(text[end:], functionClose)
	}
	c := Call{Written: strings.TrimSpace(text[:end]), Texts: true}
	name, inside, closed := strings.Cut(text[len(functionOpen):end], ">")
	if c.Name = strings.TrimSpace(name); !closed || c.Name == "" {
		c.Name, c.Err = "", errors.New("the call has no name of a function: write <function=NAME>")
		return c, rest
	}
	arguments := map[string]string{}
	for {
		_, after, more := strings.Cut(inside, parameterOpen)
		if !more {
			break
		}
		key, value, closed := strings.Cut(after, ">")
		if key = strings.TrimSpace(key); !closed || key == "" {
			c.Err = errors.New("an argument has no name: write <parameter=NAME>")
			return c, rest
		}
		if _, twice := arguments[key]; twice {
			c.Err = fmt.Errorf("the argument %.80q is there twice", key)
			return c, rest
		}
		end := len(value)
		for _, mark := range []string{parameterClose, parameterOpen} {
			if at := strings.Index(value, mark); at >= 0 {
				end = min(end, at)
			}
		}
		arguments[key], inside = strings.TrimSuffix(strings.TrimPrefix(value[:end], "\n"), "\n"), value[end:]
	}
	c.Arguments, c.Err = json.Marshal(arguments)
	return c, rest
}
