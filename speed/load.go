package speed

import "parley/engine/native"

// The loads of the kinds of work say what memory they take: see [Bench.Predict].

// Load is that of training.
func (w Training) Load() native.Load {
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

// GenerateLoad is that of [Bench.Generate]: the base's text is remembered from run to run.
func GenerateLoad(batches []int, prompt, tokens int, runs Runs) native.Load {
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

// Load is that of the group: the base's text is remembered from run to run.
func (w Group) Load(runs Runs) native.Load {
	text, growing := w.text()
	l := native.Load{Length: w.Prompt + w.New.To, Tokens: w.Prompt, Text: runs.all()*text + growing}
	for _, n := range w.New.Lengths(w.Samples) {
		l.Tokens += n
	}
	return l
}

// Load is that of a step, which forgets the text of the adapters that it changes.
func (w Step) Load() native.Load {
	text, growing := Group{Samples: w.Group, Prompt: w.Prompt, New: Span{w.New, w.New}}.text()
	tokens := w.Prompt + w.Group*w.New
	return native.Load{Length: w.Prompt + w.New, Tokens: tokens, Text: w.Agents * (text + growing), Kept: w.Agents * tokens, OnPolicy: true}
}

// Load is that of all numbers of adapters: the text of each is forgotten when it is trained.
func (w Adapters) Load() native.Load {
	l := w.Training.Load()
	l.Length = max(l.Length, w.Sampling.Prompt+w.Sampling.New)
	text, growing := w.Sampling.text()
	l.Text = text + growing
	return l
}

// all counts runs, those that do not count included.
func (r Runs) all() int { return r.Warmup + max(r.Count, 1) }
