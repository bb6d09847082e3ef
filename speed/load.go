package speed

import (
	"parley/engine/native"
	"parley/engine/native/kernel"
	"parley/machine"
)

// holds predicts what a load takes with the policies that there are, and refuses it where the system has not that much left.
func (b *Bench) holds(l native.Load) error {
	f := b.config.Memory(b.options, b.specs, l)
	b.Predicted = int64(f.Total())
	return hold(b.options, f.Total()-f.Base-f.Rest, "the work takes %s beside the base, and %s are free: make it smaller")
}

// holdsBase refuses a base that the system has not enough memory left for. A configuration that cannot be read is for the engine to report.
func (b *Bench) holdsBase() error {
	c, err := native.ParseConfig(b.source.Config())
	if err != nil {
		return nil
	}
	base := c.Memory(b.options, nil, native.Load{Length: 1, Tokens: 1, Frozen: true}).Base
	hint := "hold it in less with --dtype bf16, int8 or nf4"
	if b.options.Format == kernel.NF4 {
		hint = "choose a smaller model"
	}
	return hold(b.options, base, "the base takes %s, and %s are free: "+hint)
}

// hold refuses what takes so many bytes, if the system has not that much left. The message has room for both amounts.
func hold(o native.Options, need float64, message string) error {
	if o.Available == nil {
		return nil
	}
	if left := o.Available(); need > left {
		return shapef(message, machine.Amount(need), machine.Amount(left))
	}
	return nil
}

// The loads of the kinds of work say what memory they take.

// load is that of training.
func (w Training) load() native.Load {
	tokens := 0
	for _, n := range w.Length.Lengths(w.Batch) {
		tokens += n
	}
	return native.Load{Length: w.Length.To, Tokens: tokens}
}

// text is how many tokens the samples leave in memory, and growing how many more they take before.
func (w Sampling) text() (text, growing int) {
	kept, more := native.CompletionRoom(w.New)
	return w.Batch * (w.Prompt + kept), w.Batch * more
}

// generateLoad is that of [Bench.Generate]: the base's text is remembered from run to run.
func generateLoad(batches []int, prompt, tokens int, runs Runs) native.Load {
	l := native.Load{Length: prompt + tokens, Frozen: true}
	most := 0
	for _, n := range batches {
		all, growing := Sampling{n, prompt, tokens}.text()
		first, _ := Sampling{n, prompt, 1}.text()
		l.Tokens, most = max(l.Tokens, n*prompt), max(most, growing)
		l.Text += runs.all() * (all + first)
	}
	l.Text += most
	return l
}

// text is how many tokens the group's samples leave in memory, and growing how many more they take before.
func (w Group) text() (text, growing int) {
	text = w.Prompt
	for _, n := range w.New.Lengths(w.Samples) {
		kept, more := native.CompletionRoom(n)
		text, growing = text+kept, growing+more
	}
	return text, growing
}

// load is that of the group: the base's text is remembered from run to run.
func (w Group) load(runs Runs) native.Load {
	text, growing := w.text()
	l := native.Load{Length: w.Prompt + w.New.To, Tokens: w.Prompt, Text: runs.all()*text + growing}
	for _, n := range w.New.Lengths(w.Samples) {
		l.Tokens += n
	}
	return l
}

// load is that of a step, which forgets the text of the adapters that it changes.
func (w Step) load() native.Load {
	text, growing := Group{Samples: w.Group, Prompt: w.Prompt, New: Span{w.New, w.New}}.text()
	tokens := w.Prompt + w.Group*w.New
	return native.Load{Length: w.Prompt + w.New, Tokens: w.Agents * tokens, Text: w.Agents * (text + growing), Kept: w.Agents * tokens, OnPolicy: true}
}

// load is that of all numbers of adapters: the text of each is forgotten when it is trained.
func (w Adapters) load() native.Load {
	l := w.Training.load()
	l.Length = max(l.Length, w.Sampling.Prompt+w.Sampling.New)
	text, growing := w.Sampling.text()
	l.Text = text + growing
	return l
}

// all counts runs, those that do not count included.
func (r Runs) all() int { return r.Warmup + max(r.Count, 1) }
