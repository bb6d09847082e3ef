package rewards

import (
	"context"
	"encoding/json"
	"io"

	"parley/task"
	"parley/task/arxiv"
	"parley/task/blocks"
	"parley/task/classeval"
	"parley/task/code"
	"parley/task/duet"
	"parley/task/textstats"
	"parley/task/tldr"
)

func openTLDR(_ context.Context, _ string, s Settings) (*Scorer, error) {
	return openWords(s, tldr.Rubric(), tldr.Read)
}

func openArxiv(_ context.Context, _ string, s Settings) (*Scorer, error) {
	era := arxiv.EraPaper
	if text, ok := s["era"]; ok {
		era = arxiv.Era(text)
	}
	rubric, err := arxiv.Rubric(era)
	if err != nil {
		return nil, wrong("%v", err)
	}
	return openWords(s, rubric, arxiv.Read)
}

// openWords scores two texts, or one that holds both paragraphs (§6.3).
func openWords(s Settings, rubric textstats.Rubric, read func(string, io.Reader) ([]task.Problem, error)) (*Scorer, error) {
	scorer, err := s.scorer()
	if err != nil {
		return nil, err
	}
	return &Scorer{least: 1, most: 2, read: read, score: func(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
		var score textstats.Score
		if len(responses) == 1 {
			score = rubric.JudgeOne(scorer, responses[0], p.Question)
		} else {
			score = rubric.Judge(scorer, responses[0], responses[1], p.Question)
		}
		return task.Score{Reward: score.Reward(), Parts: score.Parts(), Flags: score.Flags}, nil
	}}, nil
}

func openDuet(context.Context, string, Settings) (*Scorer, error) {
	t, err := duet.New(duet.Options{})
	if err != nil {
		return nil, err
	}
	return &Scorer{least: 2, most: 2, read: readProblem, score: func(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
		return t.Score(p, responses)
	}}, nil
}

// readProblem reads a problem as episodes have them: question and truth.
func readProblem(_ string, r io.Reader) ([]task.Problem, error) {
	p := make([]task.Problem, 1)
	return p, json.NewDecoder(r).Decode(&p[0])
}

// mostAgents bounds the agents of tasks for teams of any size.
const mostAgents = 64

func openStrBuild(context.Context, string, Settings) (*Scorer, error) {
	return &Scorer{least: 1, most: mostAgents, readFor: blocks.ReadDrawing, score: func(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
		return blocks.NewDrawings(len(responses)).Score(p, responses)
	}}, nil
}

func openHouseBuild(context.Context, string, Settings) (*Scorer, error) {
	return &Scorer{least: 1, most: mostAgents, readFor: blocks.ReadHouse, score: func(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
		return blocks.NewHouses(len(responses)).Score(p, responses)
	}}, nil
}

func openClassEval(ctx context.Context, _ string, s Settings) (*Scorer, error) {
	lab, err := classeval.OpenLab(ctx, 0)
	if err != nil {
		return nil, err
	}
	t, err := classeval.New(classeval.Options{Generation: classeval.Generation(s["era"]), Lab: lab})
	if err != nil {
		lab.Close()
		return nil, wrong("%v", err)
	}
	return &Scorer{least: 1, most: mostAgents, close: t.Close, read: classeval.Read, score: t.Judge}, nil
}

func openCode(ctx context.Context, name string, s Settings) (*Scorer, error) {
	scorer, err := s.scorer()
	if err != nil {
		return nil, err
	}
	seconds, err := s.seconds("seconds")
	if err != nil {
		return nil, err
	}
	memory, err := s.number("memory_mb")
	if err != nil {
		return nil, err
	}
	lab, err := code.OpenLab(ctx, 0)
	if err != nil {
		return nil, err
	}
	t, err := code.New(code.Options{Name: name, Scorer: scorer, Lab: lab, PerTest: seconds, Memory: int64(memory) << 20})
	if err != nil {
		lab.Close()
		return nil, err
	}
	return &Scorer{least: 1, most: mostAgents, close: t.Close, read: code.Read, score: func(ctx context.Context, p task.Problem, responses []string) (task.Score, error) {
		r, err := t.Judge(ctx, p, responses)
		return r.Score(), err
	}}, nil
}
