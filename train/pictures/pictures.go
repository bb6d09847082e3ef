// Package pictures draws a run: what the reports of MAPoRL and MAGRPO show as figures, from the run's report and its metrics.
//
//	accuracy.go     score after every turn, with intervals; MAPoRL's Figure 2
//	transitions.go  right and wrong answers from turn to turn; MAPoRL's Figures 3 and 4
//	incentives.go   the moves that incentives reward or punish; MAPoRL's Tables 3 and 4
//	curves.go       training over its updates
//
// Every picture is a PNG and an SVG file. One that would show nothing is left out.
package pictures

import (
	"fmt"
	"maps"

	"gonum.org/v1/plot/vg"

	"parley/picture"
	"parley/runs"
)

// wide is the size of all pictures but those of many panels.
var wide = picture.Size{Width: 6.5 * vg.Inch, Height: 4 * vg.Inch}

// Of draws a run with this report and these updates. Files are by name.
func Of(report runs.Report, updates []Update) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, p := range []struct {
		name string
		draw func() (picture.Drawing, picture.Size, error)
	}{
		{"accuracy", func() (picture.Drawing, picture.Size, error) { return accuracy(report) }},
		{"transitions", func() (picture.Drawing, picture.Size, error) { return transitions(report.Rows) }},
		{"incentives", func() (picture.Drawing, picture.Size, error) { return incentives(report.Rows) }},
		{"curve", func() (picture.Drawing, picture.Size, error) { return curve(updates) }},
		{"training", func() (picture.Drawing, picture.Size, error) { return training(updates) }},
	} {
		drawing, size, err := p.draw()
		if err != nil {
			return nil, fmt.Errorf("draw %s: %w", p.name, err)
		}
		if drawing == nil {
			continue
		}
		files, err := picture.Files(p.name, drawing, size)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, files)
	}
	return out, nil
}

// Names lists the pictures in the order in which a report shows them, each with what it shows.
var Names = []struct{ Name, Shows string }{
	{"accuracy", "score after every turn, with 95 % intervals"},
	{"transitions", "answers from turn to turn: R right, W wrong, the earlier turn first"},
	{"incentives", "moves by what the others said"},
	{"curve", "training answers over the updates"},
	{"training", "what else was measured in training"},
}
