package verify

// This file reads what the trained policies of a run answered, as tokens, so that another form of a policy can be compared with
// it on them.
//
// The measurement of a trained team keeps its answers to the first held-out problems. A run that was not measured, or not by
// this version, has answers to training problems in its episodes.

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/runs"
)

// An Answer is what a policy was shown and what it said, as tokens. Where it called a tool, it is what it said up to that.
type Answer struct {
	Policy string `json:"policy"`
	Prompt []int  `json:"prompt"`
	Tokens []int  `json:"tokens"`
}

// HeldOutAnswers returns at most so many answers of each policy, and whether they are to held-out problems. A run without any has none.
func HeldOutAnswers(dir string, most int) (answers map[string][]Answer, heldOut bool, err error) {
	all, err := measuredAnswers(dir)
	if err == nil && len(all) == 0 {
		all, err = trainedAnswers(dir, most)
		return some(all, most), false, err
	}
	return some(all, most), true, err
}

// some sorts answers by policy and keeps the first ones that have tokens.
func some(all []Answer, most int) map[string][]Answer {
	out := map[string][]Answer{}
	for _, a := range all {
		if len(out[a.Policy]) < most && len(a.Prompt) > 0 && len(a.Tokens) > 0 {
			out[a.Policy] = append(out[a.Policy], a)
		}
	}
	return out
}

// measuredAnswers returns the answers of the newest measurement that has some.
func measuredAnswers(dir string) ([]Answer, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "evaluation"))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	slices.Reverse(entries)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), runs.Trained+"-") || !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, "evaluation", e.Name()))
		if err != nil {
			return nil, err
		}
		var m struct{ Answers []Answer }
		if err := json.Unmarshal(data, &m); err != nil {
			return nil, fmt.Errorf("read %s: %w", e.Name(), err)
		}
		if len(m.Answers) > 0 {
			return m.Answers, nil
		}
	}
	return nil, nil
}

// trainedEpisode is the part of an episode that is read.
type trainedEpisode struct {
	Nodes []struct {
		Agents []struct {
			Policy      string
			Prompt      []int
			Completions []completion
		}
	}
}

type completion struct {
	Tokens   []int
	Inserted []struct{ At int } // results of tools
}

// beginning are the tokens that a policy wrote before it read a result of a tool.
func beginning(c completion) []int {
	if len(c.Inserted) == 0 {
		return c.Tokens
	}
	return c.Tokens[:min(max(0, c.Inserted[0].At), len(c.Tokens))]
}

// trainedAnswers returns the first answers of each problem of the newest update that has episodes. Each agent of each problem gives one, so that many
// problems have a say.
func trainedAnswers(dir string, most int) ([]Answer, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "episodes"))
	if err != nil {
		if os.IsNotExist(err) {
			return nil, nil
		}
		return nil, err
	}
	update := 0
	for _, e := range entries {
		var n int
		if _, err := fmt.Sscanf(e.Name(), "%d.jsonl.zst", &n); err == nil {
			update = max(update, n)
		}
	}
	if update == 0 {
		return nil, nil
	}
	var all []Answer
	problems := 0
	err = runs.ReadEpisodes(dir, update, func(line []byte) error {
		if problems++; problems > most {
			return nil
		}
		var e trainedEpisode
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		for _, n := range e.Nodes {
			for _, a := range n.Agents {
				if len(a.Completions) > 0 {
					all = append(all, Answer{a.Policy, a.Prompt, beginning(a.Completions[0])})
				}
			}
		}
		return nil
	})
	return all, err
}
