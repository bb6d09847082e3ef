package episodes

import (
	"net/url"
	"strings"
	"testing"
)

// FuzzParseFilter: any parameters are a filter or an error, and a cursor that was given out is read back.
func FuzzParseFilter(f *testing.F) {
	for _, query := range []string{"", "from=1&to=3&agent=0&reward_min=-1e3&q=x&limit=5&cursor=3:7", "cursor=3:", "reward_max=+Inf", "agent=99999999999999999999", "moved=right-wrong&flag=any&failed=1"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		filter, err := ParseFilter(values)
		if err != nil {
			return
		}
		if filter.Limit < 1 || filter.Limit > mostLimit || filter.Agent < -1 || filter.From < 0 || filter.To < 0 {
			t.Errorf("%q is %+v", query, filter)
		}
		if c := filter.Cursor; c != nil && c.String() != values.Get("cursor") {
			t.Errorf("the cursor %q is read as %v", values.Get("cursor"), c)
		}
		_ = filter.matches(&Row{said: []said{{agent: 1, flags: []string{"x"}}}})
	})
}

// TestParseFilterRefuses: what is no filter is not left out in silence.
func TestParseFilterRefuses(t *testing.T) {
	for query, want := range map[string]string{
		"foo=1":               `"foo" is no filter, expected some of advantage_max, advantage_min, agent, `,
		"reward=1":            `"reward" is no filter`,
		"from=1&from=2":       "from is given 2 times",
		"moved=up":            "expected right-wrong or wrong-right",
		"from=2&reward_min=x": `reward_min is "x"`,
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = ParseFilter(values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", query, err, want)
		}
	}
}

// FuzzReadRow: whatever a line of a file of episodes says, it is a row or an error.
func FuzzReadRow(f *testing.F) {
	f.Add([]byte(`{"update":1,"index":0,"problem":{"id":"a","question":"q","truth":"1"},"nodes":[{"turn":0,"parent":-1,"parent_action":-1,"joint":[[0]],"agents":[{"agent":0,"completions":[{"logprobs":[-1],"text":"x","correct":true}]}]},{"turn":1,"parent":0,"parent_action":0,"agents":[{"agent":0,"completions":[{"text":"y"}]}]}]}`))
	f.Add([]byte(`{"nodes":[{"turn":-5,"parent":7,"parent_action":9},{"parent":1,"agents":[{"completions":[{}]}]}]}`))
	f.Add([]byte(`{"nodes":[{"turn":99999999,"agents":[{"completions":[{"logprobs":null}]}]}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		row, err := readRow(line, nil)
		if err == nil && row.Completions != len(row.said) {
			t.Errorf("%d completions, %d are known", row.Completions, len(row.said))
		}
	})
}

// TestMoves: an agent's right answer that becomes a wrong one is found, along what went on.
func TestMoves(t *testing.T) {
	row, err := readRow([]byte(`{"problem":{"truth":"1"},"nodes":[
		{"turn":0,"parent":-1,"parent_action":-1,"joint":[[0],[1]],"agents":[{"agent":2,"completions":[{"correct":false},{"correct":true}]}]},
		{"turn":1,"parent":0,"parent_action":1,"joint":[[0]],"agents":[{"agent":2,"completions":[{"correct":false}]}]}]}`), nil)
	if err != nil || !row.RightWrong || row.WrongRight || row.Correct == nil || *row.Correct != 0 {
		t.Errorf("%+v %v", row, err)
	}
}

// TestBoundsAreReached: an answer is within bounds that are its own number, which 32 bits do not hold exactly.
func TestBoundsAreReached(t *testing.T) {
	row, err := readRow([]byte(`{"nodes":[{"parent":-1,"agents":[{"completions":[{"reward":0.7,"advantage":-0.1,"score":0.3}]}]}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]bool{"reward_min=0.7&reward_max=0.7&advantage_min=-0.1&advantage_max=-0.1&score_min=0.3&score_max=0.3": true, "reward_min=0.7001": false, "score_max=0.2999": false, "reward_max=1e300": true, "reward_min=-1e300": true} {
		values, _ := url.ParseQuery(query)
		if f, err := ParseFilter(values); err != nil || f.matches(&row) != want {
			t.Errorf("%s: %v %v", query, !want, err)
		}
	}
}

// TestProgramsAreNotWrong: what a program says without a final answer is neither right nor wrong, and the share of right answers is of those before it.
func TestProgramsAreNotWrong(t *testing.T) {
	row, err := readRow([]byte(`{"problem":{"truth":"1"},"nodes":[
		{"turn":0,"parent":-1,"parent_action":-1,"joint":[[0]],"agents":[{"agent":0,"completions":[{"correct":true,"has_answer":true}]},{"agent":1,"speaker":"script","completions":[{"correct":true,"has_answer":true}]}]},
		{"turn":1,"parent":0,"parent_action":0,"joint":[[0]],"agents":[{"agent":1,"speaker":"script","completions":[{"text":"passed 4 of 4"}]}]}]}`), nil)
	if err != nil || row.Correct == nil || *row.Correct != 1 || row.RightWrong || row.Completions != 3 {
		t.Errorf("%+v %v", row, err)
	}
}
