package web

import (
	"encoding/json"
	"strings"
)

// message is what the body of an error says, whatever the form: an object error with a message (OpenAI), a message by itself (SGLang), detail
// (FastAPI), or a page for a browser (proxies). Empty: it has another form.
func message(body []byte) string {
	var r struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &r) != nil {
		return title(string(body))
	}
	var inner struct {
		Message string `json:"message"`
	}
	for _, part := range []json.RawMessage{r.Error, r.Detail} {
		var text string
		switch {
		case json.Unmarshal(part, &inner) == nil && inner.Message != "":
			return inner.Message
		case json.Unmarshal(part, &text) == nil && text != "":
			return text
		}
	}
	if r.Message == "" && len(r.Detail) > 0 {
		return string(r.Detail) // which fields FastAPI found wrong
	}
	return r.Message
}

// title is that of a page; empty: it is none, or has none.
func title(page string) string {
	lower := strings.ToLower(page)
	from, to := strings.Index(lower, "<title>"), strings.Index(lower, "</title>")
	if from < 0 || to < from || len(lower) != len(page) {
		return ""
	}
	return strings.TrimSpace(page[from+len("<title>") : to])
}
