package show

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"parley/internal/folder"
	"parley/internal/usererror"
	"parley/runs"
	"parley/runs/store"
)

// A Detail is one run.
type Detail struct {
	Row
	Dir         string       `json:"dir"`
	Versions    Versions     `json:"versions"`
	Bases       []runs.Base  `json:"bases"`
	Changes     []string     `json:"changes"`
	Checkpoints []int        `json:"checkpoints"`
	Adapters    []string     `json:"adapters"`
	Report      *runs.Report `json:"report"`
	ReportText  string       `json:"report_text"` // report.md
	Pictures    []string     `json:"pictures"`
	Commands    []Command    `json:"commands"`
	Answers     bool         `json:"answers"`           // to held-out problems are kept
	Refused     string       `json:"refused,omitempty"` // why it cannot go on
}

// Versions are what made the run.
type Versions struct {
	Parley  string `json:"parley"`
	Go      string `json:"go"`
	System  string `json:"system"`
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"`
	Kernels string `json:"kernels"`
	Threads int    `json:"threads"`
}

// A Command is something to do with the run on a command line.
type Command struct {
	What    string `json:"what"`
	Command string `json:"command"`
}

// Detail reads one run.
func (r *Root) Detail(id string) (*Detail, error) {
	row, err := r.Row(id)
	if err != nil {
		return nil, err
	}
	dir, err := r.Path(id)
	if err != nil {
		return nil, err
	}
	d := &Detail{Row: row, Dir: dir, Bases: []runs.Base{}, Changes: []string{}, Checkpoints: []int{}, Adapters: []string{}, Pictures: []string{}}
	if meta, err := runs.Read(dir); err == nil { // else the state says so
		d.Versions = Versions{meta.Parley, meta.Go, meta.System, meta.CPU, meta.Cores, meta.Kernels, meta.Threads}
		d.Bases = append(d.Bases, meta.Bases...)
		for _, c := range meta.Changes {
			d.Changes = append(d.Changes, c.String())
		}
	}
	if list, err := runs.Checkpoints(dir); err == nil {
		d.Checkpoints = append(d.Checkpoints, list...)
	}
	if report, err := runs.ReadReport(dir); err == nil {
		d.Report = &report
	}
	if text, err := folder.ReadFile(dir, "report.md"); err == nil {
		d.ReportText = string(text)
	}
	if kept, err := store.Answers(dir); err == nil {
		d.Answers = len(kept) > 0
	}
	d.look(dir)
	d.commands(dir)
	return d, nil
}

// look lists adapters and pictures.
func (d *Detail) look(dir string) {
	if entries, err := folder.List(dir, "adapters"); err == nil {
		for _, e := range entries {
			if e.IsDir() {
				d.Adapters = append(d.Adapters, e.Name())
			}
		}
	}
	if entries, err := folder.List(dir, "."); err == nil {
		for _, e := range entries {
			if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".svg") {
				d.Pictures = append(d.Pictures, e.Name())
			}
		}
	}
}

func (d *Detail) commands(dir string) {
	d.Commands = []Command{}
	if d.Checkpoint > 0 || len(d.Adapters) > 0 {
		d.Commands = append(d.Commands,
			Command{"talk to it", usererror.Quote("parley", "chat", dir)},
			Command{"serve it to other programs", usererror.Quote("parley", "serve", dir)},
			Command{"export its adapters", usererror.Quote("parley", "run", "export", dir, "--out", d.Name+"-export")})
	}
	switch d.State {
	case runs.Failed, runs.Interrupted, runs.Damaged:
		d.Commands = append(d.Commands, Command{"go on with it", runs.Again(dir)})
	case runs.Finished:
		if d.Checkpoint > 0 { // else there is nothing to go on from
			d.Commands = append(d.Commands, Command{"train it further", usererror.Quote("parley", "train", "--resume", dir, "--updates", "+20")})
		}
	case runs.Running:
	}
}

// Picture reads a picture of a run: only plain SVG files that lie in its folder.
func (r *Root) Picture(id, name string) ([]byte, error) {
	dir, err := r.Path(id)
	if err != nil {
		return nil, err
	}
	if name != filepath.Base(name) || !strings.HasSuffix(name, ".svg") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return folder.ReadFile(dir, name)
}

// Diagnosis is what was looked for in training. A run without one has an empty one.
func (r *Root) Diagnosis(id string) (*store.Diagnosis, error) {
	dir, err := r.Path(id)
	if err != nil {
		return nil, err
	}
	d, err := store.ReadDiagnosis(dir)
	if errors.Is(err, fs.ErrNotExist) {
		d, err = store.Diagnosis{}, nil
	}
	if err != nil {
		return nil, err
	}
	d.Diagnostics = append([]store.Diagnostic{}, d.Diagnostics...)
	d.Checked = append([]store.Rule{}, d.Checked...)
	d.Unchecked = append([]store.Unchecked{}, d.Unchecked...)
	for i := range d.Diagnostics {
		d.Diagnostics[i].Evidence = append([]store.Place{}, d.Diagnostics[i].Evidence...)
	}
	return &d, nil
}
