package export

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"parley/engine"
	"parley/runs/verify"
)

// The forms as a [Difference] calls them.
const (
	formAdapter = "peft"
	formMerged  = "merged"
	formGGUF    = "gguf"
	formLoRA    = "gguf adapter"
)

// A Difference is how far a written form is from its policy: over tokens that the policy said, the distances of their log-probabilities
// given the tokens before them, at temperature 1 over the whole vocabulary.
type Difference struct {
	Policy  string  `json:"policy"`
	Form    string  `json:"form"`
	Max     float64 `json:"max"`
	Mean    float64 `json:"mean"`
	Trained float64 `json:"trained"` // the same mean of the policy and its untrained base: what training changed
	Tokens  int     `json:"tokens"`
	Answers int     `json:"answers"`
	HeldOut bool    `json:"held_out"` // the answers are to held-out problems; else to training problems
}

// String says it in one sentence.
func (d Difference) String() string {
	kind := "training problems"
	if d.HeldOut {
		kind = "held-out problems"
	}
	return fmt.Sprintf("max |Δ log p| %.2g, mean %.2g, over %d tokens of %d answers to %s; training changed them by %.2g on average",
		d.Max, d.Mean, d.Tokens, d.Answers, kind, d.Trained)
}

// compare says how far what was written below the folder tmp is from the policies.
func (x *Export) compare(ctx context.Context, tmp string) ([]Difference, error) {
	if x.Answers == 0 {
		return nil, nil
	}
	answers, heldOut, err := verify.HeldOutAnswers(x.Run, x.Answers)
	if err != nil {
		return nil, fmt.Errorf("read the answers of the run: %w", err)
	}
	var found []Difference
	for _, group := range x.byBase() {
		list, err := x.compareOver(ctx, tmp, group, answers)
		if err != nil && (ctx.Err() != nil || x.Limit >= 0) {
			return nil, fmt.Errorf("compare with what was trained: %w", err)
		}
		if err != nil {
			x.Note(fmt.Sprintf("what was written is not compared with what was trained: %v", err))
		}
		found = append(found, list...)
	}
	for i := range found {
		found[i].HeldOut = heldOut
		x.advise(found[i])
	}
	return found, nil
}

// advise says what loses less, where a good part of what training changed is lost.
func (x *Export) advise(d Difference) {
	const good = 0.1 // of what training changed
	switch {
	case d.Trained == 0 || !(d.Mean > good*d.Trained):
	case d.Form == formAdapter:
		x.Note(fmt.Sprintf("policy %s was trained over its base in %s, and differs over the base as its files have it: --merged writes the model that was trained", d.Policy, x.Engine.Format))
	case d.Form == formLoRA:
		x.Note(fmt.Sprintf("policy %s was trained over its base in %s, and the adapter is another policy over the base that it is compared over: take %s instead", d.Policy, x.Engine.Format, modelFile))
	case x.DType != "F32":
		x.Note(fmt.Sprintf("policy %s: rounding the weights loses a good part of what training changed; --dtype f32 keeps it", d.Policy))
	}
}

// byBase groups the policies by their bases, in order.
func (x *Export) byBase() [][]string {
	groups := make([][]string, len(x.bases()))
	for _, p := range x.Policies {
		i := slices.Index(x.bases(), x.Base(p))
		groups[i] = append(groups[i], p)
	}
	return groups
}

// compareOver compares policies of one base.
func (x *Export) compareOver(ctx context.Context, tmp string, group []string, answers map[string][]verify.Answer) ([]Difference, error) {
	trained, untrained := scores{}, scores{}
	for _, p := range group {
		if len(answers[p]) == 0 {
			return nil, fmt.Errorf("the run has no answers of policy %s", p)
		}
	}
	err := x.withEngine(ctx, x.Base(group[0]), x.Engine.Format, func(e engine.Engine) error {
		for _, p := range group {
			var err error
			if trained[p], err = scoreAdapter(ctx, e, x.saved(p), answers[p]); err != nil {
				return fmt.Errorf("policy %s: %w", p, err)
			}
			if untrained[p], err = score(ctx, e, engine.Base, answers[p]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	written, err := x.scoreWritten(ctx, tmp, group, answers)
	if err != nil {
		return nil, err
	}
	var found []Difference
	for _, w := range written {
		d := Difference{Policy: w.policy, Form: w.form, Answers: len(answers[w.policy])}
		d.Max, d.Mean, d.Tokens = distance(w.logprobs, trained[w.policy])
		_, d.Trained, _ = distance(untrained[w.policy], trained[w.policy])
		found = append(found, d)
	}
	return found, nil
}

// distance compares log-probabilities of the same tokens.
func distance(a, b [][]float32) (most, mean float64, n int) {
	for i := range a {
		for j := range a[i] {
			d := math.Abs(float64(a[i][j]) - float64(b[i][j]))
			most, mean, n = math.Max(most, d), mean+d, n+1 // Max, unlike max of an if, passes a NaN on
		}
	}
	return most, mean / float64(max(n, 1)), n
}

// A writtenForm is a form of a policy with the log-probabilities that it gives.
type writtenForm struct {
	policy, form string
	logprobs     [][]float32
}

// scoreWritten opens what was written as other programs do: in float32.
func (x *Export) scoreWritten(ctx context.Context, tmp string, group []string, answers map[string][]verify.Answer) ([]writtenForm, error) {
	switch x.Form {
	case Merged:
		return x.scoreModels(ctx, group, answers, formMerged, func(policy string) string { return filepath.Join(tmp, policy) })
	case GGUF:
		models, err := x.scoreModels(ctx, group, answers, formGGUF, func(policy string) string { return filepath.Join(tmp, policy, modelFile) })
		if err != nil {
			return nil, err
		}
		base := x.Base(group[0])
		if x.WithBase {
			base = filepath.Join(tmp, x.baseFile(base))
		}
		low := slices.DeleteFunc(slices.Clone(group), x.Full)
		if len(low) == 0 {
			return models, nil
		}
		adapters, err := x.scoreAdapters(ctx, base, low, answers, formLoRA, x.saved)
		return append(models, adapters...), err
	}
	return x.scoreAdapters(ctx, x.Base(group[0]), group, answers, formAdapter, func(policy string) string { return filepath.Join(tmp, policy) })
}

// scoreModels scores models, one for each policy.
func (x *Export) scoreModels(ctx context.Context, group []string, answers map[string][]verify.Answer, form string, path func(policy string) string) ([]writtenForm, error) {
	var all []writtenForm
	for _, p := range group {
		w := writtenForm{policy: p, form: form}
		err := x.withEngine(ctx, path(p), engine.F32, func(e engine.Engine) (err error) {
			w.logprobs, err = score(ctx, e, engine.Base, answers[p])
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", p, err)
		}
		all = append(all, w)
	}
	return all, nil
}

// scoreAdapters scores adapters over a base as its files have it.
func (x *Export) scoreAdapters(ctx context.Context, base string, group []string, answers map[string][]verify.Answer, form string, dir func(policy string) string) ([]writtenForm, error) {
	var all []writtenForm
	err := x.withEngine(ctx, base, engine.F32, func(e engine.Engine) error {
		for _, p := range group {
			logprobs, err := scoreAdapter(ctx, e, dir(p), answers[p])
			if err != nil {
				return fmt.Errorf("policy %s: %w", p, err)
			}
			all = append(all, writtenForm{p, form, logprobs})
		}
		return nil
	})
	return all, err
}
