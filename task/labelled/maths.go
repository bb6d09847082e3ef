package labelled

import (
	"errors"
	"fmt"
	"strings"

	"parley/task"
	"parley/task/answer"
	"parley/task/dataset"
)

// The word-problem sets. Answers are read from the last box (maporl.md §8.2).
var (
	// GSM8K: question, answer. The right answer stands behind #### on a line of the solution, never elsewhere.
	GSM8K = Format{Name: "gsm8k", About: "GSM8K: word problems of grade school.", DataSet: "openai/gsm8k", Read: readGSM8K, Answer: answer.Math}
	// SVAMP: Body, Question, Answer. Problems with one body are variations of each other and stay together.
	SVAMP = Format{Name: "svamp", About: "SVAMP: short word problems, variations of each other.", DataSet: "ChilleD/SVAMP", Read: readSVAMP, Answer: answer.Math}
	// GSMHard: input, target. Only whole targets are kept; some are absurd, as numbers of GSM8K were replaced by large ones.
	GSMHard = Format{Name: "gsm-hard", About: "GSM-Hard: problems of GSM8K with large numbers.", DataSet: "reasoning-machines/gsm-hard", Read: readGSMHard, Answer: answer.Math}
	// MATH: problem, solution with the answer in its last box, or answer. Problems whose answer is no number are left out.
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
	return Item{Problem: task.Problem{ID: id, Question: strings.TrimSpace(question), Truth: truth}}, err
}

// textsOf reads a row and the texts of its keys, none of which may be missing.
func textsOf(data []byte, keys ...string) (r dataset.Record, texts []string, err error) {
	if r, err = dataset.ParseRecord(data); err != nil {
		return r, nil, err
	}
	for _, key := range keys {
		text, err := r.Required(key)
		if err != nil {
			return r, nil, err
		}
		texts = append(texts, text)
	}
	return r, texts, nil
}

// ids are the keys under which sets keep a row's own id.
var ids = []string{"id", "ID", "unique_id", "uid"}

func readGSM8K(data []byte) (Item, error) {
	r, texts, err := textsOf(data, "question", "answer")
	if err != nil {
		return Item{}, err
	}
	solution := "\n" + texts[1]
	at := strings.LastIndex(solution, "\n####")
	if at < 0 {
		return Item{}, errors.New(`answer has no line "#### number"; a set of another form is read by task data`)
	}
	line, _, _ := strings.Cut(strings.TrimPrefix(solution[at:], "\n####"), "\n")
	id, err := r.First(ids...)
	if err != nil {
		return Item{}, err
	}
	truth, err := Number(line)
	return asked(id, texts[0], truth, err)
}

func readSVAMP(data []byte) (Item, error) {
	r, err := dataset.ParseRecord(data)
	if err != nil {
		return Item{}, err
	}
	body, err := r.Text("Body")
	if err != nil {
		return Item{}, err
	}
	question, err := r.Required("Question")
	if err != nil {
		return Item{}, err
	}
	id, err := r.First("ID", "id")
	if err != nil {
		return Item{}, err
	}
	right, err := r.Required("Answer")
	if err != nil {
		return Item{}, err
	}
	truth, err := Number(right)
	item, err := asked(id, told(body, question), truth, err)
	item.Group = body
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

func readGSMHard(data []byte) (Item, error) {
	r, texts, err := textsOf(data, "input", "target")
	if err != nil {
		return Item{}, err
	}
	id, err := r.First(ids...)
	if err != nil {
		return Item{}, err
	}
	truth, err := whole(texts[1])
	return asked(id, texts[0], truth, err)
}

// readMATH reads MATH, MATH-500 and competitions in their form, such as AIME: some begin their keys with capitals, some have an answer beside
// the solution, or nothing else.
func readMATH(data []byte) (Item, error) {
	r, err := dataset.ParseRecord(data)
	if err != nil {
		return Item{}, err
	}
	texts := map[string]string{}
	for name, keys := range map[string][]string{
		"problem": {"problem", "Problem", "question"}, "solution": {"solution", "Solution"}, "answer": {"answer", "Answer"},
		"level": {"level", "Level"}, "type": {"type", "subject"}, "id": ids,
	} {
		if texts[name], err = r.First(keys...); err != nil {
			return Item{}, err
		}
	}
	if texts["problem"] == "" {
		return Item{}, r.Missing("problem")
	}
	right, written := texts["solution"], texts["answer"]
	if box, boxed := answer.LastBox(right); boxed {
		written = box.Content(right)
	} else if written == "" {
		return Item{}, errors.New(`solution has no \boxed{…}, and there is no answer`)
	} else {
		right = `\boxed{` + written + `}` // no box at all, if braces of the answer are not balanced
	}
	truth, ok := answer.Math(right)
	if !ok {
		return Item{}, &NoLabel{fmt.Sprintf("%.40s is no number", written)}
	}
	item, err := asked(texts["id"], texts["problem"], truth, nil)
	item.Fields = map[string]string{"level": texts["level"], "type": texts["type"]}
	return item, err
}

func readTinyGSM(data []byte) (Item, error) {
	r, err := dataset.ParseRecord(data)
	if err != nil {
		return Item{}, err
	}
	question, err := r.Required("question")
	if err != nil {
		return Item{}, err
	}
	if r.Null("answer") && !r.Null("code") {
		return Item{}, errors.New("the record has a program and no answer: run `parley data prepare` once, and name what it wrote in task.path")
	}
	right, err := r.Required("answer")
	if err != nil {
		return Item{}, err
	}
	id, err := r.First(ids...)
	if err != nil {
		return Item{}, err
	}
	truth, err := Number(right)
	return asked(id, question, truth, err)
}
