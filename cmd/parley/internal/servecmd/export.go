package servecmd

import (
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/folder"
	"parley/viewer"
	"parley/viewer/episodes"
	"parley/viewer/web"
)

type exportCmd struct {
	Run_     string   `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	Out      string   `required:"" placeholder:"FILE.html" help:"The file that is written. One that is there is replaced."`
	Episodes int      `default:"200" placeholder:"N" help:"How many episodes the file has, the newest ones and those that diagnostics point to."`
	Episode  []string `placeholder:"UPDATE/EPISODE" help:"An episode that the file has whatever their number, such as 5/15. Repeatable."`
	JSON     bool     `name:"json" help:"Print one JSON object {\"out\",\"bytes\"}."`
}

func (exportCmd) Help() string {
	return `Writes one HTML file with the page and the run in it: its curves, diagnostics, recipe, timeline and newest episodes. It opens in any browser without a network and without parley.

Example:

    parley ui export magrpo-tiny-s1 --out run.html

Exit codes: 0 written; 1 the run cannot be read or the file not written; 2 there is no such run, or a flag is wrong.`
}

func (c *exportCmd) Run(a *cli.App) error {
	dir, err := cli.FindRun(c.Run_)
	if err != nil {
		return err
	}
	if c.Episodes < 0 {
		return cli.Usagef("--episodes is %d, expected at least 0", c.Episodes)
	}
	var also []episodes.Place
	for _, named := range c.Episode {
		update, index, _ := strings.Cut(named, "/")
		u, wrong := strconv.Atoi(update)
		i, worse := strconv.Atoi(index)
		if wrong != nil || worse != nil {
			return cli.Usagef("--episode %s: write an update and an episode, such as 5/15", named)
		}
		also = append(also, episodes.Place{Update: u, Index: i})
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	files, err := fs.Sub(web.Dist, "dist")
	if err != nil {
		return err
	}
	server := viewer.New(viewer.Options{Root: filepath.Dir(dir), Token: "export", Version: cli.VersionString(), ReadOnly: true, Language: a.Language, Files: files})
	page, err := server.Export(a.Ctx, filepath.Base(dir), c.Episodes, also...)
	if err != nil {
		return err
	}
	if err := folder.WriteFile(c.Out, page); err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(map[string]any{"out": c.Out, "bytes": len(page)})
	}
	a.Sayf("wrote %s (%s)\n", c.Out, cli.Mebibytes(int64(len(page))))
	return nil
}
