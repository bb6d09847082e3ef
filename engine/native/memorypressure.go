package native

import (
	"fmt"
	"math"
	"slices"

	"parley/engine"
)

// usableShare is the share of what the system has left that an engine takes: estimates err by up to a tenth, and others want some too.
const usableShare = 0.9

// assumedShare is the share of what is left that an engine takes without asking again: asking takes half a millisecond.
const assumedShare = 1.0 / 16

// A memoryMonitor is what an engine knows of the memory that the system has left for it. While that suffices, nothing follows from it: what is
// computed depends on the options alone.
type memoryMonitor struct {
	available    func() float64 // bytes; nil: nobody knows
	passBytes    float64        // bytes that the buffers of a pass may have before it is asked again
	cachedTokens int            // tokens that may have keys and values before it is asked again
	budget       float64        // bytes that the activations of a pass may take in this call
	notes        []string       // to be told
	noted        map[string]bool
}

// remaining is how many bytes the system has for the engine, beside what the rest of the program may come to take: less than none where the engine
// has more than its part.
func (s *memoryMonitor) remaining() float64 {
	if s.available == nil {
		return math.Inf(1)
	}
	return usableShare*s.available() - restBytes
}

// note notes what follows from a shortage, once for each consequence.
func (s *memoryMonitor) note(consequence string, left float64) {
	if s.noted[consequence] {
		return
	}
	if s.noted == nil {
		s.noted = map[string]bool{}
	}
	s.noted[consequence] = true
	s.notes = append(s.notes, fmt.Sprintf("memory is short, with %.0f MiB left for the engine: %s", max(0, left)/(1<<20), consequence))
}

// Notes implements [engine.Noter]: what the engine did in another way than its options ask for, because memory was short.
func (e *Engine) Notes() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	notes := e.memory.notes
	e.memory.notes = nil
	return notes
}

// fitBatches cuts data into batches, as the options have it where the system has memory for that. Otherwise policies go through by themselves, or
// passes of training compute activations again, which changes no number; where that does not suffice, cached prefixes are forgotten, and at last batches are smaller. A datum that
// does not fit by itself is an error.
func (e *Engine) fitBatches(data []engine.Datum, train bool) ([]*batch, error) {
	s, limit := &e.memory, e.options.BatchTokens
	s.budget = e.options.passMemory()
	cut := func(room float64) ([]*batch, error) {
		if !train {
			room = math.Inf(1)
		}
		return e.batches(data, limit, room)
	}
	batches, err := cut(s.budget)
	if err != nil {
		return nil, err
	}
	want, least := e.passBytes(batches, train)
	has := floatBytes * float64(e.arena.peak)
	if s.available == nil || want <= max(s.passBytes, has/usableShare) {
		return batches, nil
	}
	left := e.makeRoomFor(want-has, least-has)
	room := has + left
	s.passBytes = has + assumedShare*left
	if want <= room {
		return batches, nil
	}
	if batches, err = cut(min(s.budget, room)); err != nil { // policies by themselves: no number changes
		return nil, err
	}
	if want, least = e.passBytes(batches, train); want <= room {
		return batches, nil
	}
	s.budget = min(s.budget, room-e.logitBytes(batches, train))
	for ; least > room; _, least = e.passBytes(batches, train) {
		if limit == 1 {
			return nil, fmt.Errorf("one of its sequences needs %.0f MiB of memory by itself, and %.0f are left", least/(1<<20), max(0, room)/(1<<20))
		}
		limit /= 2
		if batches, err = cut(s.budget); err != nil {
			return nil, err
		}
	}
	if limit < e.options.BatchTokens {
		s.note("data go through in smaller passes; last digits of gradients may differ", left)
	} else {
		s.note("training computes activations again, which takes longer and changes no number", left)
	}
	return batches, nil
}

