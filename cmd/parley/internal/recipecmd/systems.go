package recipecmd

import (
	"io"

	"parley/cmd/parley/internal/cli"
)

// listSystems prints the systems of papers that are recipes here.
func listSystems(a *cli.App, asJSON bool) error {
	type item struct {
		System   string `json:"system"`
		Trains   string `json:"trains"`
		Exchange string `json:"exchange"`
		Evidence string `json:"evidence"`
		Recipe   string `json:"recipe"`
		Twin     string `json:"twin"`
	}
	all := relatedSystems()
	if asJSON {
		list := make([]item, len(all))
		for i, s := range all {
			list[i] = item{s.Name, s.Trains, s.Exchange, s.Evidence, s.Recipe(), s.Twin()}
		}
		return a.PrintJSON(list)
	}
	return a.Table(func(w io.Writer) {
		cli.Row(w, "system", "trains", "exchange", "evidence", "recipe", "twin", "not reproduced")
		for _, s := range all {
			cli.Row(w, s.Name, s.Trains, s.Exchange, s.Evidence, orDash(s.Recipe()), orDash(s.Twin()), s.Missing)
		}
	})
}

// orDash is a cell that is not empty.
func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
