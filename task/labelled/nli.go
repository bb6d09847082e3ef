package labelled

import (
	"fmt"
	"strings"

	"parley/task"
	"parley/task/answer"
	"parley/task/dataset"
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

func readNLI(data []byte) (Item, error) {
	r, err := dataset.ParseRecord(data)
	if err != nil {
		return Item{}, err
	}
	premise, err := r.First("premise", "context", "sentence1") // SNLI's own name is the last
	if err != nil {
		return Item{}, err
	}
	hypothesis, err := r.First("hypothesis", "sentence2")
	if err != nil {
		return Item{}, err
	}
	premise, hypothesis = strings.TrimSpace(premise), strings.TrimSpace(hypothesis)
	if premise == "" || hypothesis == "" {
		return Item{}, fmt.Errorf("want a premise (or context) and a hypothesis; the keys are %s", strings.Join(r.Keys(), ", "))
	}
	id, err := r.First("uid", "id", "ID", "pairID")
	if err != nil {
		return Item{}, err
	}
	truth, err := nliLabel(r)
	item, err := asked(id, Inference(premise, hypothesis), truth, err)
	item.Group = premise
	item.Fields = map[string]string{"premise": premise, "hypothesis": hypothesis}
	return item, err
}

// Inference is the question of a pair of texts (MAPoRL App. G.4.1).
func Inference(premise, hypothesis string) string {
	return "Premise: " + premise + "\n\nHypothesis: " + hypothesis
}

// nliLabel returns the label: a word, a letter or a number, which some writers make a float.
func nliLabel(r dataset.Record) (string, error) {
	text, err := r.First("label", "gold_label", "gold") // gold_label is SNLI's, gold WANLI's
	if err != nil {
		return "", err
	}
	if text == "" {
		return "", r.Missing("label")
	}
	word := strings.ToLower(strings.TrimSpace(text))
	if n, err := Number(word); err == nil {
		word = n
	}
	label, known := nliLabels[word]
	switch {
	case !known:
		return "", fmt.Errorf("label %s is none of entailment, neutral and contradiction", text)
	case label == "":
		return "", &NoLabel{"the annotators did not agree"}
	}
	return label, nil
}
