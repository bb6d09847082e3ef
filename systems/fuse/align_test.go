package fuse_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/systems/fuse"
)

// pieces draws tokens over a small alphabet, some of them with a mark.
func pieces(t *rapid.T, what, mark string, least int) []string {
	token := rapid.Custom(func(t *rapid.T) string {
		text := rapid.StringMatching(`[abé]{1,3}`).Draw(t, "text")
		if rapid.Bool().Draw(t, "mark") {
			return mark + text
		}
		return text
	})
	return rapid.SliceOfN(token, least, 7).Draw(t, what)
}

// steps is the edit distance by its definition.
func steps(a, b []rune) int {
	switch {
	case len(a) == 0:
		return len(b)
	case len(b) == 0:
		return len(a)
	case a[0] == b[0]:
		return steps(a[1:], b[1:])
	}
	return 1 + min(steps(a[1:], b[1:]), steps(a[1:], b), steps(a, b[1:]))
}

func lev(a, b string) int { return steps([]rune(a), []rune(b)) }

// TestNearestToken: equal texts first, else the first of the student tokens with the smallest distance, as a search through all of them finds it.
func TestNearestToken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		student, teacher := pieces(t, "student", "▁", 1), pieces(t, "teacher", "Ġ", 1)
		s, x := fuse.Tokenizer{Tokens: student, Mark: "▁"}, fuse.Tokenizer{Tokens: teacher, Mark: "Ġ"}
		mined, exact := fuse.NewVocabulary(s, x, fuse.Mined), fuse.NewVocabulary(s, x, fuse.Exact).Map()
		for i, got := range mined.Map() {
			text := strings.ReplaceAll(teacher[i], "Ġ", "▁")
			best := 0
			for id, other := range student {
				if lev(text, other) < lev(text, student[best]) {
					best = id
				}
			}
			if got != best || exact[i] != best && exact[i] != fuse.None || (exact[i] == best) != (student[best] == text) {
				t.Fatalf("%s becomes %d and %d of %v, want %d", text, got, exact[i], student, best)
			}
		}
	})
}

// cheapest is the cost of the best way to the pair i, j, by its definition.
func cheapest(teacher, student []string, i, j int) int {
	here := lev(strings.ReplaceAll(teacher[i], "Ġ", ""), strings.ReplaceAll(student[j], "▁", ""))
	switch {
	case i == 0 && j == 0:
		return here
	case i == 0:
		return here + cheapest(teacher, student, 0, j-1)
	case j == 0:
		return here + cheapest(teacher, student, i-1, 0)
	}
	return here + min(cheapest(teacher, student, i-1, j-1), cheapest(teacher, student, i-1, j), cheapest(teacher, student, i, j-1))
}

// TestWarp: a path is one of the cheapest, it goes on by one on either side or on both, and every position has a match.
func TestWarp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		student, teacher := pieces(t, "student", "▁", 1), pieces(t, "teacher", "Ġ", 1)
		p, err := fuse.Warp(student, teacher, "▁", "Ġ")
		if err != nil || p.Cost != cheapest(teacher, student, len(teacher)-1, len(student)-1) {
			t.Fatalf("%+v, %v", p, err)
		}
		at := fuse.Step{}
		for k, s := range p.Steps {
			if i, j := s.Teacher-at.Teacher, s.Student-at.Student; k > 0 && (i|j != 1 || i < 0 || j < 0) || k == 0 && s != at {
				t.Fatalf("%+v", p)
			}
			at = s
		}
		if at.Teacher != len(teacher)-1 || at.Student != len(student)-1 {
			t.Fatalf("%+v ends early", p)
		}
		for j, m := range p.Matches(len(student)) {
			if len(m) == 0 {
				t.Fatalf("nothing matches position %d", j)
			}
		}
	})
	if _, err := fuse.Warp(nil, []string{"a"}, "", ""); err == nil {
		t.Error("no error for a text without tokens")
	}
}

