package score

import "testing"

// FuzzAnswer: whatever an expert answers, it is an edit or an error.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{"", "{}", `{"aux":"a","main":"b"}`, "}{", "{", `x {"aux":1} y`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if edit, err := parse(text); err != nil && (edit != Edit{} || len(err.Error()) > 2000) {
			t.Errorf("%+v beside %v", edit, err)
		}
	})
}
