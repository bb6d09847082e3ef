package textstats

import (
	"context"
	"embed"
	"fmt"

	"parley/task"
	"parley/task/dataset"
)

// TLDRRubric is the published reward.
func TLDRRubric() Rubric {
	return Rubric{
		MinWords: 8, MaxWords: 256,
		Length:     Band{From: 1.1, Low: 1.6, High: 3.2, To: 5.0, Pay: 1},
		Vocabulary: Band{From: 1.3, Low: 2.0, High: unlimited, To: unlimited, Pay: 0.5},
		JaccardCap: 0.03,
	}
}

// unlimited is beyond every ratio of two texts.
const unlimited = 1e300

//go:embed data/*.jsonl.gz
var sample embed.FS

// TLDROptions say where the problems come from and how they are scored.
type TLDROptions struct {
	Path   string             // of a data set; empty: the sample of 48 papers that is part of the program
	Made   bool               // posts that a generator made, in the place of the papers
	Cache  string             // folder of the data sets that were pulled
	Scorer task.RewardVariant // empty: standard
}

// A TLDR is the summarisation task over loaded problems. It implements [task.Task] and [task.JointScorer].
//
// It is the summarisation task of MAGRPO (§6.1): one agent writes a concise summary of a text, another a detailed
// one, and both get one reward for what they wrote together.
//
// The reward has four gated levels: both summaries have 8 to 256 words (0.5); the second is 1.6 to 3.2 times as long as the
// first (1); it uses at least twice the vocabulary (0.5); and their style is paid, 0.4 for discourse markers of many kinds in
// the second text and 0.6 for common content words. Its nominal maximum is 3, its true one 2.98. The published reward never
// looks at the text to be summarised; the robust scorer does, and cancels what is gamed (robust.go).
//
// Problems come from a file of SciTLDR's form or of trl's tldr form, see [ReadPosts], or from the small sample inside the program.
type TLDR struct {
	*dataset.Loaded
	variant task.RewardVariant
}

// NewTLDR loads the problems of both splits.
func NewTLDR(ctx context.Context, o TLDROptions) (*TLDR, error) {
	if o.Scorer == "" {
		o.Scorer = task.Standard
	}
	if err := o.Scorer.Check(); err != nil {
		return nil, fmt.Errorf("task tldr: %w", err)
	}
	loaded, err := load(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("task tldr: %w", err)
	}
	return &TLDR{loaded, o.Scorer}, nil
}

func load(ctx context.Context, o TLDROptions) (*dataset.Loaded, error) {
	if o.Path != "" {
		return dataset.Load(ctx, o.Path, o.Cache, task.Rows(readPost), nil)
	}
	form := "data/%s.jsonl.gz"
	if o.Made {
		form = "data/made-posts-%s.jsonl.gz"
	}
	return dataset.Embedded(sample, form, readPost)
}

// Name implements [task.Task].
func (t *TLDR) Name() string { return tldrName }

// Problems implements [task.Task]: problems are in the order of their file.
func (t *TLDR) Problems(split task.Split, n int) ([]task.Problem, error) {
	return t.Of(tldrName, split, n)
}

// Score implements [task.JointScorer]: responses are the concise and the detailed summary.
func (t *TLDR) Score(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
	switch len(responses) {
	case 1:
		return TLDRRubric().TaskScoreOne(t.variant, responses[0], p.Question), nil
	case 2:
		s := TLDRRubric().ScorePair(t.variant, responses[0], responses[1], p.Question)
		return TLDRRubric().TaskScore(s, responses[0], responses[1]), nil
	}
	return task.Score{}, fmt.Errorf("task tldr: %d responses, want 2: a concise and a detailed summary; or 1 that holds both", len(responses))
}

// Range implements [task.JointScorer].
func (t *TLDR) Range() (least, greatest float64) { return 0, TLDRRubric().Most() }

// A Gamed is a way to game the reward of two summaries, or an honest pair to compare with. A single text stands for an agent that
// writes both.
type Gamed struct {
	Name  string
	Texts []string
}

// GamedSource is the text that all of them are about.
const GamedSource = "We study how two robots can fold a towel together. Each robot sees only its own corner of the cloth and cannot talk to the other. " +
	"We train both with one reward, which is high when the towel lies flat and is folded twice. In simulation the pair learns to wait: one holds while the other moves. " +
	"On real robots the policies fold seven of ten towels, against four of ten for a single robot with two arms. Failures come from slippery fabric and from corners that " +
	"are hidden at the start. We release the simulator and the training code, so that others can compare methods for tasks with several robots."

const gamedSummary = "Two robots learn to fold a towel together with one reward, without talking."

// Gaming is what every scorer of summaries must survive (MAGRPO §6.4); the first is honest.
var Gaming = []Gamed{
	{"honest", []string{gamedSummary, "Each robot sees only its own corner of the cloth and cannot talk to its partner. Therefore both are trained on a shared signal; " +
		"in simulation one holds while the other moves, and real machines fold seven of ten towels."}},
	{"nothing", []string{"", ""}},
	{"the same text twice", []string{gamedSummary, gamedSummary + " Furthermore, " + gamedSummary}},
	{"a copy with words behind it", []string{gamedSummary, gamedSummary + " Corner cloth simulation holds moves real arms failures slippery fabric hidden start release simulator code others compare methods tasks several."}},
	{"words about nothing", []string{"Nobody knows what tomorrow brings under a bright yellow evening sky.", "Nobody remembers old songs; therefore quiet rivers wander past green hills, " +
		"purple mountains sleep, clever foxes dance around glowing fires, and gentle winds whisper forgotten rhymes until dawn arrives."}},
	{"markers in the place of sentences", []string{gamedSummary, "Robots furthermore fold, for example cloth, therefore towel, conversely corner, secondly arms, certainly reward, overall code, " +
		"equally tasks, despite fabric, provided that start, during simulation, in other words methods."}},
	{"one phrase again and again", []string{gamedSummary, "Each robot sees its own corner, each robot sees its own corner, each robot sees its own corner, each robot sees its own corner, each robot sees its own corner."}},
	{"one text without a delimiter", []string{GamedSource}},
}
