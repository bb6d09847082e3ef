package servecmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/viewer"
)

type getCmd struct {
	Route string `arg:"" name:"route" help:"What the page asks for, without /api/: runs, runs/RUN/timeline, \"runs/RUN/episodes?limit=5\"."`
	Runs  string `placeholder:"DIR" help:"Folder of runs, or one run. Default: the runs folder."`
}

func (getCmd) Help() string {
	return `Prints the JSON that the page of ` + "`parley ui`" + ` shows, without a server. What it reads is not changed.

    runs                            the table of runs
    compare?run=RUN&run=RUN         curves and differences of runs
    runs/RUN                        a run: its report, checkpoints, adapters and pictures
    runs/RUN/metrics                its curves, with units and sentences
    runs/RUN/timeline               its updates in parts, from trace.json
    runs/RUN/costs                  tokens of each agent
    runs/RUN/diagnostics            what fired, with the evidence
    runs/RUN/recipe                 the recipe, and where it differs from its preset
    runs/RUN/episodes?KEY=VALUE     episodes, by the filters of the page's address
    runs/RUN/distributions          of their rewards and advantages
    runs/RUN/episodes/UPDATE/INDEX  one episode; with /tokens its tokens
    runs/RUN/problems               problems that came several times
    runs/RUN/problem?id=PROBLEM     one of them through training
    runs/RUN/swaps                  what was played again with other agents
    runs/RUN/questions              what its team was asked, and what it answered
    runs/RUN/contribution           what its agents contribute, as far as it was played

Examples:

    parley ui get runs
    parley ui get runs/magrpo-tiny-s1/timeline
    parley ui get "runs/magrpo-tiny-s1/episodes?truncated=1&limit=5"

Exit codes: 0 printed; 1 the run is damaged where the answer would be; 2 there is no such route or run, or a filter is wrong.`
}

func (c *getCmd) Run(a *cli.App) error {
	root, _, err := rootOf(c.Runs)
	if err != nil {
		return err
	}
	server := viewer.New(viewer.Options{Root: root, Token: "get", Version: cli.VersionString(), ReadOnly: true, Language: a.Language}) // without the page's files
	status, body := server.Ask(a.Ctx, "/api/"+strings.TrimPrefix(strings.TrimPrefix(c.Route, "/"), "api/"))
	if status != http.StatusOK {
		return refused(status, body)
	}
	if !json.Valid(body) { // a picture, or a stream of events
		return cli.Usagef("%s is no JSON: write a route such as runs/RUN/timeline", c.Route)
	}
	return a.PrintJSON(json.RawMessage(body))
}

// refused is the error that a route answered with.
func refused(status int, body []byte) error {
	var answer struct{ Error struct{ Message string } }
	if err := json.Unmarshal(body, &answer); err != nil || answer.Error.Message == "" {
		answer.Error.Message = fmt.Sprintf("status %d: %.200s", status, body)
	}
	if status < http.StatusInternalServerError {
		return cli.Usagef("%s", answer.Error.Message)
	}
	return errors.New(answer.Error.Message)
}
