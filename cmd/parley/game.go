package main

// The verb game: MAPoRL's collaboration game is solved and drawn, and tabular policies are trained on matrix games.
//
//	game.go    the collaboration game (maporl.md 5)
//	matrix.go  matrix games
//	plot.go    the figure of the collaboration game

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/seed"
	"parley/rl/game"
)

// gameCmd is the verb game.
type gameCmd struct {
	Collaboration collaborationCmd `cmd:"" default:"withargs" help:"Solve MAPoRL's collaboration game. This is the default of parley game."`
	Climbing      climbingCmd      `cmd:"" help:"Train two tabular policies on the climbing game."`
	Pairs         pairsCmd         `cmd:"" help:"Train two tabular policies on a game with the payoffs (5,5), (4,3), (3,4) and (0,0)."`
	Dilemma       dilemmaCmd       `cmd:"" help:"Train two tabular policies on a prisoner's dilemma."`
}

type collaborationCmd struct {
	Turns     int       `default:"10" placeholder:"T" help:"Turns of the game (${default})."`
	Threshold []int     `placeholder:"C,…" help:"Synergy begins after this many collaborations; a list solves each. Default: those of the paper's Figure 5."`
	Kind      string    `default:"equilibrium" enum:"equilibrium,static,hard,soft,figure" help:"What to solve: equilibrium (both agents learn), static (only the first turn of it), hard or soft (the best response to a fixed partner), or figure (all curves of Figure 5). Default: ${default}."`
	Opponent  []float64 `default:"0.5,0.6,0.7" placeholder:"P,…" help:"Probabilities that the fixed partner collaborates (${default})."`
	RCol      *float64  `name:"r-col" placeholder:"R" help:"Payoff of collaborating before the synergy. Without --r-col and --r-ind the result is an average over random payoffs."`
	RInd      *float64  `name:"r-ind" placeholder:"R" help:"Payoff of acting independently before the synergy."`
	RSyn      float64   `name:"r-syn" default:"1" placeholder:"R" help:"Payoff with synergy (${default})."`
	Tau       float64   `default:"0.1" placeholder:"X" help:"Entropy weight (${default})."`
	Count     string    `default:"joint" enum:"joint,total" help:"What the threshold counts: turns in which both collaborate (joint), or collaborative actions of both agents (total). Default: ${default}."`
	Entropy   bool      `default:"true" negatable:"" help:"Entropy terms in the values of the equilibrium (on)."`
	Selection string    `default:"selected" enum:"selected,lowest,highest" help:"Which equilibrium, if there are several. Default: ${default}."`
	Samples   int       `default:"5000" placeholder:"N" help:"Random payoffs to average over (${default}). 0: a grid of --grid² payoffs instead."`
	Grid      int       `default:"100" placeholder:"N" help:"Side of that grid (${default})."`
	Seed      uint64    `default:"1" placeholder:"N" help:"Seed of the random payoffs (${default})."`
	Plot      string    `placeholder:"FILE" help:"Draw Figure 5 to FILE.png, FILE.svg or FILE.pdf."`
	JSON      bool      `name:"json" help:"Print one JSON object."`
}

func (collaborationCmd) Help() string {
	return `Solves the repeated collaboration game of section 2 of the MAPoRL paper. Collaborating costs something now and pays later, but only if the partner collaborates too. The result is the probability that an agent collaborates in turn 1.

Examples:

    parley game                                        # Figure 5's multi-agent curve, 10 turns
    parley game --turns 20 --plot figure5.svg          # all curves of Figure 5
    parley game --turns 2 --threshold 1 --r-col 0.3 --r-ind 0.5
    parley game --kind hard --opponent 0.5,0.9 --samples 0
    parley game climbing --joint cross                 # a matrix game, learned by sampling

Exit codes: 0 solved; 1 the picture cannot be written; 2 a setting is wrong.`
}

// A gameRow is one line of the table: one threshold, and for best responses one partner.
type gameRow struct {
	Threshold int      `json:"threshold"`
	Opponent  *float64 `json:"opponent,omitempty"`
	P         float64  `json:"p"`               // of collaborating at turn 1
	Value     *float64 `json:"value,omitempty"` // what an agent expects of the game; absent for averages
}

func (c *collaborationCmd) Run(a *cli.App) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Kind == "figure" || c.Plot != "" {
		return c.figure(a)
	}
	var rows []gameRow
	for _, threshold := range c.thresholds() {
		for _, s := range c.solvers() {
			rows = append(rows, c.solve(threshold, s))
		}
	}
	if c.JSON {
		return a.PrintJSON(map[string]any{"turns": c.Turns, "kind": c.Kind, "tau": c.Tau, "r_syn": c.RSyn, "count": c.Count, "rows": rows})
	}
	return a.Table(func(w io.Writer) { c.print(w, rows) })
}

