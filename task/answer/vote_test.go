package answer

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// answers makes a team's answers; "" is unparseable.
func answers(canonical ...string) []Answer {
	all := make([]Answer, len(canonical))
	for i, c := range canonical {
		all[i] = Answer{Canonical: c, OK: c != ""}
	}
	return all
}

func TestSection13Votes(t *testing.T) {
	for _, c := range []struct {
		answers []Answer
		want    float64
	}{
		{answers("8", "8", "12"), 1},
		{answers("8", "12"), 1. / 2},
		{answers("8", "12", "15"), 1. / 3},
		{answers("12", "12", "8"), 0},
		{answers("8", "8", "9", "9"), 1. / 2},
		{answers("", "8"), 1},
		{answers("", "8", "9"), 1. / 2},
		{answers("", "", "8"), 0},
		{nil, 0},
	} {
		if got := Vote(c.answers, "8", InvalidVotes); got != c.want {
			t.Errorf("%v scores %v, want %v", c.answers, got, c.want)
		}
	}
}

func TestAbstention(t *testing.T) {
	if got := Vote(answers("", "", "8"), "8", InvalidAbstains); got != 1 {
		t.Errorf("two abstentions and a right answer score %v", got)
	}
	if got := Vote(answers("", ""), "8", InvalidAbstains); got != 0 {
		t.Errorf("nobody votes: %v", got)
	}
}

// An empty truth is not what an unparseable answer says.
func TestUnparseableIsNeverRight(t *testing.T) {
	for _, invalid := range []Invalid{InvalidVotes, InvalidAbstains} {
		if got := Vote(answers("", ""), "", invalid); got != 0 {
			t.Errorf("%s: %v", invalid, got)
		}
	}
}

// The scores of all possible truths add up to 1, unless the unparseable answer alone is on top; the order of agents does not
// matter.
func TestVoteIsADistributionOverAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		team := answers(rapid.SliceOfN(rapid.SampledFrom([]string{"", "1", "2", "3"}), 1, 7).Draw(t, "answers")...)
		invalid := rapid.SampledFrom([]Invalid{InvalidVotes, InvalidAbstains}).Draw(t, "invalid")
		shuffled := rapid.Permutation(slices.Clone(team)).Draw(t, "shuffled")
		sum := 0.0
		for _, truth := range []string{"1", "2", "3"} {
			score := Vote(team, truth, invalid)
			if other := Vote(shuffled, truth, invalid); other != score {
				t.Fatalf("%v scores %v, %v scores %v", team, score, shuffled, other)
			}
			sum += score
		}
		winners := Winners(team, invalid)
		if nobody := len(winners) == 0 || winners[0] == (Answer{}); nobody != (sum == 0) || !nobody && math.Abs(sum-1) > 1e-12 {
			t.Fatalf("%v: scores add up to %v with winners %v", team, sum, winners)
		}
	})
}

// TestPlurality: of equally frequent answers the first given wins, and what cannot be read has no vote.
func TestPlurality(t *testing.T) {
	read := func(texts ...string) (out []Answer) {
		for _, s := range texts {
			out = append(out, Answer{Canonical: s, OK: s != ""})
		}
		return out
	}
	for _, c := range []struct {
		texts []string
		want  Ballot
	}{
		{[]string{"4", "5", "4"}, Ballot{Winner: Answer{Canonical: "4", OK: true}, Votes: 2}},
		{[]string{"b", "a", "c"}, Ballot{Winner: Answer{Canonical: "b", OK: true}, Votes: 1, Tie: true}},
		{[]string{"", "", "4"}, Ballot{Winner: Answer{Canonical: "4", OK: true}, Votes: 1}},
		{[]string{"", ""}, Ballot{}},
		{nil, Ballot{}},
	} {
		if got := Plurality(read(c.texts...)); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.texts, got, c.want)
		}
	}
}
