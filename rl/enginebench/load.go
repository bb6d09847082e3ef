package bench

import (
	"slices"

	"parley/engine"
	"parley/engine/native"
	"parley/internal/sysmem"
	"parley/model/config"
)

// A load is what of a run decides how much memory it takes: in the engine, and before it as requests and data.
type load struct {
	engine.Load
	rows, tokens int // of all requests and data together
}

// dataBytes is about what requests and data take, with what comes of them.
func (l load) dataBytes() float64 {
	const row, token = 1 << 10, 32
	return row*float64(l.rows) + token*float64(l.tokens)
}

// fitsMemory predicts what a load takes with the policies that there are, and refuses it where the system has not that much left.
func (b *Bench) fitsMemory(l load) error {
	f, data := b.Engine.Footprint(l.Load, b.specs), l.dataBytes()
	b.Predicted = int64(f.Total() + data)
	return requireMemory(b.options, f.Total()-f.Base-f.Rest+data, "the work takes %s beside the base, and %s are free: make it smaller")
}

// baseFitsMemory refuses a base that the system has not enough memory left for. A configuration that cannot be read is for the engine to report.
func (b *Bench) baseFitsMemory() error {
	c, err := config.Parse(b.source.Config())
	if err != nil {
		return nil
	}
	base := native.NewPlan(c, b.options).Footprint(engine.Load{Length: 1, Tokens: 1, Frozen: true}, nil).Base
	hint := "hold it in less with --dtype bf16, int8 or nf4"
	if b.options.Format == engine.NF4 {
		hint = "choose a smaller model"
	}
	return requireMemory(b.options, base, "the base takes %s, and %s are free: "+hint)
}

// requireMemory refuses what takes so many bytes, if the system has not that much left. The message has room for both amounts.
func requireMemory(o engine.Options, need float64, message string) error {
	if o.Available == nil {
		return nil
	}
	if left := o.Available(); need > left {
		return shapef(message, sysmem.Amount(need), sysmem.Amount(left))
	}
	return nil
}

// The loads of the kinds of work say what memory they take.

// load is that of training.
func (w Training) load() load {
	tokens := 0
	for _, n := range w.Length.Lengths(w.Batch) {
		tokens += n
	}
	return load{engine.Load{Length: w.Length.To, Tokens: tokens}, w.Batch, tokens}
}

// cachedTokens is how many tokens the samples leave in memory, and growing how many more they take before.
func (w Sampling) cachedTokens() (text, growing int) {
	kept, more := native.CompletionRoom(w.New)
	return w.Batch * (w.Prompt + kept), w.Batch * more
}

// generateLoad is that of [Bench.Generate]: the base's text is remembered from run to run.
func generateLoad(batches []int, prompt, tokens int, runs Runs) load {
	l := load{Load: engine.Load{Length: prompt + tokens, Frozen: true}, rows: slices.Max(batches)}
	l.tokens = l.rows * l.Length
	most := 0
	for _, n := range batches {
		all, growing := Sampling{n, prompt, tokens}.cachedTokens()
		first, _ := Sampling{n, prompt, 1}.cachedTokens()
		l.Tokens, most = max(l.Tokens, n*prompt), max(most, growing)
		l.CachedTokens += runs.all() * (all + first)
	}
	l.CachedTokens += most
	return l
}

// cachedTokens is how many tokens the group's samples leave in memory, and growing how many more they take before.
func (w Group) cachedTokens() (text, growing int) {
	text = w.Prompt
	for _, n := range w.New.Lengths(w.Samples) {
		kept, more := native.CompletionRoom(n)
		text, growing = text+kept, growing+more
	}
	return text, growing
}

// load is that of the group: the base's text is remembered from run to run.
func (w Group) load(runs Runs) load {
	text, growing := w.cachedTokens()
	l := load{engine.Load{Length: w.Prompt + w.New.To, Tokens: w.Prompt, CachedTokens: runs.all()*text + growing}, w.Samples, w.Samples * w.Prompt}
	for _, n := range w.New.Lengths(w.Samples) {
		l.Tokens += n
		l.tokens += n
	}
	return l
}

// load is that of a step, which forgets the text of the adapters that it changes.
func (w Step) load() load {
	text, growing := Group{Samples: w.Group, Prompt: w.Prompt, New: Span{w.New, w.New}}.cachedTokens()
	tokens := w.Prompt + w.Group*w.New
	rows := w.Agents * w.Group
	return load{
		engine.Load{Length: w.Prompt + w.New, Tokens: w.Agents * tokens, CachedTokens: w.Agents * (text + growing), ReusedTokens: w.Agents * tokens, OnPolicy: true},
		rows, rows * (w.Prompt + w.New),
	}
}

// load is that of all numbers of adapters: the text of each is forgotten when it is trained.
func (w Adapters) load() load {
	l, sampled := w.Training.load(), w.Sampling.Prompt+w.Sampling.New
	l.Length = max(l.Length, sampled)
	l.rows, l.tokens = max(l.rows, w.Sampling.Batch), max(l.tokens, w.Sampling.Batch*sampled)
	text, growing := w.Sampling.cachedTokens()
	l.CachedTokens = text + growing
	return l
}

// all counts runs, those that do not count included.
func (r Runs) all() int { return r.Warmup + max(r.Count, 1) }
