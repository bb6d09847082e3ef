package rollout

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What the model read is the agent's own tokens and the inserted ones; without those it is the agent's own.
func TestSequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		own := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 12).Draw(t, "own")
		c := Completion{Tokens: own}
		for at := 1; at < len(own); at++ {
			if rapid.Bool().Draw(t, "called") {
				c.Inserted = append(c.Inserted, Inserted{At: at, Tokens: rapid.SliceOfN(rapid.IntRange(100, 109), 1, 4).Draw(t, "result")})
			}
		}
		if err := c.checkInserted(); err != nil {
			t.Fatal(err)
		}
		tokens, inserted := c.Sequence()
		var mine, read []int
		for i, token := range tokens {
			if slices.ContainsFunc(inserted, func(r [2]int) bool { return r[0] <= i && i < r[1] }) {
				read = append(read, token)
			} else {
				mine = append(mine, token)
			}
		}
		var results []int
		for _, in := range c.Inserted {
			results = append(results, in.Tokens...)
		}
		if !slices.Equal(mine, own) || !slices.Equal(read, results) {
			t.Fatalf("%v with %v is %v, inserted %v", own, c.Inserted, tokens, inserted)
		}
		if said := c.Said(own); len(c.Inserted) > 0 && !slices.Equal(said, own[c.Inserted[len(c.Inserted)-1].At:]) || len(c.Inserted) == 0 && !slices.Equal(said, own) {
			t.Fatalf("it says %v", said)
		}
		if !slices.Equal(c.Said(nil), own) {
			t.Fatalf("in one text it says %v", c.Said(nil))
		}
		if len(c.Inserted) > 0 && !slices.Equal(c.Beginning(), own[:inserted[0][0]]) {
			t.Fatalf("it begins with %v", c.Beginning())
		}
	})
}

// Insertions that do not stand between tokens of the agent are no part of an episode.
func TestCheckInserted(t *testing.T) {
	for _, in := range [][]Inserted{{{At: 0, Tokens: []int{9}}}, {{At: 3, Tokens: []int{9}}}, {{At: 1}}, {{At: 2, Tokens: []int{9}}, {At: 1, Tokens: []int{9}}}, {{At: 1, Tokens: []int{9}}, {At: 1, Tokens: []int{9}}}} {
		c := Completion{Tokens: []int{1, 2, 3}, Inserted: in}
		if c.checkInserted() == nil {
			t.Errorf("%v is accepted", in)
		}
	}
	c := Completion{Tokens: []int{1, 2}}
	if tokens, inserted := c.Sequence(); !reflect.DeepEqual(tokens, c.Tokens) || inserted != nil {
		t.Errorf("%v, %v", tokens, inserted)
	}
}
