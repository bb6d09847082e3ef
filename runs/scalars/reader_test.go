package scalars

import (
	"math"
	"slices"
	"strings"
	"testing"

	"parley/runs/store"
)

// slowly is a line as Of and UpdateOf read it: names with their values, sorted.
func slowly(line []byte) (update int, list []Scalar, ok bool) {
	list, err := Of(line)
	if update, ok = store.UpdateOf(line); !ok || err != nil {
		return 0, nil, false
	}
	return update, byName(list), true
}

func byName(list []Scalar) []Scalar {
	slices.SortStableFunc(list, func(a, b Scalar) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// checkReader reads lines with one reader, and each by itself.
func checkReader(t *testing.T, lines ...string) *Reader {
	t.Helper()
	r := &Reader{}
	for _, line := range lines {
		update, list, wants := slowly([]byte(line))
		got, ok := r.Read([]byte(line))
		if ok != wants || got != update {
			t.Fatalf("%s: update %d, %t, expected %d, %t", line, got, ok, update, wants)
		}
		if !ok {
			continue
		}
		var found []Scalar
		for _, p := range r.Line() {
			found = append(found, Scalar{r.Names[p.Column], p.Value})
		}
		if found = byName(found); !slices.Equal(found, list) {
			t.Fatalf("%s: %v, expected %v", line, found, list)
		}
	}
	return r
}

// TestReaderReadsAsOf: whatever a line is like, and whatever came before it, a reader finds the numbers that Of finds.
func TestReaderReadsAsOf(t *testing.T) {
	for name, lines := range map[string][]string{
		"one form":          {`{"update":1,"a":[1,2],"b":{"c":0.5}}`, `{"update":2,"a":[-1e-7,2E+3],"b":{"c":-0}}`, `{"update":3,"a":[1,2,3],"b":{"c":1}}`},
		"a number is none":  {`{"update":1,"a":1}`, `{"update":2,"a":01}`, `{"update":2,"a":1.}`, `{"update":2,"a":1e}`, `{"update":2,"a":+1}`, `{"update":2,"a":}`, `{"update":2,"a":1e999}`},
		"an update is none": {`{"update":1,"a":1}`, `{"update":1.0,"a":1}`, `{"update":1e0,"a":1}`, `{"update":99999999999999999999,"a":1}`, `{"update":-3,"a":1}`},
		"a name twice":      {`{"update":1,"a":1,"a":1}`, `{"update":2,"a":2,"a":3}`, `{"update":3,"a":{"b":1},"a":{"c":1}}`, `{"update":3,"a":{"b":1},"a":{"b":1}}`},
		"two updates":       {`{"update":1,"Update":1}`, `{"update":2,"Update":3}`, `{"update":1,"update":1}`, `{"update":1,"update":2}`, `{"update":1,"\u0055pdate":1}`},
		"one path twice":    {`{"update":1,"a/b":1,"a":{"b":2}}`, `{"update":1,"a":{"b":2},"a/b":1}`},
		"texts":             {`{"update":1,"a":"x 1","b":[true,null,{},[]],"c":2}`, `{"update":1,"a":"x 2","b":[true,null,{},[]],"c":3}`, `{"update":1,"a":3,"b":[true,null,{},[]],"c":4}`},
		"cut":               {`{"update":1,"a":1}`, `{"update":2,"a":1`, `{"update":2,"a":`, `{"update":2`, ``, `{"update":2,"a":1}x`, `[1]`, `1`},
		"inner update":      {`{"a":{"update":7},"update":1}`, `{"a":{"update":8},"update":2}`, `{"a":{"update":8}}`},
	} {
		t.Run(name, func(t *testing.T) { checkReader(t, lines...) })
	}
}

// TestReaderReadsOneFormOnce: lines that differ in their numbers alone are of one form; a hostile file has no more of them and of names than are kept.
func TestReaderReadsOneFormOnce(t *testing.T) {
	if r := checkReader(t, `{"update":1,"a":[1,2]}`, `{"update":2,"a":[3.5,-4e9]}`, `{"update":30,"a":[0,0]}`); len(r.forms) != 1 {
		t.Errorf("%d forms, expected 1", len(r.forms))
	}
	r := &Reader{}
	for i := range 3000 {
		if _, ok := r.Read([]byte(`{"update":1,"` + strings.Repeat("a", i) + `":1}`)); !ok {
			t.Fatal("a line is not read")
		}
	}
	if len(r.forms) > mostForms || len(r.Names) > mostNames {
		t.Errorf("%d forms of %d names", len(r.forms), len(r.Names))
	}
}

func FuzzReader(f *testing.F) {
	f.Add(`{"update":1,"a":[1,2],"b":{"c":0.5}}`, `{"update":2,"a":[3,4],"b":{"c":1e5}}`)
	f.Add(`{"update":1,"a":"x","\u0061":1}`, `{"Update":1,"a":1,"a":2}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, line := range []string{a, b} {
			if _, list, ok := slowly([]byte(line)); ok && (len(list) > mostNames || slices.ContainsFunc(list, func(s Scalar) bool { return math.IsNaN(s.Value) })) {
				return
			}
		}
		checkReader(t, a, b, a)
	})
}
