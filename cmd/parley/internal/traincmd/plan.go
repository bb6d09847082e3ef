package traincmd

import (
	"fmt"
	"io"
	"strconv"

	"parley/cmd/parley/internal/cli"
	"parley/engine/native"
	"parley/internal/sysmem"
	"parley/recipe"
	"parley/runs"
	"parley/train"
	"parley/train/cluster"
	"parley/train/progress"
)

// plan prints what a recipe will take, or what a run will, after what it has measured.
func (c *Train) plan(a *cli.App, o train.Options) error {
	r, done := o.Recipe, progress.Done{}
	if o.Resume {
		meta, err := runs.Read(o.Dir)
		if err != nil {
			return err
		}
		if r, err = a.Language.Parse("recipe of run "+o.Dir, []byte(meta.Recipe), nil); err != nil {
			return err
		}
		if done, err = progress.MeasuredPlan(o.Dir); err != nil {
			return err
		}
	}
	if err := cluster.Check(r); err != nil {
		return err
	}
	var prices *progress.Prices
	if c.Prices != "" {
		var err error
		if prices, err = progress.ReadPrices(c.Prices); err != nil {
			return cli.Usagef("%v", err)
		}
	}
	p, err := progress.Replan(r, cluster.For(r, native.Backend{}), done)
	if err != nil {
		return err
	}
	if err := c.price(a, r, p, prices); err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(p)
	}
	return printPlan(a, p)
}

// price gives a plan hours and a cost, as far as speeds and prices are known.
func (c *Train) price(a *cli.App, r *recipe.Recipe, p *progress.Plan, prices *progress.Prices) error {
	if c.Bench {
		speed, err := benchSpeed(a.Ctx, r)
		if err != nil {
			return err
		}
		p.At(speed)
	}
	if prices != nil {
		p.At(prices.Speed)
		p.Price(prices)
	}
	return nil
}

func printPlan(a *cli.App, p *progress.Plan) error {
	return a.Table(func(w io.Writer) {
		cli.Row(w, p.Recipe, "low", "likely", "high")
		tokens := func(what string, r progress.Range) {
			if r.High > 0 {
				cli.Row(w, what, figure(r.Low), figure(r.Likely), figure(r.High))
			}
		}
		for _, f := range p.Phases {
			tokens(f.Phase+": tokens generated", f.Generated)
			tokens(f.Phase+": tokens read", f.Read)
			tokens(f.Phase+": tokens trained on", f.Trained)
			tokens(f.Phase+": "+requests[f.Phase], f.Requests)
		}
		if h := p.Hours; h != nil {
			cli.Row(w, "hours", fmt.Sprintf("%.3g", h.Low), fmt.Sprintf("%.3g", h.Likely), fmt.Sprintf("%.3g", h.High))
		}
		if c := p.Cost; c != nil {
			cli.Row(w, "cost in "+c.Currency, fmt.Sprintf("%.2f", c.Low), fmt.Sprintf("%.2f", c.Likely), fmt.Sprintf("%.2f", c.High))
		}
		cli.Row(w)
		cli.Row(w, "updates", fmt.Sprintf("%d in %s, %d of them measured", p.Updates, cli.Plural(p.Runs, "run"), p.Measured))
		cli.Row(w, "memory", "estimated: "+sysmem.Amount(p.Memory.Total))
		m := p.Most
		cli.Row(w, "at once", fmt.Sprintf("%d samples of at most %d tokens; keys and values of all of them: %s", m.Samples, m.Tokens, sysmem.Amount(m.CacheSize)))
		cli.Row(w, "adapters", strconv.Itoa(p.Adapters))
		if p.Hours == nil {
			cli.Row(w, "hours", "not known: --bench measures this machine, a price list says the speed of another, and a run knows its own (--resume RUN --plan)")
		} else if p.Speed != nil {
			cli.Row(w, "tokens a second", fmt.Sprintf("generated %.4g, read %.4g, trained on %.4g (%s)", p.Speed.Generated, p.Speed.Read, p.Speed.Trained, p.Speed.Source))
		}
		for _, m := range p.Missing {
			cli.Row(w, "not here", m.Name+": "+m.Remedy)
		}
	})
}

// requests are what a phase asks for.
var requests = map[string]string{"rollouts": "completions", "scoring": "calls of verifiers", "training": "optimizer steps", "evaluation": "completions"}

// figure writes a count of tokens.
func figure(x float64) string { return thousands(int(x + 0.5)) }
