package task

import (
	"testing"

	"pgregory.net/rapid"
)

// TestApart: whatever is trained on and held out, what stays asks nothing that is held out, in whatever form of letters, and all else stays.
func TestApart(t *testing.T) {
	forms := []string{"What is “x%”?", "what is \"x%\"", "What\u200b is  \"x%\" ?", "WHAT IS \u201cX%\u201d."}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (list []Problem, numbers []int) {
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, 9), 0, 12).Draw(t, name) {
				form := rapid.SampledFrom(forms).Draw(t, "form")
				var question []rune
				for _, c := range form {
					if c == '%' {
						c = rune('0' + n)
					}
					question = append(question, c)
				}
				list, numbers = append(list, Problem{Question: string(question)}), append(numbers, n)
			}
			return list, numbers
		}
		train, trained := draw("train")
		held, measured := draw("held")
		kept, overlap := Apart(train, held)
		want := 0
		for _, n := range trained {
			for _, m := range measured {
				if n == m {
					want++
					break
				}
			}
		}
		if overlap != want || len(kept) != len(train)-want {
			t.Fatalf("%d of %d left out, want %d", overlap, len(train), want)
		}
	})
	train, held := []Problem{{Question: "q", Fields: map[string]string{"f": "1"}}}, []Problem{{Question: "Q", Fields: map[string]string{"f": "2"}}}
	if _, overlap := Apart(train, held, "f"); overlap != 0 {
		t.Error("problems of other fields are one")
	}
	if _, overlap := Apart(train, held); overlap != 1 {
		t.Error("problems of one question are two")
	}
}
