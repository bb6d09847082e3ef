package datacmd

import (
	"errors"

	"parley/cmd/parley/internal/cli"
	"parley/model/shipped"
	"parley/rl/verifier"
	"parley/task"
	"parley/train/lineup"
)

type verifierScoreCmd struct {
	Verifier string `arg:"" help:"Folder that verifier train has written, or parley-verifier or parley-weak-verifier, which ship."`
	In       string `placeholder:"FILE" help:"Read JSON lines from FILE instead of stdin."`
	Prefix   bool   `help:"Also print the score after every token."`
}

func (verifierScoreCmd) Help() string {
	return cli.LinesHelp + `    {"question":"…","text":"…"}  →  {"score":0.93}

The score is the probability that the final answer in text is right. A problem with further texts has them as "fields":{…}. If an answer cannot be scored, for instance because it is longer than the context, the line is {"error":"…"}.

Example:

    parley verifier score verifier-sums --in answers.jsonl

Exit codes: 0 done; 1 failed; 2 the folder or a line is wrong; 130 interrupted.`
}

// answerLine is a line of `verifier score`.
type answerLine struct {
	Question string            `json:"question"`
	Fields   map[string]string `json:"fields"`
	Text     *string           `json:"text"`
}

// A verdict is an answer of `verifier score`.
type verdict struct {
	Score  *float64  `json:"score,omitempty"`
	Prefix []float64 `json:"prefix,omitempty"`
	Error  string    `json:"error,omitempty"`
}

func (c *verifierScoreCmd) Run(a *cli.App) error {
	return shipped.Folder(c.Verifier, func(dir string) error { return c.run(a, dir) })
}

func (c *verifierScoreCmd) run(a *cli.App, dir string) error {
	m, err := verifier.Read(dir)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	input, err := a.OpenInput(c.In)
	if err != nil {
		return err
	}
	defer input.Close()
	w, err := bench(a, dir, m.Origin, nil)
	if err != nil {
		return err
	}
	trained, err := verifier.Load(a.Ctx, dir, w.Base, verifierPolicy)
	if err == nil {
		parse := func(line []byte) (verifier.Answer, error) { return parseAnswer(w, line) }
		err = cli.Convert(a, input, parse, func(answers []verifier.Answer) ([]verdict, error) { return c.score(a, trained, answers) })
	}
	return errors.Join(err, w.Close())
}

func parseAnswer(w *lineup.Workbench, line []byte) (verifier.Answer, error) {
	var l answerLine
	if err := cli.ReadObject(line, &l); err != nil {
		return verifier.Answer{}, err
	}
	if l.Question == "" && len(l.Fields) == 0 || l.Text == nil {
		return verifier.Answer{}, errors.New(`write "question" and "text"`)
	}
	p := task.Problem{Question: l.Question, Fields: l.Fields}
	final, _ := w.Base.Answer(p, *l.Text)
	return verifier.Answer{Problem: p, Shown: w.Base.Shown(*l.Text, final)}, nil
}

func (c *verifierScoreCmd) score(a *cli.App, trained *verifier.Trained, answers []verifier.Answer) ([]verdict, error) {
	scores, err := trained.Score(a.Ctx, answers)
	if err != nil {
		return nil, err
	}
	out := make([]verdict, len(scores))
	for i, s := range scores {
		if s.Err != nil {
			out[i].Error = s.Err.Error()
			continue
		}
		out[i].Score = &s.P
		if c.Prefix {
			prefixes, err := trained.Prefixes(a.Ctx, answers[i:i+1])
			if err != nil {
				return nil, err
			}
			out[i].Prefix = prefixes[0]
		}
	}
	return out, nil
}
