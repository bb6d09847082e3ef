package lessons

import (
	"slices"
	"testing"

	"parley/engine"
	"parley/model"
	"parley/systems/fuse"
)

// TestJoined: the target of a joined text is the agents' own distribution: each agent's rows in its part, the separator where an agent would end, and the
// end behind the last part.
func TestJoined(t *testing.T) {
	m, err := model.Open("parley-base")
	if err != nil {
		t.Fatal(err)
	}
	encode := func(text string) []int {
		ids, err := m.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	const join = " and "
	end := m.Stop()[0]
	other := encode("7")[0]
	said := []string{"1+2", "3"}
	var reads []read
	for _, s := range said {
		r := read{ID: "p", Tokens: append(encode(s), end), Spoken: &spoken{Said: s}}
		for range r.Tokens {
			r.Top = append(r.Top, fuse.Logits{IDs: []int{end, other}, Values: []float64{-0.5, -0.9}})
		}
		reads = append(reads, r)
	}
	whole := repeat([]text{{}}, [][]read{reads}, join)[0]
	if whole.Said != "1+2 and 3" {
		t.Fatalf("%q", whole.Said)
	}
	start := read{ID: "p", Tokens: slices.Concat(encode(said[0]), encode(join), encode(said[1]), []int{end})}
	start.Top = make([]fuse.Logits, len(start.Tokens))
	for i := range start.Top {
		start.Top[i] = fuse.Logits{IDs: []int{other}, Values: []float64{0}}
	}
	l := &Lessons{student: &reader{model: m}}
	j, err := l.joint(office{}, &trained{}, join)
	if err != nil {
		t.Fatal(err)
	}
	a := fuse.Aligner{Vocabulary: fuse.NewVocabulary(tokenizer(m), tokenizer(m), fuse.Exact), Temperature: 1}
	j.aligner = func(int) aligner { return aligner{a, end, end} }
	rows, err := j.rows(start, reads)
	if err != nil || len(rows) != len(start.Tokens) {
		t.Fatalf("%d rows for %d tokens, %v", len(rows), len(start.Tokens), err)
	}
	first, sep := len(encode(said[0])), encode(join)
	for i, row := range rows {
		sum, ends := 0.0, has(row, end)
		for _, target := range row {
			sum += float64(target.Mass)
		}
		if sum < 0.999 || sum > 1.001 {
			t.Errorf("row %d has mass %v: %v", i, sum, row)
		}
		if last := i >= first+len(sep); ends != last {
			t.Errorf("row %d: ends %v, want %v: %v", i, ends, last, row)
		}
		if i <= first && !has(row, sep[0]) {
			t.Errorf("row %d does not go on with the separator: %v", i, row)
		}
		if i > first && i < first+len(sep) && (len(row) != 1 || row[0].Token != sep[i-first]) {
			t.Errorf("row %d is not the separator's: %v", i, row)
		}
	}
}

// TestMove: mass goes to where there is some already.
func TestMove(t *testing.T) {
	row := []engine.Target{{Token: 1, Mass: .25}, {Token: 2, Mass: .75}}
	move(row, 1, 2)
	move(row, 5, 2)
	if row[0].Mass != 0 || row[1].Mass != 1 {
		t.Error(row)
	}
}

func has(row []engine.Target, token int) bool {
	return slices.ContainsFunc(row, func(t engine.Target) bool { return t.Token == token && t.Mass > 0 })
}
