package loss

// A Buffer collects the node samples of one agent until there are enough for a round of optimizer steps (MAGRPO §2.4).
// Samples are added in the order of their environment steps: root first, depth-first.
type Buffer[S any] struct {
	Size int // samples that fill the buffer: it is drained as soon as it holds so many
	Held []S // what waits for the next drain; exported so that a checkpoint can keep it
}

// Add appends a sample and returns the drained samples when that fills the buffer, else nil.
func (b *Buffer[S]) Add(s S) []S {
	b.Held = append(b.Held, s)
	if len(b.Held) < b.Size {
		return nil
	}
	return b.Drain()
}

// Drain empties the buffer and returns what it held; it is called once more at the end of an epoch.
func (b *Buffer[S]) Drain() []S {
	held := b.Held
	b.Held = nil
	return held
}

// Minibatches splits drained samples into the groups of one optimizer step each: by turn, ascending; mixed inside a turn
// by shuffle (nil: not at all), which is Shuffle of a seeded [math/rand/v2.Rand]; cut into minibatches of at most size samples.
func Minibatches[S any](drained []S, turn func(S) int, size int, shuffle func(n int, swap func(i, j int))) [][]S {
	var batches [][]S
	for _, group := range byTurn(drained, turn) {
		if shuffle != nil {
			shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
		}
		for len(group) > size {
			batches = append(batches, group[:size:size])
			group = group[size:]
		}
		batches = append(batches, group)
	}
	return batches
}

// byTurn groups samples by turn, turns ascending, samples of a turn in their order.
func byTurn[S any](samples []S, turn func(S) int) [][]S {
	groups := map[int][]S{}
	last := 0
	for _, s := range samples {
		groups[turn(s)] = append(groups[turn(s)], s)
		last = max(last, turn(s))
	}
	var ordered [][]S
	for t := 0; t <= last; t++ {
		if g := groups[t]; len(g) > 0 {
			ordered = append(ordered, g)
		}
	}
	return ordered
}
