package native

import (
	"fmt"
	"math"
	"slices"

	"parley/engine"
)

// spare is the share of what the system has left that an engine takes: estimates err by up to a tenth, and others want some too.
const spare = 0.9

// sure is the share of what is left that an engine takes without asking again: asking takes half a millisecond.
const sure = 1.0 / 16

// A supply is what an engine knows of the memory that the system has left for it. While that suffices, nothing follows from it: what is
// computed depends on the options alone.
type supply struct {
	available func() float64 // bytes; nil: nobody knows
	passes    float64        // bytes that the buffers of a pass may have before it is asked again
	text      int            // tokens that may have keys and values before it is asked again
	budget    float64        // bytes that the activations of a pass may take in this call
	notes     []string       // to be told
	said      map[string]bool
}

// left is how many bytes the system has for the engine, beside what the rest of the program may come to take: less than none where the engine
// has more than its part.
func (s *supply) left() float64 {
	if s.available == nil {
		return math.Inf(1)
	}
	return spare*s.available() - restBytes
}

// say notes what follows from a shortage, once for each consequence.
func (s *supply) say(consequence string, left float64) {
	if s.said[consequence] {
		return
	}
	if s.said == nil {
		s.said = map[string]bool{}
	}
	s.said[consequence] = true
	s.notes = append(s.notes, fmt.Sprintf("memory is short, with %.0f MiB left for the engine: %s", max(0, left)/(1<<20), consequence))
}

// Notes implements [engine.Noter]: what the engine did in another way than its options ask for, because memory was short.
func (e *Engine) Notes() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	notes := e.supply.notes
	e.supply.notes = nil
	return notes
}

// fitting cuts data into batches, as the options have it where the system has memory for that. Otherwise policies go through by themselves, or
// passes of training compute activations again, which changes no number; where that does not suffice, text is forgotten, and at last batches are smaller. A datum that
// does not fit by itself is an error.
func (e *Engine) fitting(data []engine.Datum, train bool) ([]*batch, error) {
	s, limit := &e.supply, e.options.BatchTokens
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
	if s.available == nil || want <= max(s.passes, has/spare) {
		return batches, nil
	}
	left := e.leftFor(want-has, least-has)
	room := has + left
	s.passes = has + sure*left
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
		s.say("data go through in smaller passes; last digits of gradients may differ", left)
	} else {
		s.say("training computes activations again, which takes longer and changes no number", left)
	}
	return batches, nil
}

// leftFor is what the system has left for a pass that wants so many more bytes, and at least some of them: what sampling kept
// for a step that was taken goes for those, and memory of text that nobody needs; what is remembered for these alone.
func (e *Engine) leftFor(want, least float64) float64 {
	left := e.supply.left()
	tokens := func(bytes float64) int { return int(math.Ceil(max(0, bytes) / e.textBytes(1))) }
	if e.kept.over && left < want {
		e.kept.close()
		left = e.supply.left()
	}
	t := &e.text
	if idle := min(t.pages.idle, tokens(want-left)); idle > 0 {
		t.pages.drop(t.pages.tokens - idle)
		left = e.supply.left()
	}
	if more := tokens(least - left); more > 0 && t.pages.tokens > 0 {
		t.shrink(max(0, t.pages.tokens-more))
		left = e.supply.left()
	}
	return left
}

// passBytes estimates what the largest pass of some batches takes: as the budget has it, and at least.
func (e *Engine) passBytes(batches []*batch, train bool) (want, least float64) {
	for _, b := range batches {
		size := e.shape.sizing(b.ranks())
		w, l := size.frozenFloats(b.forest.tokens), size.frozenFloats(b.forest.tokens)
		if train {
			w, l = size.passFloats(b.forest.tokens), size.leastFloats(b.forest.tokens)
			w = min(w, max(l, e.supply.budget/floatBytes))
		}
		logits := e.keptLogitsOf(b, train)
		want, least = max(want, floatBytes*(w+logits)), max(least, floatBytes*(l+logits))
	}
	return want, least
}

// keptLogitsOf is how many logits a batch keeps for its way back.
func (e *Engine) keptLogitsOf(b *batch, train bool) float64 {
	if e.trainsAll(b) || train && b.cuts(e.shape.Vocab) {
		return e.shape.keptLogits(b.forest.tokens)
	}
	return 0
}

// logitBytes is the most that the logits of one of the batches take beside its activations.
func (e *Engine) logitBytes(batches []*batch, train bool) float64 {
	most := 0.0
	for _, b := range batches {
		most = max(most, e.keptLogitsOf(b, train))
	}
	return floatBytes * most
}

// trainsAll reports whether a policy of all parameters is among the batch's.
func (e *Engine) trainsAll(b *batch) bool {
	return slices.ContainsFunc(b.policies, func(p *policy) bool { return p.net != e.base })
}

// textRoom is how many tokens may have keys and values at a time while requests are served: fewer than otherwise where memory is short. Then
// fewer requests are in flight, and less is remembered.
func (e *Engine) textRoom(requests []*request) int {
	s, limit, has := &e.supply, e.cacheTokens(), e.text.pages.tokens
	if s.available == nil {
		return limit
	}
	want := min(limit, has+e.atMost(requests)+len(requests)*(pageStep+pageTokens))
	if want <= s.text {
		return limit
	}
	left := s.left()
	room := has + int(min(left/e.textBytes(1), float64(limit)))
	s.text = has + int(sure*float64(room-has))
	if room >= want {
		return limit
	}
	s.say("fewer samples are computed at a time, or less text is remembered, which takes longer and changes no number", left)
	return room
}

// textBytes is what the keys and values of so many tokens take.
func (e *Engine) textBytes(tokens int) float64 {
	return keyBytes(e.options.Format) * float64(e.shape.pageFloats(tokens))
}

// keptRoom is how many bytes sampling may keep of so many more tokens, beside what it has kept: where it would take more from the system, at
// most half of what that has left beside their keys and values.
func (e *Engine) keptRoom(want float64, tokens int) float64 {
	k := &e.kept
	room := float64(e.options.keptMemory()) - floatBytes*float64(k.used)
	if held := floatBytes * float64(k.arena.peak-k.used); want > held && e.supply.available != nil {
		room = min(room, held+(e.supply.left()-e.textBytes(tokens))/2)
	}
	return room
}