// makeRoomFor returns what the system has left for a pass that wants so many more bytes, and needs at least some of them. For what it
// wants, activations cached for a step that was taken go, and free pages; for what it needs, cached prefixes go too.
func (e *Engine) makeRoomFor(want, least float64) float64 {
	left := e.memory.remaining()
	tokens := func(bytes float64) int { return int(math.Ceil(max(0, bytes) / e.keyValueBytes(1))) }
	if e.activations.stale && left < want {
		e.activations.close()
		left = e.memory.remaining()
	}
	t := &e.prefixCache
	if idle := min(t.pages.freeTokens, tokens(want-left)); idle > 0 {
		t.pages.drop(t.pages.tokens - idle)
		left = e.memory.remaining()
	}
	if more := tokens(least - left); more > 0 && t.pages.tokens > 0 {
		t.evict(max(0, t.pages.tokens-more))
		left = e.memory.remaining()
	}
	return left
}

// passBytes estimates what the largest pass of some batches takes: as the budget has it, and at least.
func (e *Engine) passBytes(batches []*batch, train bool) (want, least float64) {
	for _, b := range batches {
		size := e.shape.sizing(b.ranks())
		w, l := size.frozenFloats(b.forest.tokens), size.frozenFloats(b.forest.tokens)
		if train {
			w, l = size.passFloats(b.forest.tokens), size.minFloats(b.forest.tokens)
			w = min(w, max(l, e.memory.budget/floatBytes))
		}
		logits := e.savedLogitsOf(b, train)
		want, least = max(want, floatBytes*(w+logits)), max(least, floatBytes*(l+logits))
	}
	return want, least
}

// savedLogitsOf is how many logits a batch keeps for its backward pass.
func (e *Engine) savedLogitsOf(b *batch, train bool) float64 {
	if e.trainsAll(b) || train && b.truncates(e.shape.Vocab) {
		return e.shape.savedLogits(b.forest.tokens)
	}
	return 0
}

// logitBytes is the most that the logits of one of the batches take beside its activations.
func (e *Engine) logitBytes(batches []*batch, train bool) float64 {
	most := 0.0
	for _, b := range batches {
		most = max(most, e.savedLogitsOf(b, train))
	}
	return floatBytes * most
}

// trainsAll reports whether a policy of all parameters is among the batch's.
func (e *Engine) trainsAll(b *batch) bool {
	return slices.ContainsFunc(b.policies, func(p *policy) bool { return p.net != e.base })
}

// prefixCacheRoom is how many tokens may have keys and values at a time while requests are served: fewer than otherwise where memory is short. Then
// fewer requests are in flight, and fewer prefixes are cached.
func (e *Engine) prefixCacheRoom(requests []*request) int {
	s, limit, has := &e.memory, e.cacheTokens(), e.prefixCache.pages.tokens
	if s.available == nil {
		return limit
	}
	want := min(limit, has+e.mostNewTokens(requests)+len(requests)*(pageStep+pageTokens))
	if want <= s.cachedTokens {
		return limit
	}
	left := s.remaining()
	room := has + int(min(left/e.keyValueBytes(1), float64(limit)))
	s.cachedTokens = has + int(assumedShare*float64(room-has))
	if room >= want {
		return limit
	}
	s.note("fewer samples are computed at a time, or less text is remembered, which takes longer and changes no number", left)
	return room
}

// keyValueBytes is what the keys and values of so many tokens take.
func (e *Engine) keyValueBytes(tokens int) float64 {
	return keyBytes(e.options.Format) * float64(e.shape.pageFloats(tokens))
}

// activationCacheRoom is how many bytes sampling may keep of so many more tokens, beside what it has kept: where it would take more from the system, at
// most half of what that has left beside their keys and values.
func (e *Engine) activationCacheRoom(want float64, tokens int) float64 {
	k := &e.activations
	room := float64(e.options.reuseMemory()) - floatBytes*float64(k.used)
	if held := floatBytes * float64(k.arena.peak-k.used); want > held && e.memory.available != nil {
		room = min(room, held+(e.memory.remaining()-e.keyValueBytes(tokens))/2)
	}
	return room
}
