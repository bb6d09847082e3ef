// Package rewards scores responses to single items of any task, outside training:
//
//	s, err := rewards.Open(ctx, "humaneval", rewards.Settings{"scorer": "robust"})
//	problem, err := s.Read(item, 2)
//	score, err := s.Score(ctx, problem, []string{auxText, mainText})
//
// An item is one line of the task's own data set, in JSON. Tasks that run programs do so in the sandbox. A reward that a user wrote
// takes the place of a task: a file reward.py or reward.star, or a server ([Own]).
package rewards

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/task"
)

// Settings change how a task scores, by name.
type Settings map[string]string

// A Scorer scores items of one task. It may be used by several goroutines.
type Scorer struct {
	least, most int // responses to an item
	read        func(name string, r io.Reader) ([]task.Problem, error)
	readFor     func(item []byte, responses int) (task.Problem, error) // in the place of read, where the item depends on the team
	score       func(ctx context.Context, p task.Problem, responses []string) (task.Score, error)
	close       func() error
}

// Read reads an item and checks that the task takes so many responses. An error says what is wrong with either.
func (s *Scorer) Read(item []byte, responses int) (task.Problem, error) {
	switch {
	case responses < s.least || responses > s.most && s.least == s.most:
		return task.Problem{}, fmt.Errorf("%d responses: write %d", responses, s.least)
	case responses > s.most:
		return task.Problem{}, fmt.Errorf("%d responses: write %d to %d", responses, s.least, s.most)
	}
	if s.readFor != nil {
		return s.readFor(item, responses)
	}
	problems, err := s.read("item", bytes.NewReader(item))
	if err != nil {
		return task.Problem{}, err
	}
	return problems[0], nil
}

// Score scores one response per agent.
func (s *Scorer) Score(ctx context.Context, p task.Problem, responses []string) (task.Score, error) {
	return s.score(ctx, p, responses)
}

// Close ends what the scorer needed.
func (s *Scorer) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// A kind opens a task's scorer and says which settings it has.
type kind struct {
	settings []string
	open     func(ctx context.Context, name string, s Settings) (*Scorer, error)
}

var kinds = map[string]kind{
	"tldr":          {[]string{"scorer"}, openTLDR},
	"arxiv":         {[]string{"scorer", "era"}, openArxiv},
	"duet":          {nil, openDuet},
	"strbuild":      {nil, openStrBuild},
	"housebuild":    {nil, openHouseBuild},
	"classeval":     {[]string{"era"}, openClassEval},
	"humaneval":     {codeSettings, openCode},
	"coophumaneval": {codeSettings, openCode},
	"gsm8k":         {nil, openLabelled},
	"tinygsm":       {nil, openLabelled},
	"svamp":         {nil, openLabelled},
	"gsm-hard":      {nil, openLabelled},
	"math":          {nil, openLabelled},
	"nli":           {nil, openLabelled},
	"mbpp":          {codeSettings, openCode},
}

var codeSettings = []string{"scorer", "seconds", "memory_mb"}

// Names lists the tasks.
func Names() []string { return slices.Sorted(maps.Keys(kinds)) }

// A SettingError says that a task or a setting is not known or has no such value. It is the user's.
type SettingError struct{ message string }

func (e *SettingError) Error() string { return e.message }

func wrong(format string, args ...any) error { return &SettingError{fmt.Sprintf(format, args...)} }

// Open returns the scorer of a task.
func Open(ctx context.Context, name string, s Settings) (*Scorer, error) {
	k, ok := kinds[name]
	if !ok {
		k, ok = ownKind(name)
	}
	if !ok {
		return nil, wrong("task %q is not known: write one of %s, or a reward of your own: FILE.py, FILE.star, http://…", name, strings.Join(Names(), ", "))
	}
	for key := range s {
		if !slices.Contains(k.settings, key) {
			return nil, wrong("task %s has no setting %q: it has %s", name, key, orNone(k.settings))
		}
	}
	return k.open(ctx, name, s)
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// scorer reads the setting of that name.
func (s Settings) scorer() (task.RewardVariant, error) {
	scorer := task.Standard
	if text, ok := s["scorer"]; ok {
		scorer = task.RewardVariant(text)
	}
	if err := scorer.Check(); err != nil {
		return "", wrong("%v", err)
	}
	return scorer, nil
}

// seconds reads a time above 0; absent: 0.
func (s Settings) seconds(name string) (time.Duration, error) {
	text, ok := s[name]
	if !ok {
		return 0, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0.001 && x <= 86400) {
		return 0, wrong("%s is %q: write a number from 0.001 to 86400", name, text)
	}
	return time.Duration(x * float64(time.Second)), nil
}

// number reads a whole number above 0; absent: 0.
func (s Settings) number(name string) (int, error) {
	text, ok := s[name]
	if !ok {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, wrong("%s is %q: write a whole number above 0", name, text)
	}
	return n, nil
}
