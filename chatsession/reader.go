package chatsession

import (
	"parley/engine"
	"parley/model"
)

// reader returns what turns tokens into text that is certain, and what is left at the end. With stop texts, it ends the request at one, and
// holds back what may be the beginning of one.
func (v Speaker) reader(stops *model.Stops, r *engine.SampleRequest) (push func(token int) string, rest func() string) {
	if stops == nil {
		stream := v.Model.Tokenizer.Stream()
		return stream.Push, stream.Flush
	}
	watch := stops.Watch(r.MinTokens)
	r.Watch = watch
	return func(int) string { return watch.Next() }, watch.Rest
}
