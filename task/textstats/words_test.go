package textstats

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		text              string
		words, characters int
		vocabulary        []string
	}{
		{"", 0, 0, nil},
		{"  one\ttwo\n", 2, 10, []string{"one", "two"}},
		{"One-two one_two, ONE!", 3, 21, []string{"one", "one_two", "two"}},
		{"naïve 日本語 x²", 3, 12, []string{"naïve", "x²", "日本語"}},
		{"non\u00a0breaking\x1fspace", 3, 18, []string{"breaking", "non", "space"}},
	} {
		if got := Count(c.text); got != c.words {
			t.Errorf("%q: %d words, want %d", c.text, got, c.words)
		}
		if got := Characters(c.text); got != c.characters {
			t.Errorf("%q: %d characters, want %d", c.text, got, c.characters)
		}
		var got []string
		for w := range Vocabulary(c.text) {
			got = append(got, w)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.vocabulary) {
			t.Errorf("%q: vocabulary %q, want %q", c.text, got, c.vocabulary)
		}
	}
}

func TestJaccard(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"", "", 1},
		{"the of and", "is was", 1}, // stop-words only
		{"cat", "", 0},
		{"the cat sat", "a cat ran", 1.0 / 3},
		{"Cat cat", "CAT", 1},
	} {
		if got := Jaccard(Content(c.a), Content(c.b)); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%q, %q: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestStopWords(t *testing.T) {
	if n := len(stopWords); n < 90 || n > 140 {
		t.Errorf("%d stop-words, want about 100", n)
	}
	for w := range stopWords {
		if c, ok := CategoryOf(w); ok {
			t.Errorf("stop-word %s is a marker of %s", w, c)
		}
	}
}

func TestMarkerLists(t *testing.T) {
	if len(markerLists) != 12 {
		t.Errorf("%d categories, want 12", len(markerLists))
	}
	seen := map[string]Category{}
	for category, list := range markerLists {
		entries := strings.Split(list, " / ")
		if len(entries) < 8 || len(entries) > 25 {
			t.Errorf("%s has %d markers, want 8 to 25", category, len(entries))
		}
		for _, m := range entries {
			if other, twice := seen[m]; twice {
				t.Errorf("%q is in %s and %s", m, category, other)
			}
			seen[m] = category
			if m != strings.ToLower(strings.TrimSpace(m)) || m == "" {
				t.Errorf("marker %q is not plain lower case", m)
			}
		}
	}
}

// The anchors that the specification names.
func TestMarkerAnchors(t *testing.T) {
	anchors := map[Category][]string{
		Elaboration: {"furthermore", "moreover"}, Examples: {"for example", "for instance"},
		Explanation: {"in other words", "that is to say"}, CauseEffect: {"therefore", "consequently"},
		Contrast: {"on the other hand", "conversely"}, Sequence: {"secondly"}, Emphasis: {"certainly", "undoubtedly"},
		Summary: {"overall"}, Comparison: {"equally"}, Concession: {"despite"}, Condition: {"unless", "provided that"},
		Time: {"during", "until"},
	}
	if len(anchors) != 12 {
		t.Fatalf("%d categories", len(anchors))
	}
	for category, markers := range anchors {
		for _, m := range markers {
			if got, _ := CategoryOf(m); got != category {
				t.Errorf("%q is of category %q, want %s", m, got, category)
			}
		}
	}
}

func TestCategories(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Category
	}{
		{"none", "The person was different.", nil},
		{"inside words", "thusly untilled overalls", nil},
		{"case and punctuation", "However, UNLESS-or (until)", []Category{Condition, Contrast, Time}},
		{"longest first", "Even though it rained", []Category{Concession}},
		{"longest first, one marker", "equally relevant", []Category{Elaboration}},
		{"words of a marker apart", "for an example, in many words", nil},
		{"punctuation inside a marker", "for. example", nil},
		{"line break inside a marker", "for\n example", []Category{Examples}},
		{"end of the text", "it works only if", []Category{Condition}},
		{"cut off at the end", "in other", nil},
		{"twice", "thus and therefore", []Category{CauseEffect}},
	} {
		if got := Categories(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := SubstringCategories("untilled", "OVERALLS"); !slices.Equal(got, []Category{Summary, Time}) {
		t.Errorf("substrings: %v", got)
	}
}

func TestTransition(t *testing.T) {
	for n, want := range map[int]float64{0: 0, 1: 0.4, 2: 0.45, 12: 0.95, 13: 1, 20: 1} {
		if got := Transition(n); math.Abs(got-want) > 1e-12 {
			t.Errorf("τ(%d) = %v, want %v", n, got, want)
		}
	}
}

func TestBand(t *testing.T) {
	b := Band{From: 1, Low: 2, High: 4, To: 8, Pay: 3}
	for _, c := range []struct {
		x, pay float64
		ok     bool
	}{
		{0.99, 0, false},
		{1, 0, true},
		{1.5, 1.5, true},
		{2, 3, true},
		{4, 3, true},
		{6, 1.5, true},
		{8, 0, true},
		{8.01, 0, false},
		{math.NaN(), 0, false},
	} {
		if pay, ok := b.pay(c.x); math.Abs(pay-c.pay) > 1e-12 || ok != c.ok {
			t.Errorf("%v earns %v (%v), want %v (%v)", c.x, pay, ok, c.pay, c.ok)
		}
	}
}
