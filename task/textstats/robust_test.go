package textstats

import (
	"slices"
	"strings"
	"testing"

	"parley/task"
)

// rubric is that of summarisation.
var rubric = Rubric{
	MinWords: 8, MaxWords: 256,
	Length:     Band{From: 1.1, Low: 1.6, High: 3.2, To: 5, Pay: 1},
	Vocabulary: Band{From: 1.3, Low: 2, High: 1e300, To: 1e300, Pay: 0.5},
	JaccardCap: 0.03,
}

const (
	concise  = "Layer-wise loss scales make training in mixed precision faster and safer."
	detailed = "Training in half precision usually relies on one loss scale that is tuned by hand, which a large network pays for with underflow. " +
		"The authors therefore compute a scale for every layer automatically; overall, models converge sooner without new hyperparameters."
	source = "Mixed precision training uses half precision and a loss scale against underflow. We compute a loss scale for every layer " +
		"automatically, so that no hyperparameter is tuned. Networks converge faster and training is safer."
)

func TestFlags(t *testing.T) {
	stuffing := "However therefore overall " + strings.Repeat("plain words of all kinds ", 2)
	for _, c := range []struct {
		name, first, second, source string
		want                        []string
	}{
		{"honest", concise, detailed, source, nil},
		{"nothing", "", "", source, nil},
		{"repetition", concise, strings.Repeat("again and again we say ", 8), "", []string{FlagRepetition}},
		{"eleven words may repeat", concise, strings.Repeat("same ", 11), "", nil},
		{"ungrounded", concise, "Bananas ripen quickly under tropical sunshine near harbours", source, []string{FlagUngrounded}},
		{"no source to judge by", concise, "Bananas ripen quickly under tropical sunshine near harbours", " \n", nil},
		{"stuffing in the first text", stuffing, detailed, "", []string{FlagMarkerStuffing}},
		{"copy inside a longer text", concise, "As they write: " + concise + " " + detailed, "", []string{FlagVerbatimCopy}},
		{"three words are no copy", "one two three", "one two three", "", nil},
	} {
		if got := Flags(c.first, c.second, c.source); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCancel(t *testing.T) {
	full := Score{Structure: 0.5, LengthRatio: 1, Vocabulary: 0.5, Transition: 0.4, Jaccard: 0.6}
	for flag, want := range map[string]float64{
		FlagRepetition: 1.5, FlagUngrounded: 1.5, FlagMarkerStuffing: 2.6, FlagVerbatimCopy: 2.4, FlagMissingDelimiter: 0,
	} {
		if got := full.Cancel([]string{flag}).Reward(); got != want {
			t.Errorf("%s leaves %v, want %v", flag, got, want)
		}
	}
}

// Degenerate policies must not beat an honest one under the robust scorer (MAGRPO §6.4 and §15.4).
func TestDegeneratePoliciesLose(t *testing.T) {
	honest := rubric.ScorePair(task.Robust, concise, detailed, source).Reward()
	if honest < 2.5 {
		t.Fatalf("honest summaries earn %v", honest)
	}
	copied := strings.Repeat("alpha beta gamma delta ", 3)
	for name, texts := range map[string][2]string{
		"the same words over and over":      {strings.Repeat("word ", 10), strings.Repeat("word new ", 12)},
		"texts about something else":        {"Bananas ripen quickly under tropical sunshine near harbours", "Bananas and mangos ripen quickly under hot tropical sunshine near busy harbours while certainly fishermen sing songs until midnight"},
		"all markers, nothing to say":       {concise, "furthermore for example in other words therefore conversely secondly certainly overall equally despite unless during training scale underflow precision"},
		"the concise text with an appendix": {concise, concise + " Furthermore networks converge sooner without hyperparameters tuned by hand or underflow anywhere."},
		"a repeated phrase":                 {copied, copied + copied},
	} {
		robust := rubric.ScorePair(task.Robust, texts[0], texts[1], source)
		if len(robust.Flags) == 0 && robust.StoppedAt == 0 || robust.Reward() >= honest {
			t.Errorf("%s: flags %v, reward %v, honest %v", name, robust.Flags, robust.Reward(), honest)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text, first, second string
		ok                  bool
	}{
		{"a " + Delimiter + "\n b", "a", "b", true},
		{Delimiter, "", "", true},
		{"a " + Delimiter + " b " + Delimiter + " c", "a", "b " + Delimiter + " c", true},
		{"a b", "a b", "", false},
	} {
		first, second, ok := Split(c.text)
		if first != c.first || second != c.second || ok != c.ok {
			t.Errorf("%q: %q, %q, %v", c.text, first, second, ok)
		}
	}
	if first, second := CompatSplit("ab Paragraph 2: cd"); first != "ab" || second != "cd" {
		t.Errorf("compat: %q, %q", first, second)
	}
	if first, second := CompatSplit("日本語x日本"); first != "日本" || second != "語x日本" {
		t.Errorf("third: %q, %q", first, second)
	}
	whole := rubric.ScoreSingle(task.Standard, concise+"\n"+Delimiter+"\n"+detailed, source)
	if pair := rubric.ScorePair(task.Standard, concise, detailed, source); whole.Reward() != pair.Reward() {
		t.Errorf("one response earns %v, the pair %v", whole.Reward(), pair.Reward())
	}
	if s := rubric.ScoreSingle(task.Standard, concise+detailed, source); s.Reward() != 0 || !slices.Equal(s.Flags, []string{FlagMissingDelimiter}) {
		t.Errorf("without delimiter: %+v", s)
	}
}

// Whatever the texts: markers do not overlap, parts stay in their ranges, the robust reward is never above the standard one.
func FuzzJudge(f *testing.F) {
	f.Add(concise, detailed, source)
	f.Add("even though though even", "in other words in other", "\xff\x00")
	f.Add(strings.Repeat("word ", 20), strings.Repeat("other words and even though ", 9), "İ")
	f.Fuzz(func(t *testing.T, first, second, source string) {
		toks := tokens(first)
		taken := make([]bool, len(toks))
		for _, m := range matches(first, toks) {
			for i := m.first; i < m.first+len(m.marker.words); i++ {
				if taken[i] {
					t.Fatalf("markers overlap at word %d of %q", i, first)
				}
				taken[i] = true
			}
		}
		standard, robust := rubric.ScorePair(task.Standard, first, second, source), rubric.ScorePair(task.Robust, first, second, source)
		if r := standard.Reward(); r < 0 || r > rubric.Most()+1e-9 {
			t.Fatalf("reward %v", r)
		}
		if robust.Reward() > standard.Reward() {
			t.Fatalf("robust %v, standard %v", robust.Reward(), standard.Reward())
		}
		rubric.ScoreSingle(task.Compat, first, source)
	})
}
