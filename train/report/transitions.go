package report

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"parley/internal/plotio"
	"parley/runs"
)

// A figurePart is one colour of a stack of moves.
type figurePart struct {
	name   string
	colour color.Color
	ink    color.Color // of the numbers in it
	of     func(runs.Moves) float64
	over   func(*runs.MovesCI95) [2]float64 // its interval
}

// figureParts from the bottom of a stack: what was right before lies below what was wrong.
var figureParts = []figurePart{
	{"RR: right, right", plotio.Blue, color.White, func(m runs.Moves) float64 { return m.RR }, func(c *runs.MovesCI95) [2]float64 { return c.RR }},
	{"RW: right, wrong", plotio.Orange, plotio.Black, func(m runs.Moves) float64 { return m.RW }, func(c *runs.MovesCI95) [2]float64 { return c.RW }},
	{"WR: wrong, right", plotio.Green, color.White, func(m runs.Moves) float64 { return m.WR }, func(c *runs.MovesCI95) [2]float64 { return c.WR }},
	{"WW: wrong, wrong", color.Gray{Y: 0xcc}, plotio.Black, func(m runs.Moves) float64 { return m.WW }, func(c *runs.MovesCI95) [2]float64 { return c.WW }},
}

// label is the part's share in percent, over seeds with half of its interval.
func (p figurePart) label(m runs.Moves) string {
	text := fmt.Sprintf("%.1f", 100*p.of(m))
	if m.CI95 != nil {
		ci := p.over(m.CI95)
		text += fmt.Sprintf(" ± %.1f", 100*(ci[1]-ci[0])/2)
	}
	return text
}

// drawTransitions draws how answers moved: a stack for each pair of turns and system, the shares in percent.
func drawTransitions(title string, rows []runs.Row) (*plotio.Chart, plotio.Size, error) {
	var names []string
	var stacks []runs.Moves
	for _, t := range stages(rows) {
		names = append(names, fmt.Sprintf("%s\n%d → %d", t.system, t.FromTurn, t.ToTurn))
		stacks = append(stacks, t.Answers)
	}
	if len(stacks) == 0 {
		return nil, wide, nil
	}
	p := plotio.NewChart(title, "", "share of answers (%)")
	p.NominalX(names...)
	const width, room = 66, 100 // points
	heights := make([]float64, len(stacks))
	var below *plotter.BarChart
	var keyed []*plotter.BarChart
	for _, part := range figureParts {
		values := make(plotter.Values, len(stacks))
		for i, m := range stacks {
			values[i] = 100 * part.of(m)
		}
		bars, err := plotter.NewBarChart(values, vg.Points(width))
		if err != nil {
			return nil, wide, err
		}
		bars.Color, bars.LineStyle.Width = part.colour, 0
		if below != nil {
			bars.StackOn(below)
		}
		below = bars
		labels, err := part.labels(stacks, heights)
		if err != nil {
			return nil, wide, err
		}
		p.Add(bars, labels)
		keyed = append(keyed, bars)
	}
	for i, bars := range slices.Backward(keyed) { // in the order of the stack
		p.Explain(figureParts[i].name, bars)
	}
	p.Y.Min, p.Y.Max = 0, 100
	p.Y.Tick.Marker = percent{}
	return p, p.Around(plotio.Size{Width: max(wide.Width, vg.Points(80+room*float64(len(stacks)))), Height: wide.Height}), nil
}

// labels writes the part's shares into their middles, where they are large enough, and raises the heights on which the next parts stand.
func (p figurePart) labels(stacks []runs.Moves, heights []float64) (*plotter.Labels, error) {
	const least = 5 // percent
	var at plotter.XYLabels
	for i, m := range stacks {
		v := 100 * p.of(m)
		if v >= least {
			at.XYs = append(at.XYs, plotter.XY{X: float64(i), Y: heights[i] + v/2})
			at.Labels = append(at.Labels, p.label(m))
		}
		heights[i] += v
	}
	labels, err := plotter.NewLabels(at)
	if err != nil {
		return nil, err
	}
	for i := range labels.TextStyle {
		plotio.Lettered(&labels.TextStyle[i], 10.5)
		labels.TextStyle[i].Color = p.ink
		labels.TextStyle[i].XAlign, labels.TextStyle[i].YAlign = text.XCenter, text.YCenter
	}
	return labels, nil
}

// percent marks 0 to 100.
type percent struct{}

// Ticks implements [plot.Ticker].
func (percent) Ticks(_, _ float64) []plot.Tick {
	var ticks []plot.Tick
	for v := 0; v <= 100; v += 20 {
		ticks = append(ticks, plot.Tick{Value: float64(v), Label: fmt.Sprint(v)})
	}
	return ticks
}

// A stage is a pair of turns of one system.
type stage struct {
	system string
	runs.Transition
}

// stages lists the pairs of turns, all systems at one pair beside each other.
func stages(rows []runs.Row) []stage {
	var out []stage
	for i, more := 0, true; more; i++ {
		more = false
		for _, r := range rows {
			if i < len(r.Transitions) {
				out, more = append(out, stage{r.System, r.Transitions[i]}), true
			}
		}
	}
	return out
}
