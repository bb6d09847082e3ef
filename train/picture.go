package train

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"parley/runs"
	"parley/train/pictures"
)

// pictures draws the report of a run and its training.
func (j *job) pictures() (map[string][]byte, error) {
	all, err := drawnUpdates(j.run.Dir())
	if err != nil {
		return nil, err
	}
	return pictures.Of(j.report, all)
}

// drawnUpdates reads what pictures show of the updates of the run in dir.
func drawnUpdates(dir string) ([]pictures.Update, error) {
	var all []pictures.Update
	err := runs.ReadLines(dir, "metrics.jsonl", func(data []byte) error {
		var m Metrics
		err := json.Unmarshal(data, &m)
		all = append(all, m.drawn())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("draw the training: %w", err)
	}
	return all, nil
}

// drawn is what pictures show of an update.
func (m *Metrics) drawn() pictures.Update {
	kl, norm := math.NaN(), 0.0
	if m.KL != nil {
		kl = *m.KL
	}
	for _, n := range m.GradNorm {
		norm = max(norm, n)
	}
	u := pictures.Update{Update: m.Update, Accuracy: m.Accuracy, Reward: m.Reward, Schemes: m.Schemes, Measures: []pictures.Measure{
		{Name: "mean reward", Value: average(m.Reward)},
		{Name: "tokens an answer", Value: m.Length},
		{Name: "surprisal of a token (nats)", Value: m.Surprisal},
		{Name: "KL to the base, an answer", Value: kl},
		{Name: "largest gradient norm of a policy", Value: norm},
		{Name: "largest ratio of probabilities", Value: m.RatioMax},
		{Name: "share of flagged answers", Value: m.Flagged},
		{Name: "share of texts without answer", Value: m.Unparsed},
	}}
	return u
}

// illustrated is the report as a file: the text, and below it the pictures beside the file.
func illustrated(text string, files map[string][]byte) string {
	var b strings.Builder
	b.WriteString(text)
	for _, p := range pictures.Names {
		if _, drawn := files[p.Name+".png"]; drawn {
			fmt.Fprintf(&b, "\n![%s](%s.png)\n", p.Shows, p.Name)
		}
	}
	return b.String()
}
