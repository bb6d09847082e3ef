package engine

import "fmt"

// Asked is how many tokens of a datum log-probabilities are asked for.
func (d *Datum) Asked() int {
	n := len(d.Tokens) - d.ScoreFrom
	for _, g := range d.Given {
		n -= g[1] - g[0]
	}
	return n
}

// Index returns where in Tokens the asked token i is; of i = [Datum.Asked], where the next one would be.
func (d *Datum) Index(i int) int {
	at := d.ScoreFrom + i
	for _, g := range d.Given {
		if at < g[0] {
			break
		}
		at += g[1] - g[0]
	}
	return at
}

// CheckGiven refuses given tokens that do not lie one range behind the other between ScoreFrom and the end.
func (d *Datum) CheckGiven() error {
	from := d.ScoreFrom
	for _, g := range d.Given {
		if g[0] < from || g[1] <= g[0] || g[1] > len(d.Tokens) {
			return fmt.Errorf("the given tokens %v must lie one range behind the other between ScoreFrom %d and the %d tokens", d.Given, d.ScoreFrom, len(d.Tokens))
		}
		from = g[1]
	}
	return nil
}