func (c *collaborationCmd) print(w io.Writer, rows []gameRow) {
	cli.Row(w, "turns", "threshold", "partner", "p(collaborate at turn 1)", "value")
	for _, r := range rows {
		partner, value := "learns", "-"
		if r.Opponent != nil {
			partner = fmt.Sprint(*r.Opponent)
		}
		if r.Value != nil {
			value = fmt.Sprintf("%.10g", *r.Value)
		}
		cli.Row(w, c.Turns, r.Threshold, partner, fmt.Sprintf("%.10g", r.P), value)
	}
}

func (c *collaborationCmd) check() error {
	if (c.RCol == nil) != (c.RInd == nil) {
		return cli.Usagef("--r-col and --r-ind belong together: give both or none")
	}
	if c.Samples < 0 || c.Grid < 1 {
		return cli.Usagef("--samples is %d and --grid is %d, expected at least 0 and 1", c.Samples, c.Grid)
	}
	for _, p := range c.Opponent {
		if !(p >= 0 && p <= 1) {
			return cli.Usagef("--opponent is %v, expected a probability", p)
		}
	}
	for _, threshold := range c.thresholds() {
		if err := c.game(threshold).Check(); err != nil {
			return cli.Usagef("%v", err)
		}
	}
	return nil
}

func (c *collaborationCmd) game(threshold int) game.Game {
	g := game.Game{Turns: c.Turns, Threshold: threshold, RSyn: c.RSyn, Tau: c.Tau, Count: game.Count(c.Count)}
	if c.RCol != nil {
		g.RCol, g.RInd = *c.RCol, *c.RInd
	}
	return g
}

func (c *collaborationCmd) thresholds() []int {
	if len(c.Threshold) > 0 {
		return c.Threshold
	}
	if list := game.Figure5Thresholds(c.Turns); len(list) > 0 {
		return list
	}
	return []int{1}
}

// A solver gives the probability of collaborating at turn 1 and the value of a game.
type solver struct {
	opponent *float64
	solve    func(game.Game) (p, value float64)
}

func (c *collaborationCmd) solvers() []solver {
	whole := func(s game.Solution) (p, value float64) { return s.First(), s.Value }
	selection := game.Selection(c.Selection)
	switch c.Kind {
	case "equilibrium":
		options := game.EquilibriumOptions{Entropy: c.Entropy, Selection: selection}
		return []solver{{nil, func(g game.Game) (p, value float64) { return whole(g.Equilibrium(options)) }}}
	case "static":
		return []solver{{nil, func(g game.Game) (p, value float64) { return g.Static(selection), 0 }}}
	}
	var list []solver
	for _, pi := range c.Opponent {
		list = append(list, solver{&pi, func(g game.Game) (p, value float64) {
			if c.Kind == "hard" {
				return whole(g.HardResponse(pi))
			}
			return whole(g.SoftResponse(pi))
		}})
	}
	return list
}

func (c *collaborationCmd) solve(threshold int, s solver) gameRow {
	g, r := c.game(threshold), gameRow{Threshold: threshold, Opponent: s.opponent}
	if c.RCol == nil {
		r.P = c.mean(g, func(g game.Game) float64 { p, _ := s.solve(g); return p })
		return r
	}
	p, value := s.solve(g)
	r.P = p
	if c.Kind != "static" {
		r.Value = &value
	}
	return r
}

// mean averages over pays: the same random ones for every threshold and solver, or a grid.
func (c *collaborationCmd) mean(g game.Game, f func(game.Game) float64) float64 {
	if c.Samples == 0 {
		return g.GridMean(c.Grid, f)
	}
	return g.SampleMean(c.Samples, seed.Stream(seed.Derive(c.Seed, "game")).Float64, f)
}

func (c *collaborationCmd) figure(a *cli.App) error {
	if c.RCol != nil {
		return cli.Usagef("figure 5 averages over random pays: leave out --r-col and --r-ind")
	}
	g := c.game(1)
	f := g.Figure5(c.Turns, c.thresholds(), c.mean)
	if c.Plot != "" {
		return c.draw(a, f)
	}
	if c.JSON {
		return a.PrintJSON(f)
	}
	return a.Table(func(w io.Writer) {
		head := []any{"threshold"}
		for _, curve := range f.Curves {
			head = append(head, curve.Name)
		}
		cli.Row(w, head...)
		for i, threshold := range f.Thresholds {
			cells := []any{threshold}
			for _, curve := range f.Curves {
				cells = append(cells, fmt.Sprintf("%.4f", curve.P[i]))
			}
			cli.Row(w, cells...)
		}
	})
}

func (c *collaborationCmd) draw(a *cli.App, f game.Figure) error {
	render := map[string]func(game.Figure) ([]byte, error){".png": figurePNG, ".svg": figureSVG, ".pdf": figurePDF}[strings.ToLower(filepath.Ext(c.Plot))]
	if render == nil {
		return cli.Usagef("--plot %s: expected a name that ends in .png, .svg or .pdf", c.Plot)
	}
	image, err := render(f)
	if err == nil {
		err = os.WriteFile(c.Plot, image, 0o644)
	}
	if err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	if c.JSON {
		return a.PrintJSON(f)
	}
	a.Say("wrote", c.Plot)
	return nil
}
