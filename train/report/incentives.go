package report

import (
	"fmt"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"parley/internal/plotio"
	"parley/runs"
)

// An incentive is a move that a coefficient of MAPoRL's Tables 1 and 2 rewards or punishes.
type incentive struct {
	label string
	of    func(runs.Transition) *float64
}

var incentiveMoves = []incentive{
	{"α0 WRW", func(t runs.Transition) *float64 { return t.Own.Joint.WRW }},
	{"α0 RWW", func(t runs.Transition) *float64 { return t.Own.Joint.RWW }},
	{"α1 WRR", func(t runs.Transition) *float64 { return t.Own.Joint.WRR }},
	{"α1 RWR", func(t runs.Transition) *float64 { return t.Own.Joint.RWR }},
	{"β0 WRW", func(t runs.Transition) *float64 { return t.Influence.Joint.WRW }},
	{"β0 RWW", func(t runs.Transition) *float64 { return t.Influence.Joint.RWW }},
	{"β1 WRR", func(t runs.Transition) *float64 { return t.Influence.Joint.WRR }},
	{"β1 RWR", func(t runs.Transition) *float64 { return t.Influence.Joint.RWR }},
}

// incentives draws the moves by what the others said, one bar a move, system and pair of turns. The letters of α are the answer
// before, the answer after, the others' majority before; those of β the others' majority before, after, the answer before.
func incentives(title string, rows []runs.Row) (*plotio.Chart, plotio.Size, error) {
	list := stages(rows)
	var names []string
	for _, m := range incentiveMoves {
		names = append(names, m.label)
	}
	p := plotio.NewChart(title, "", "share of answers (%)")
	p.NominalX(names...)
	width := vg.Points(min(16, 46/float64(max(1, len(list)))))
	moved := false
	for i, t := range list {
		values := make(plotter.Values, len(incentiveMoves))
		for k, m := range incentiveMoves {
			if share := m.of(t.Transition); share != nil {
				values[k] = 100 * *share
				moved = moved || *share > 0
			}
		}
		bars, err := plotter.NewBarChart(values, width)
		if err != nil {
			return nil, wide, err
		}
		bars.Color, bars.LineStyle.Width = plotio.Palette[i%len(plotio.Palette)], 0
		bars.Offset = width * vg.Length(float64(i)-float64(len(list)-1)/2)
		p.Add(bars)
		p.Explain(fmt.Sprintf("%s %d → %d", t.system, t.FromTurn, t.ToTurn), bars)
	}
	if !moved {
		return nil, wide, nil
	}
	p.X.Min, p.X.Max = -0.6, float64(len(names))-0.4
	return p, p.Around(wide), nil
}
