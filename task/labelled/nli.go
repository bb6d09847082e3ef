package labelled

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley/task"
	"parley/task/answer"
)

// NLI is natural language inference: premise (or ANLI's context), hypothesis, label. Labels are words, ANLI's letters e, n and
// c, or the Hub's numbers 0, 1 and 2 in that order; - and -1 mean that the annotators did not agree. Problems about one premise
// stay together.
var NLI = Format{
	Name: "nli", About: "Natural language inference: does a hypothesis follow from a premise, contradict it, or neither?", DataSet: "facebook/anli",
	Read: readNLI, Answer: answer.NLI, Choice: true, Prompts: task.Prompts{First: inferencePrompt},
	Fields: []task.Field{{Name: "premise", About: "the text that is known to be true"}, {Name: "hypothesis", About: "the claim about it"}},
}

// inferencePrompt is the form of the paper for natural language inference; the question holds premise and hypothesis (MAPoRL App.
// G.4.1, maporl.md §1.1).
const inferencePrompt = "{{.Question}}\n\n" +
	"Please determine the relationship between the premise and the hypothesis. Choose one of the following: 'entailment,' 'neutral,' or 'contradiction.'\n" +
	"Start with concise reasoning for your choice and conclude with your final answer. You do not need to restate the premise and hypothesis. Present the final answer in the following format:\n\n" +
	"Answer: \\boxed{XX}"

// nliLabels are the ways to write each label.
var nliLabels = map[string]string{
	"entailment": "entailment", "e": "entailment", "0": "entailment",
	"neutral": "neutral", "n": "neutral", "1": "neutral",
	"contradiction": "contradiction", "c": "contradiction", "2": "contradiction",
	"-": "", "-1": "",
}

func readNLI(record []byte) (Item, error) {
	var r struct {
		UID                          string
		PairID                       json.RawMessage
		ID                           json.RawMessage
		Premise, Context, Hypothesis string
		Sentence1, Sentence2         string          // SNLI's own names
		Label                        json.RawMessage // or ...
		GoldLabel                    json.RawMessage `json:"gold_label"` // ... SNLI's ...
		Gold                         json.RawMessage // ... or WANLI's
	}
	if err := json.Unmarshal(record, &r); err != nil {
		return Item{}, err
	}
	premise := strings.TrimSpace(cmp.Or(r.Premise, r.Context, r.Sentence1))
	hypothesis := strings.TrimSpace(cmp.Or(r.Hypothesis, r.Sentence2))
	if premise == "" || hypothesis == "" {
		return Item{}, errors.New("want a premise (or context) and a hypothesis")
	}
	truth, err := nliLabel(r.Label, r.GoldLabel, r.Gold)
	item, err := asked(cmp.Or(r.UID, plain(r.ID), plain(r.PairID)), Inference(premise, hypothesis), truth, err)
	item.Group = premise
	item.Fields = map[string]string{"premise": premise, "hypothesis": hypothesis}
	return item, err
}

// Inference is the question of a pair of texts (MAPoRL App. G.4.1).
func Inference(premise, hypothesis string) string {
	return "Premise: " + premise + "\n\nHypothesis: " + hypothesis
}

// nliLabel returns the label in the first field that is there.
func nliLabel(fields ...json.RawMessage) (string, error) {
	for _, f := range fields {
		if len(f) == 0 || bytes.Equal(f, []byte("null")) {
			continue
		}
		label, known := nliLabels[strings.ToLower(plain(f))]
		switch {
		case !known:
			return "", fmt.Errorf("label %s is none of entailment, neutral and contradiction", f)
		case label == "":
			return "", &NoLabel{"the annotators did not agree"}
		}
		return label, nil
	}
	return "", errors.New("there is no label")
}

// plain is the text of a JSON string, or a number as it is written.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}
