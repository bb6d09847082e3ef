package measure

import (
	"encoding/json"
	"testing"

	"parley/task/answer"
)

// measured are whole measurements: of debates, of a vote over teams in which different agents speak, of joint rewards, of many answers.
var measured = []string{
	`{"system":"trained","scores":[[0,1],[1,0.5]],"tokens":[10,12],"latency":[5,6],"debates":[` +
		`{"truth":"7","answers":[[{"canonical":"7","ok":true},{}],[{"canonical":"7","ok":true},{"canonical":"8","ok":true}]],"flagged":[[false,true],[false,false]]},` +
		`{"truth":"8","answers":[[{},{}],[{},{}]]}]}`,
	`{"system":"single","scores":[[1]],"tokens":[3],"debates":[{"truth":"7","answers":[[{"canonical":"7","ok":true}]],"speakers":[[0]]}]}`,
	`{"system":"trained","scores":[[0.25,1]],"tokens":[3,4],"parts":{"a":1},"solved":[0.5,1]}`,
	`{"system":"sampled","scores":[[0.5]],"tokens":[30],"shares":[[0,1,0.5]]}`,
}

// TestCheck: what a reader relies on is checked.
func TestCheck(t *testing.T) {
	for _, text := range measured {
		if err := read(t, text).Check(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for name, text := range map[string]string{
		"nothing":               `{}`,
		"no turns":              `{"tokens":[1]}`,
		"a problem too few":     `{"scores":[[1]],"tokens":[1,2]}`,
		"no share":              `{"scores":[[1.5]],"tokens":[1]}`,
		"latency of others":     `{"scores":[[1]],"tokens":[1],"latency":[1,2]}`,
		"debates of fewer":      `{"scores":[[1],[1]],"tokens":[1],"debates":[{"answers":[[{}]]}]}`,
		"nobody speaks":         `{"scores":[[1]],"tokens":[1],"debates":[{"answers":[[]]}]}`,
		"somebody leaves":       `{"scores":[[1],[1]],"tokens":[1],"debates":[{"answers":[[{},{}],[{}]]}]}`,
		"flags of others":       `{"scores":[[1]],"tokens":[1],"debates":[{"answers":[[{}]],"flagged":[[true,false]]}]}`,
		"shares of other sizes": `{"scores":[[1,1]],"tokens":[1,1],"shares":[[1],[1,0]]}`,
	} {
		if read(t, text).Check() == nil {
			t.Errorf("%s: %s is taken", name, text)
		}
	}
}

func read(t *testing.T, text string) *Measurement {
	t.Helper()
	m := new(Measurement)
	if err := json.Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
	return m
}

// FuzzCheck: a measurement that passes can be reported.
func FuzzCheck(f *testing.F) {
	for _, text := range measured {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := new(Measurement)
		if json.Unmarshal(data, m) != nil || m.Check() != nil {
			return
		}
		m.Score()
		for _, invalid := range []answer.Invalid{answer.InvalidVotes, answer.InvalidAbstains} {
			_, _ = Row(m, invalid, 1) // which says what does not add up
		}
		if len(m.Shares) > 0 {
			PassAt(m, []int{1, len(m.Shares[0])}, 1)
			AccuracyAt(m, []int{1, len(m.Shares[0])}, 1)
		}
	})
}
