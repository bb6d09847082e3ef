package loss

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func self(turn int) int { return turn }

// Whatever the sizes, every sample is trained on exactly once, minibatches are of one turn, turns ascend inside a drain and
// no minibatch is larger than asked.
func TestBufferAndMinibatches(t *testing.T) {
	type sample struct{ turn, id int }
	rapid.Check(t, func(t *rapid.T) {
		size, batch := rapid.IntRange(1, 9).Draw(t, "buffer"), rapid.IntRange(1, 5).Draw(t, "batch")
		turns := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 40).Draw(t, "turns")
		rng := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		b := Buffer[sample]{Size: size}
		var seen []int
		train := func(drained []sample) {
			last := 0
			for _, m := range Minibatches(drained, func(s sample) int { return s.turn }, batch, rng.Shuffle) {
				if len(m) == 0 || len(m) > batch || m[0].turn < last {
					t.Fatalf("minibatch %v after turn %d", m, last)
				}
				last = m[0].turn
				for _, s := range m {
					if s.turn != last {
						t.Fatalf("minibatch %v mixes turns", m)
					}
					seen = append(seen, s.id)
				}
			}
		}
		for id, turn := range turns {
			if drained := b.Add(sample{turn, id}); drained != nil {
				if len(drained) != size {
					t.Fatalf("drained %d of a buffer of %d", len(drained), size)
				}
				train(drained)
			}
		}
		train(b.Drain())
		slices.Sort(seen)
		for i, id := range seen {
			if i != id {
				t.Fatalf("trained on %v", seen)
			}
		}
		if len(seen) != len(turns) || len(b.Held) != 0 {
			t.Fatalf("%d of %d samples trained on, %d held", len(seen), len(turns), len(b.Held))
		}
	})
}

func TestMinibatchesShuffleIsSeeded(t *testing.T) {
	order := func(seed uint64) []int {
		drained := make([]int, 30)
		for i := range drained {
			drained[i] = i
		}
		return Minibatches(drained, func(int) int { return 0 }, 30, rand.New(rand.NewPCG(seed, 0)).Shuffle)[0]
	}
	if !slices.Equal(order(1), order(1)) {
		t.Error("one seed, two orders")
	}
	if slices.Equal(order(1), order(2)) {
		t.Error("two seeds, one order")
	}
	if got := Minibatches([]int{0, 0}, self, 1, nil); len(got) != 2 {
		t.Errorf("%d minibatches, want 2", len(got))
	}
}
