package chatsession

import (
	"strings"
	"sync"

	"parley/engine"
	"parley/model"
)

// reader returns what turns tokens into text that is certain, and what is left at the end. With stop texts, it ends the request at one, and
// holds back what may be the beginning of one. If tell is given and the engine knows the log-probability of a token, tell is called before
// the token's text is returned.
func (v Speaker) reader(stops *model.Stops, r *engine.SampleRequest, tell func(id int, logprob float32)) (push func(token int) string, rest func() string) {
	if stops == nil && tell == nil {
		stream := v.Model.Tokenizer.Stream()
		return stream.Push, stream.Flush
	}
	l := &listener{tell: tell}
	if r.Watch = l; stops == nil {
		stream := v.Model.Tokenizer.Stream()
		return func(token int) string { l.heard(token); return stream.Push(token) }, stream.Flush
	}
	l.watch = stops.Watch(r.MinTokens)
	return l.heard, l.rest
}

// A listener gets each token twice: first from the engine, which goes on drawing, then from the reader of the answer. What it notes for
// the first call it hands out with the second.
type listener struct {
	watch *model.Watch // nil: no text ends the answer
	tell  func(id int, logprob float32)

	mu       sync.Mutex
	texts    []string // that became certain with each token
	logprobs []float32
}

// Weigh implements [engine.Weigher].
func (l *listener) Weigh(logprob float32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.logprobs = append(l.logprobs, logprob)
}

// Ends implements [engine.Watcher].
func (l *listener) Ends(token int) bool {
	if l.watch == nil {
		return false
	}
	ends := l.watch.Ends(token)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.texts = append(l.texts, l.watch.Next())
	return ends
}

// heard takes the next token, and returns the text that became certain with it.
func (l *listener) heard(token int) (text string) {
	l.mu.Lock()
	var logprobs []float32
	if len(l.logprobs) > 0 {
		logprobs, l.logprobs = l.logprobs[:1], l.logprobs[1:]
	}
	if len(l.texts) > 0 {
		text, l.texts = l.texts[0], l.texts[1:]
	}
	l.mu.Unlock()
	if l.tell != nil && len(logprobs) > 0 {
		l.tell(token, logprobs[0])
	}
	return text
}

// rest is the text of a finished answer that was not handed out yet.
func (l *listener) rest() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.Join(l.texts, "") + l.watch.Rest()
	l.texts = nil
	return text
}
