package store

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
)

// books are those of a run of so many updates.
func books(t testing.TB, updates int) (Books, Claim) {
	b := Books{Episodes: func(update int) (string, error) { return fmt.Sprintf("sum %d", update), nil }}
	for u := 1; u <= updates; u++ {
		b.Metrics = fmt.Appendf(b.Metrics, "{\"update\":%d,\"reward\":%d}\n", u, u*u)
	}
	sums, err := b.Sum(1, updates)
	if err != nil {
		t.Fatal(err)
	}
	if b.Sums, err = WriteSums(sums); err != nil {
		t.Fatal(err)
	}
	return b, last(sums)
}

func examine(t testing.TB, b Books, c Claim) *Audit {
	t.Helper()
	a, err := Examine(b, c, c.Update)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestExamine: what is lost is named; what only lies elsewhere, or can be made again, is mended.
func TestExamine(t *testing.T) {
	good, claim := books(t, 5)
	lines := func(change func(l []string) []string) []byte {
		return []byte(strings.Join(change(strings.SplitAfter(strings.TrimSuffix(string(good.Metrics), ""), "\n")[:5]), ""))
	}
	for name, c := range map[string]struct {
		metrics, sums []byte
		episodes      int // that is missing
		mended, lost  string
	}{
		"nothing":                      {good.Metrics, good.Sums, 0, "[]", "[]"},
		"a torn line behind":           {append(bytes.Clone(good.Metrics), `{"upda`...), good.Sums, 0, "[]", "[]"},
		"two lines changed places":     {lines(func(l []string) []string { return []string{l[0], l[2], l[1], l[3], l[4]} }), good.Sums, 0, "[metrics.jsonl]", "[]"},
		"a line stands twice":          {lines(func(l []string) []string { return []string{l[0], l[1], l[1], l[2], l[3], l[4]} }), good.Sums, 0, "[metrics.jsonl]", "[]"},
		"a line of something else":     {lines(func(l []string) []string { return []string{l[0], "x\n", l[1], l[2], l[3], l[4]} }), good.Sums, 0, "[metrics.jsonl]", "[]"},
		"a line is missing":            {lines(func(l []string) []string { return []string{l[0], l[2], l[3], l[4]} }), good.Sums, 0, "[]", "[metrics.jsonl, update 2: its line is missing or damaged]"},
		"a digit is another":           {bytes.Replace(good.Metrics, []byte("16"), []byte("17"), 1), good.Sums, 0, "[]", "[metrics.jsonl, update 4: its line is not the one that was written]"},
		"no checksums":                 {good.Metrics, nil, 0, "[checksums.jsonl]", "[]"},
		"checksums with a wrong digit": {good.Metrics, bytes.Replace(good.Sums, []byte("a"), []byte("b"), 1), 0, "[checksums.jsonl]", "[]"},
		"checksums that are cut":       {good.Metrics, good.Sums[:300], 0, "[checksums.jsonl]", "[]"},
		"a file of episodes":           {good.Metrics, good.Sums, 3, "[]", "[episodes/000003.jsonl.zst, update 3: the file is missing]"},
	} {
		b := good
		b.Metrics, b.Sums = c.metrics, c.sums
		b.Episodes = func(update int) (string, error) {
			if update == c.episodes {
				return "", fs.ErrNotExist
			}
			return good.Episodes(update)
		}
		a := examine(t, b, claim)
		if fmt.Sprint(a.Mended) != c.mended || fmt.Sprint(a.Lost) != c.lost {
			t.Errorf("%s: mended %v, want %v; lost %v, want %v", name, a.Mended, c.mended, a.Lost, c.lost)
		}
		if len(a.Lost) == 0 && !bytes.Equal(a.Metrics, good.Metrics) {
			t.Errorf("%s: of %q it makes %q", name, c.metrics, a.Metrics)
		}
	}
	a := examine(t, Books{Metrics: lines(func(l []string) []string { return []string{l[0], "{}\n", l[2], l[3], l[4]} }), Episodes: good.Episodes}, claim)
	if len(a.Lost) < 2 {
		t.Errorf("a line and all checksums: lost %v", a.Lost)
	}
}

// TestEarlierRelease: without a chain the lines have to be there, one for each update.
func TestEarlierRelease(t *testing.T) {
	b, _ := books(t, 3)
	b.Sums = nil
	if a := examine(t, b, Claim{Update: 3}); len(a.Lost)+len(a.Mended) > 0 || !bytes.Equal(a.Metrics, b.Metrics) {
		t.Errorf("%+v", a)
	}
	b.Metrics = bytes.Replace(b.Metrics, []byte(`"update":2`), []byte(`"upd#te":2`), 1)
	if a := examine(t, b, Claim{Update: 3}); fmt.Sprint(a.Lost) != "[metrics.jsonl, update 2: its line is missing or damaged]" {
		t.Errorf("lost %v", a.Lost)
	}
}

// FuzzExamine damages both files at random: either everything is found as it was, or it is said that something is lost.
func FuzzExamine(f *testing.F) {
	good, claim := books(f, 6)
	for seed := range uint64(8) {
		f.Add(seed, good.Metrics, good.Sums)
	}
	f.Fuzz(func(t *testing.T, seed uint64, metrics, sums []byte) {
		rng := rand.New(rand.NewPCG(seed, 1))
		b := good
		b.Metrics, b.Sums = damaged(rng, metrics), damaged(rng, sums)
		a := examine(t, b, claim)
		if len(a.Lost) == 0 && !bytes.Equal(a.Metrics, good.Metrics) {
			t.Errorf("nothing is lost of %q and %q, and the lines are %q", b.Metrics, b.Sums, a.Metrics)
		}
		if len(a.Lost) == 0 && last(a.Sums) != claim {
			t.Errorf("the checksums end with %v, want %v", last(a.Sums), claim)
		}
	})
}

// damaged flips, cuts, doubles or drops something.
func damaged(rng *rand.Rand, data []byte) []byte {
	out := bytes.Clone(data)
	for range rng.IntN(3) {
		if len(out) == 0 {
			break
		}
		at := rng.IntN(len(out))
		switch rng.IntN(4) {
		case 0:
			out[at] ^= 1 << rng.IntN(8)
		case 1:
			out = out[:at]
		case 2:
			out = append(bytes.Clone(out[:at]), out[at/2:]...)
		case 3:
			out = append(bytes.Clone(out[:at/2]), out[at:]...)
		}
	}
	return out
}