// TestSameTokenizer: with one tokenizer on both sides alignment is the identity, and every row is the teacher's own.
func TestSameTokenizer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfNDistinct(rapid.StringMatching(`▁?[ab]{1,3}`), 2, 8, rapid.ID[string]).Draw(t, "tokens")
		tok := fuse.Tokenizer{Tokens: tokens, Mark: "▁"}
		v := fuse.NewVocabulary(tok, tok, rapid.SampledFrom([]fuse.Mode{fuse.Mined, fuse.Exact}).Draw(t, "mode"))
		for i, id := range v.Map() {
			if i != id {
				t.Fatalf("%d becomes %d", i, id)
			}
		}
		id := rapid.IntRange(0, len(tokens)-1)
		text := fuse.Text{Student: rapid.SliceOfN(id, 1, 8).Draw(t, "text")}
		text.Teacher = text.Student
		for range text.Student {
			logits := rapid.SliceOfN(rapid.Float64Range(-3, 3), len(tokens), len(tokens)).Draw(t, "logits")
			text.TeacherTop = append(text.TeacherTop, fuse.Top(logits, 2))
			text.StartTop = append(text.StartTop, fuse.Top(logits, 1))
		}
		rows, err := fuse.Aligner{Vocabulary: v, Temperature: 1}.Rows(text)
		if err != nil {
			t.Fatal(err)
		}
		for s, r := range rows[:len(rows)-1] {
			top := text.TeacherTop[s]
			if r.From != fuse.FromTeacher || fmt.Sprint(r.IDs, r.Probs) != fmt.Sprint(top.IDs, top.Probabilities(1)) {
				t.Fatalf("row %d: %+v", s, r)
			}
		}
		if last := rows[len(rows)-1]; last.From != fuse.FromNone || len(last.IDs) > 0 {
			t.Fatalf("%+v", last)
		}
	})
}

// TestRowsOfOtherTokenizers: rows sum to 1, and where positions do not match all of it is on the next token of the text.
func TestRowsOfOtherTokenizers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		student, teacher := fuse.Tokenizer{Tokens: pieces(t, "student", "▁", 2), Mark: "▁"}, fuse.Tokenizer{Tokens: pieces(t, "teacher", "Ġ", 2), Mark: "Ġ"}
		ids := func(n int) []int { return rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 6).Draw(t, "text") }
		text := fuse.Text{Student: ids(len(student.Tokens)), Teacher: ids(len(teacher.Tokens))}
		for range text.Teacher {
			text.TeacherTop = append(text.TeacherTop, fuse.Logits{IDs: []int{1, 0}, Values: []float64{2, 1}})
		}
		for range text.Student {
			text.StartTop = append(text.StartTop, fuse.Logits{IDs: []int{0}, Values: []float64{0}})
		}
		rows, err := fuse.Aligner{Vocabulary: fuse.NewVocabulary(student, teacher, fuse.Exact), Temperature: 2}.Rows(text)
		if err != nil {
			t.Fatal(err)
		}
		for s, r := range rows {
			sum := 0.0
			for _, p := range r.Probs {
				sum += p
			}
			if r.From != fuse.FromNone && math.Abs(sum-1) > 1e-12 {
				t.Fatalf("row %d sums to %v", s, sum)
			}
			if r.From == fuse.FromGold && (len(r.IDs) != 1 || r.IDs[0] != text.Student[s+1]) {
				t.Fatalf("row %d of %v: %+v", s, text.Student, r)
			}
		}
		text.TeacherTop = nil
		if _, err := (fuse.Aligner{Vocabulary: fuse.NewVocabulary(student, teacher, fuse.Exact), Temperature: 1}).Rows(text); err == nil {
			t.Fatal("no error for a cache of another text")
		}
	})
}

func TestTop(t *testing.T) {
	top := fuse.Top([]float64{0, 2, 1, 2}, 3)
	if fmt.Sprint(top.IDs, top.Values) != "[1 3 2] [2 2 1]" {
		t.Errorf("%+v", top)
	}
	p := fuse.Logits{IDs: []int{4, 2}, Values: []float64{2, 1}}.Probabilities(1)
	if math.Abs(p[0]-.731059) > 1e-6 || math.Abs(p[1]-.268941) > 1e-6 {
		t.Errorf("%v", p)
	}
	if p := fuse.Top(nil, 3).Probabilities(1); len(p) != 0 {
		t.Errorf("%v", p)
	}
}
