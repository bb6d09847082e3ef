package vectortest

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"parley/task/answer"
	"parley/team/workflow"
)

// relatedSections runs one case of each section of related.json.
var relatedSections = map[string]func(*testing.T, Case){
	"malt_tree":         siblingsCase,
	"malt_visibility":   chainSightsCase,
	"dpo_loss":          dialogueCase,
	"vote":              pluralityCase,
	"sweet_advantage":   turnAdvantagesCase,
	"sweet_critic_loss": criticCase,
	"sweet_candidates":  halvesCase,
	"sweet_dialogue":    consultCase,
	"sweet_visibility":  consultSightsCase,
	"rft_filter":        passingCase,
	"mtdpo_pairs":       bestCase,
	"mlpo_filter":       proposalsCase,
	"mlpo_loss":         clippedGroupCase,
	"star_visibility":   starCase,
	"fuse_vocab":        vocabularyCase,
	"fuse_dtw":          warpCase,
	"fuse_rows":         rowsCase,
	"fuse_topk":         topCase,
	"fuse_loss":         fusionCase,
	"collab_step":       decodeStepCase,
	"collab_decode":     decodeTextCase,
	"collab_vocab":      sameVocabularyCase,
	"lesson_select":     selectCase,
	"lesson_visibility": lessonSightsCase,
	"lesson_factor":     factorCase,
	"lesson_classes":    classCase,
	"lesson_relevance":  relevanceCase,
	"lesson_best":       fastestCase,
	"lesson_codegen":    relayCase,
	"speedups":          speedupsCase,
	"corex_teams":       teamsCase,
	"corex_discuss":     discussCase,
	"corex_review":      reviewCase,
	"corex_retrieve":    retrieveCase,
	"read_advantage":    prefixAdvantagesCase,
	"read_prefix":       prefixTableCase,
	"read_threshold":    thresholdCase,
	"read_loop":         refineCase,
	"mutual_td":         differenceCase,
	"mutual_shaping":    shapingCase,
	"mutual_clock":      clockCase,
}

func TestVectorsRelated(t *testing.T) {
	runSections(t, "related.json", relatedSections, nil)
}

// orNull is x, or NaN for null.
func orNull(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// textOrNull is a readable answer, or nothing.
func textOrNull(a answer.Answer) any {
	if !a.OK {
		return nil
	}
	return a.Canonical
}

// readable are answers of which null could not be read.
func readable(texts []*string) []answer.Answer {
	out := make([]answer.Answer, len(texts))
	for i, t := range texts {
		if t != nil {
			out[i] = answer.Answer{Canonical: *t, OK: true}
		}
	}
	return out
}

func pluralityCase(t *testing.T, c Case) {
	v := decode[struct {
		Answers []*string
		Winner  json.RawMessage
		Votes   int
		Tie     bool
	}](t, c)
	b := answer.Plurality(readable(v.Answers))
	same(t, c, "winner", textOrNull(b.Winner), v.Winner)
	if b.Votes != v.Votes || b.Tie != v.Tie {
		t.Errorf("%d votes, tie %v: want %d, %v", b.Votes, b.Tie, v.Votes, v.Tie)
	}
}

// sights measures what a workflow shows.
func sights(t *testing.T, s workflow.Spec) []workflow.Sight {
	t.Helper()
	w, err := workflow.New(s)
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.Visibility()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// labels are the sources of a sight in the words of the vectors; said names what an agent said.
func labelled(s workflow.Sight, question string, said func(workflow.Source) string) []string {
	out := []string{}
	for _, source := range s.Sees {
		switch source.What {
		case workflow.Question:
			out = append(out, question)
		case workflow.Field:
			out = append(out, source.Field)
		case workflow.Said:
			out = append(out, said(source))
		default:
			out = append(out, fmt.Sprintf("%+v", source))
		}
	}
	return out
}
