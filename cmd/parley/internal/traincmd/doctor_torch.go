package traincmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/engine/torch"
	"parley/internal/sysmem"
	"parley/internal/usererror"
)

// torchEngine is what --engine names the torch engine by.
const torchEngine = "torch"

// lookForTorch says what there is for the torch engine, and what is missing.
func (c *Doctor) lookForTorch(a *cli.App) error {
	var python string
	if c.Recipe != "" {
		r, err := a.LoadRecipe(c.Recipe, nil, nil)
		if err != nil {
			return err
		}
		python = r.Engine.Torch.Python
	}
	report, err := torch.Look(a.Ctx, torch.Options{Python: python})
	if err != nil {
		return usererror.Errorf("engine.torch needs Python with PyTorch and transformers: %w", err)
	}
	if c.JSON {
		err = a.PrintJSON(reported(report))
	} else {
		err = a.Table(func(w io.Writer) { printReport(w, report) })
	}
	if err == nil && len(report.Missing) > 0 {
		err = missing(report)
	}
	return err
}

// missing is one sentence with the commands that get what there is not.
func missing(r torch.Report) error {
	var what []string
	for _, m := range r.Missing {
		what = append(what, m.What)
	}
	return fmt.Errorf("engine.torch cannot be used with %s, which lacks %s: %s", r.Python, strings.Join(what, " and "), strings.Join(commands(r.Missing), "; "))
}

// commands are those that get what is missing: one gets all packages.
func commands(list []torch.Missing) (out []string) {
	const install = " pip install "
	for _, m := range list {
		who, what, installs := strings.Cut(m.Command, install)
		i := slices.IndexFunc(out, func(c string) bool { return installs && strings.HasPrefix(c, who+install) })
		if i < 0 {
			out = append(out, m.Command)
		} else {
			out[i] += " " + what
		}
	}
	return out
}

// torchReport is what --engine torch --json prints.
type torchReport struct {
	OK           bool          `json:"ok"`
	Python       string        `json:"python"`
	Version      string        `json:"version"`
	Torch        string        `json:"torch,omitempty"`
	Transformers string        `json:"transformers,omitempty"`
	Devices      []torchDevice `json:"devices"`
	Missing      []torchLack   `json:"missing"`
}

type torchDevice struct {
	Name     string         `json:"name"`
	Title    string         `json:"title,omitempty"`
	Memory   int64          `json:"memory_bytes,omitempty"`
	Free     int64          `json:"free_bytes,omitempty"`
	Products []torchProduct `json:"products"`
}

type torchProduct struct {
	DType  string  `json:"dtype"`
	Size   int     `json:"size"`
	Flops  float64 `json:"flop_per_second,omitempty"`
	Failed string  `json:"failed,omitempty"`
}

type torchLack struct {
	What    string `json:"what"`
	Command string `json:"command"`
}

func reported(r torch.Report) torchReport {
	out := torchReport{OK: len(r.Missing) == 0, Python: r.Python, Version: r.Version, Torch: r.Torch, Transformers: r.Transformers, Devices: []torchDevice{}, Missing: []torchLack{}}
	for _, d := range r.Devices {
		device := torchDevice{d.Name, d.Title, d.Memory, d.Free, []torchProduct{}}
		for _, p := range d.Products {
			device.Products = append(device.Products, torchProduct(p))
		}
		out.Devices = append(out.Devices, device)
	}
	for _, m := range r.Missing {
		out.Missing = append(out.Missing, torchLack(m))
	}
	return out
}

// speed writes operations a second.
func speed(flops float64) string {
	if flops < 1e12 {
		return fmt.Sprintf("%.3g GFLOP/s", flops/1e9)
	}
	return fmt.Sprintf("%.3g TFLOP/s", flops/1e12)
}

func printReport(w io.Writer, r torch.Report) {
	cli.Row(w, "python", strings.TrimSpace(r.Version+" at "+r.Python))
	for _, p := range []struct{ name, version string }{{"torch", r.Torch}, {"transformers", r.Transformers}} {
		if p.version != "" {
			cli.Row(w, p.name, p.version)
		}
	}
	for _, d := range r.Devices {
		what := []string{}
		if d.Title != "" {
			what = append(what, d.Title)
		}
		if d.Memory > 0 {
			what = append(what, fmt.Sprintf("%s free of %s", sysmem.Amount(float64(d.Free)), sysmem.Amount(float64(d.Memory))))
		}
		for _, p := range d.Products {
			if p.Failed != "" {
				what = append(what, p.DType+" fails: "+p.Failed)
			} else {
				what = append(what, fmt.Sprintf("%s in %s", speed(p.Flops), p.DType))
			}
		}
		cli.Row(w, "device "+d.Name, strings.Join(what, ", "))
	}
	for _, m := range r.Missing {
		cli.Row(w, "missing", m.What)
	}
	for _, c := range commands(r.Missing) {
		cli.Row(w, "", "→ "+c)
	}
}
