package main

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"parley/internal/plotio"
)

// picture draws how busy replicas are by their number.
func (s *setup) picture() ([]byte, error) {
	c := plotio.NewChart(fmt.Sprintf("Busy slots of replicas that draw %d answers at once", s.batch), "replicas", "share")
	var curves []plotio.Curve
	for _, n := range problems() {
		for _, schedule := range []Schedule{Together, Apart} {
			curve := plotio.Curve{Name: fmt.Sprintf("%d problems, %s", n, called(schedule))}
			for _, r := range replicas() {
				curve.Points = append(curve.Points, plotter.XY{X: math.Log2(float64(r)), Y: s.play(n, r, s.batch, schedule).Share})
			}
			curves = append(curves, curve)
		}
	}
	if err := c.Curves(curves); err != nil {
		return nil, err
	}
	c.X.Tick.Marker = doublings{}
	c.Y.Min, c.Y.Max = 0, 1
	return plotio.SVG(c, c.Around(plotio.Size{Width: 6 * vg.Inch, Height: 4 * vg.Inch}))
}

func called(s Schedule) string {
	if s == Together {
		return "turn by turn"
	}
	return "one by one"
}

// doublings mark numbers of replicas at their logarithms.
type doublings struct{}

// Ticks implements [plot.Ticker].
func (doublings) Ticks(_, _ float64) (list []plot.Tick) {
	for _, r := range replicas() {
		list = append(list, plot.Tick{Value: math.Log2(float64(r)), Label: fmt.Sprint(r)})
	}
	return list
}
