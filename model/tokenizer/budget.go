package tokenizer

import (
	"fmt"
	"time"
)

// A budget is what the encoding of one text may cost. A tokenizer.json may come from a stranger, and its parts may double a text again and
// again, or search it without end. What they may write and how long they may search is bounded; texts of honest tokenizers stay far below.
type budget struct {
	text  int       // bytes of the text
	step  int       // bytes that one part may make of it
	total int       // bytes that all parts may still write
	until time.Time // when searches end; zero: none has begun
	err   error     // of the part that wanted more: the result is worthless from then on
}

// Bounds of a tokenizer and of its work.
const (
	mostParts   = 256 // normalizers, pre-tokenizers or decoders
	growth      = 64  // times that a part may make a text longer
	mostWritten = 1024
	searchTime  = 10 * time.Second // for a text of at most a MiB; longer ones have more
)

// newBudget is the budget of a text of n bytes.
func newBudget(n int) *budget {
	return &budget{text: n, step: 1<<16 + growth*n, total: 1<<20 + mostWritten*n}
}

// probe is the budget of a text that tries a normalizer out.
func probe(n int) *budget {
	return &budget{text: n, step: 1<<12 + growth*n, total: 1<<18 + mostWritten*n}
}

// fail ends the work with the error of a part.
func (b *budget) fail(part string, err error) {
	if b.err == nil {
		b.err = fmt.Errorf("%s: %w", part, err)
	}
}

// write takes n bytes that a part is about to write, or has written; false: it may not, and the work ends.
func (b *budget) write(part string, n int) bool {
	if b.total -= n; n > b.step || b.total < 0 {
		b.fail(part, fmt.Errorf("it makes more than %d bytes of a text of %d: the tokenizer lets texts grow without bound", max(0, min(n, b.step)), b.text))
	}
	return b.err == nil
}

// deadline is when searches end.
func (b *budget) deadline() time.Time {
	if b.until.IsZero() {
		b.until = time.Now().Add(searchTime * time.Duration(1+b.text>>20))
	}
	return b.until
}
