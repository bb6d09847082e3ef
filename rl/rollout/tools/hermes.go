package tools

import "strings"

// hermes has each call between two tags: <tool_call>{"name": …, "arguments": {…}}</tool_call>. The last tag may be missing at the end.
type hermes struct{}

const (
	hermesOpen  = "<tool_call>"
	hermesClose = "</tool_call>"
)

// Calls implements [Form].
func (hermes) Calls(text string) (calls []Call) {
	for {
		_, rest, found := strings.Cut(text, hermesOpen)
		if !found {
			return calls
		}
		inside, after, _ := strings.Cut(rest, hermesClose)
		if i := strings.Index(inside, hermesOpen); i >= 0 { // the call before was left open
			inside, after = inside[:i], rest[i:]
		}
		calls, text = append(calls, object(inside, []byte(inside), "arguments", "parameters")), after
	}
}
