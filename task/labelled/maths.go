package labelled

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley/task"
	"parley/task/answer"
)

// The word-problem sets. Answers are read from the last box (maporl.md §8.2).
var (
	// GSM8K: question, answer. The right answer stands behind #### on a line of the solution, never elsewhere.
	GSM8K = Format{Name: "gsm8k", About: "GSM8K: word problems of grade school.", DataSet: "openai/gsm8k", Read: readGSM8K, Answer: answer.Math}
	// SVAMP: Body, Question, Answer. Problems with one body are variations of each other and stay together.
	SVAMP = Format{Name: "svamp", About: "SVAMP: short word problems, variations of each other.", DataSet: "ChilleD/SVAMP", Read: readSVAMP, Answer: answer.Math}
	// GSMHard: input, target. Only whole targets are kept; some are absurd, as numbers of GSM8K were replaced by large ones.
	GSMHard = Format{Name: "gsm-hard", About: "GSM-Hard: problems of GSM8K with large numbers.", DataSet: "reasoning-machines/gsm-hard", Read: readGSMHard, Answer: answer.Math}
	// MATH: problem, solution with the answer in its last box. Problems whose answer is no number are left out.
	MATH = Format{
		Name: "math", About: "MATH: competition problems, those whose answer is a number.", Read: readMATH, Answer: answer.Math,
		Fields: []task.Field{{Name: "level", About: "how hard the problem is, such as Level 3"}, {Name: "type", About: "its subject, such as Algebra"}},
	}
	// TinyGSM: question, answer, as `parley data prepare` makes them from question and code.
	TinyGSM = Format{
		Name: "tinygsm", About: "TinyGSM: generated word problems whose solutions are programs; parley data prepare runs these once.",
		Prepare: "parley data prepare", Read: readTinyGSM, Answer: answer.Math,
	}
)

// asked is a problem with its right answer; err is that of the answer.
func asked(id, question, truth string, err error) (Item, error) {
	if strings.TrimSpace(question) == "" {
		return Item{}, errors.New("there is no question")
	}
	return Item{Problem: task.Problem{ID: id, Question: strings.TrimSpace(question), Truth: truth}}, err
}

func readGSM8K(record []byte) (Item, error) {
	var r struct{ Question, Answer string }
	if err := json.Unmarshal(record, &r); err != nil {
		return Item{}, err
	}
	r.Answer = "\n" + r.Answer
	at := strings.LastIndex(r.Answer, "\n####")
	if at < 0 {
		return Item{}, errors.New(`answer has no line "#### number"`)
	}
	line, _, _ := strings.Cut(strings.TrimPrefix(r.Answer[at:], "\n####"), "\n")
	truth, err := number(line)
	return asked("", r.Question, truth, err)
}

func readSVAMP(record []byte) (Item, error) {
	var r struct {
		ID, Body, Question string
		Answer             json.Number
	}
	if err := json.Unmarshal(record, &r); err != nil {
		return Item{}, err
	}
	truth, err := number(r.Answer.String())
	item, err := asked(r.ID, told(r.Body, r.Question), truth, err)
	item.Group = r.Body
	return item, err
}

// told joins a story and its question. Most stories of SVAMP lack the last full stop; one that ends in a condition goes on.
func told(body, question string) string {
	body, question = strings.TrimSpace(body), strings.TrimSpace(question)
	if body == "" || strings.ContainsAny(body[len(body)-1:], ".!?,") {
		return strings.TrimSpace(body + " " + question)
	}
	last := body[strings.LastIndex(body, ". ")+1:]
	if strings.HasPrefix(strings.TrimSpace(last), "If ") && question != "" {
		return body + ", " + strings.ToLower(question[:1]) + question[1:]
	}
	return body + ". " + question
}

func readGSMHard(record []byte) (Item, error) {
	var r struct {
		Input  string
		Target json.Number
	}
	if err := json.Unmarshal(record, &r); err != nil {
		return Item{}, err
	}
	truth, err := whole(r.Target.String())
	return asked("", r.Input, truth, err)
}

func readMATH(record []byte) (Item, error) {
	var r struct{ Problem, Solution, Level, Type string }
	if err := json.Unmarshal(record, &r); err != nil {
		return Item{}, err
	}
	box, boxed := answer.LastBox(r.Solution)
	if !boxed {
		return Item{}, errors.New(`solution has no \boxed{…}`)
	}
	truth, ok := answer.Math(r.Solution)
	if !ok {
		return Item{}, &NoLabel{fmt.Sprintf("%.40s is no number", box.Content(r.Solution))}
	}
	item, err := asked("", r.Problem, truth, nil)
	item.Fields = map[string]string{"level": r.Level, "type": r.Type}
	return item, err
}

func readTinyGSM(record []byte) (Item, error) {
	var r struct {
		Question, Code string
		Answer         *json.Number
	}
	if err := json.Unmarshal(record, &r); err != nil {
		return Item{}, err
	}
	if r.Answer == nil && r.Code != "" {
		return Item{}, errors.New("the record has a program and no answer: run `parley data prepare` once, and name what it wrote in task.path")
	}
	if r.Answer == nil {
		return Item{}, errors.New("there is no answer")
	}
	truth, err := number(r.Answer.String())
	return asked("", r.Question, truth, err)
}
