package traincmd

// The verb doctor: what works on this machine, what does not, and the remedy.
//
//	doctor.go         the checks, their table and their JSON; instruction sets
//	doctor_engine.go  a training cluster
//	doctor_torch.go   PyTorch and its devices

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/cpu"

	"parley/cmd/parley/internal/cli"
	"parley/engine/native/kernel"
	"parley/internal/service"
	"parley/internal/sysmem"
	"parley/runs"
	"parley/task/sandbox"
	"parley/task/sandbox/wasm"
)

// Doctor is the verb doctor.
type Doctor struct {
	JSON        bool   `name:"json" help:"Print one JSON object {\"ok\":…,\"checks\":[…]}."`
	Engine      string `name:"engine" placeholder:"URL" help:"Measure the training cluster there instead, as engine.tinker in a recipe does; torch: PyTorch on this machine, for engine.torch."`
	EngineModel string `name:"engine-model" placeholder:"NAME" help:"The cluster's name for the base, where it has several."`
	Recipe      string `name:"recipe" placeholder:"RECIPE" help:"With --engine: list what a recipe asks of the cluster in vain; with torch: look where its engine.torch.python says."`
	Alone       bool   `name:"alone" help:"With --engine: nobody else uses the cluster, so that what would harm others is measured too."`
	KeyEnv      string `name:"key-env" placeholder:"VARIABLE" help:"The environment variable that holds the cluster's key."`
}

func (Doctor) Help() string {
	return `Checks the processor, the memory, the runs folder, the disk, Python and the sandboxes. For each check that fails it prints a remedy.

Examples:

    parley doctor
    parley doctor --json
    parley doctor --engine torch
    parley doctor --engine http://127.0.0.1:8000
    parley doctor --engine http://127.0.0.1:8000 --recipe examples/cluster/magrpo-tiny-cluster.yaml --json

With --engine torch it looks for Python with PyTorch and transformers, for devices and their memory, and times products on each; --json prints one object {"ok":…,"python":…,"torch":…,"transformers":…,"devices":[…],"missing":[…]}.

With --engine URL --json it prints one object {"profile":…,"mismatches":[…]}.

Exit codes: 0 training works, although options may be missing; 1 training does not work here; 2 the recipe asks the cluster for what it has not, or there is no Python for the torch engine.`
}

// A check is one line of the examination.
type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Needed bool   `json:"needed"` // training does not work without it
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty"` // what to do where it is not ok
}

func (c *Doctor) Run(a *cli.App) error {
	switch c.Engine {
	case "":
	case torchEngine:
		return c.lookForTorch(a)
	default:
		return c.examine(a)
	}
	checks := append([]check{checkCPU(), checkMemory(), checkRuns(), checkDisk(), checkPython(a)}, checkSandboxes(a)...)
	ok := true
	for _, c := range checks {
		ok = ok && (c.OK || !c.Needed)
	}
	var err error
	if c.JSON {
		err = a.PrintJSON(map[string]any{"ok": ok, "checks": checks})
	} else {
		err = a.Table(func(w io.Writer) { printChecks(w, checks) })
	}
	if err == nil && !ok {
		err = fmt.Errorf("this machine lacks something that training needs")
	}
	return err
}

func printChecks(w io.Writer, checks []check) {
	for _, c := range checks {
		mark := "ok"
		switch {
		case !c.OK && c.Needed:
			mark = "FAILS"
		case !c.OK:
			mark = "missing"
		}
		cli.Row(w, mark, c.Name, c.Found)
		if !c.OK {
			cli.Row(w, "", "", "→ "+c.Remedy)
		}
	}
}

// checkCPU says which kernels run here and which one is chosen. PARLEY_CPU must be one of them.
func checkCPU() check {
	sets := kernel.Available()
	k, err := kernel.New(os.Getenv("PARLEY_CPU"), 1)
	if err != nil {
		return check{"cpu", false, true, err.Error(), "set PARLEY_CPU to one of " + strings.Join(sets, ", ") + ", or unset it"}
	}
	defer k.Close()
	found := fmt.Sprintf("%s/%s, %d cores, features: %s; kernel sets: %s; chosen: %s", runtime.GOOS, runtime.GOARCH,
		runtime.GOMAXPROCS(0), strings.Join(cpuFeatures(), " "), strings.Join(sets, " "), k.Name())
	found += withoutAMX(kernel.Refused())
	if why := kernel.Slow(os.Getenv("PARLEY_CPU")); why != "" {
		found += "; " + why
	}
	return check{"cpu", true, true, found, ""}
}

// withoutAMX says why the set amx is not among the sets though the processor has its instructions.
func withoutAMX(why string) string {
	if why == "" {
		return ""
	}
	return "; amx not: " + why
}

// leastMemory is what training the shipped base needs, with room for the system.
const leastMemory = 512 << 20

func checkMemory() check {
	free := sysmem.Available()
	if math.IsInf(free, 1) {
		return check{"memory", true, true, "not known on this system", ""}
	}
	found := fmt.Sprintf("%s free of %s", cli.Mebibytes(int64(free)), cli.Mebibytes(int64(sysmem.Total())))
	return check{"memory", free >= leastMemory, true, found, "stop other programs, or give the container more: the shipped recipes need about 512 MiB"}
}

// checkRuns tries to write where runs are kept, and leaves nothing behind.
func checkRuns() check {
	root, err := filepath.Abs(runs.Root())
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(existing(root), ".parley-doctor-*"); err == nil {
			f.Close()
			err = os.Remove(f.Name())
		}
	}
	if err != nil {
		return check{"runs folder", false, true, err.Error(), "set PARLEY_RUNS to a folder that you may write to"}
	}
	return check{"runs folder", true, true, root, ""}
}

// existing returns dir or the nearest thing above it that exists.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// leastDisk holds a run of a shipped recipe many times over.
const leastDisk = 200 << 20

func checkDisk() check {
	root, err := filepath.Abs(runs.Root())
	if err != nil {
		return check{"disk", false, false, err.Error(), "change to a folder that exists"}
	}
	free, err := sysmem.FreeDisk(existing(root))
	if err != nil {
		return check{"disk", true, false, "not known: " + err.Error(), ""}
	}
	return check{"disk", free >= leastDisk, true, cli.Mebibytes(free) + " free for runs", "free some space, or set PARLEY_RUNS to a folder on another disk"}
}

func checkPython(a *cli.App) check {
	return tool(a, "python", service.Python(), "install Python 3, or name one with PARLEY_PYTHON: tasks that run model-written code need it, nothing else does", "--version")
}

// sandboxes are the ways to isolate programs, the usual one first.
var sandboxes = []string{sandbox.DefaultBackend, wasm.Name}

// checkSandboxes runs a program in every sandbox: whether its parts are installed says little about whether it may isolate.
func checkSandboxes(a *cli.App) (list []check) {
	chosen := cmp.Or(os.Getenv(sandbox.BackendVariable), sandbox.DefaultBackend)
	for _, backend := range sandboxes {
		checks := checkSandbox(a, backend)
		if backend == chosen {
			checks[0].Found += "; chosen"
		}
		list = append(list, checks...)
	}
	return list
}

// checkSandbox returns the check of a sandbox, and behind it what the machine lacks for it.
func checkSandbox(a *cli.App, backend string) []check {
	name := "sandbox"
	if backend != sandbox.DefaultBackend {
		name += " " + backend
	}
	pool, err := sandbox.Open(a.Ctx, sandbox.Options{Workers: 1, Backend: backend})
	if missing, ok := errors.AsType[*sandbox.Unavailable](err); ok {
		return []check{{name, false, false, missing.Reason, missing.Remedy + ": tasks that run model-written code need a sandbox, nothing else does"}}
	}
	if err == nil {
		defer pool.Close()
		var r sandbox.Result
		if r, err = pool.Run(a.Ctx, sandbox.Program{Source: "assert 6 * 7 == 42"}); err == nil && r.OK() {
			return append([]check{{name, true, false, "programs run isolated: " + pool.String(), ""}}, lacks(name, pool)...)
		}
	}
	return []check{{name, false, false, fmt.Sprintf("a program does not run: %v", err), "try again when the machine is less busy"}}
}

// lacks are the checks of what a sandbox that isolates has to do without.
func lacks(name string, pool *sandbox.Pool) (list []check) {
	if l, ok := pool.Backend.(sandbox.Lacking); ok {
		for _, lack := range l.Lacks() {
			list = append(list, check{name + " " + lack.Name, false, false, lack.Reason, lack.Remedy})
		}
	}
	return list
}

// tool runs a program that only some tasks need.
func tool(a *cli.App, name, program, remedy string, args ...string) check {
	path, err := exec.LookPath(program)
	if err != nil {
		return check{name, false, false, program + " is not installed", remedy}
	}
	ctx, cancel := context.WithTimeout(a.Ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).Output()
	if err != nil {
		return check{name, false, false, fmt.Sprintf("%s does not run: %v", path, err), remedy}
	}
	return check{name, true, false, strings.TrimSpace(string(out)) + " at " + path, ""}
}

// cpuFeatures lists the instruction sets that kernels use or will use, as far as this processor has them.
func cpuFeatures() []string {
	var list []string
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"avx2", cpu.X86.HasAVX2},
		{"fma", cpu.X86.HasFMA},
		{"avx512f", cpu.X86.HasAVX512F},
		{"avx512bw", cpu.X86.HasAVX512BW},
		{"avx512dq", cpu.X86.HasAVX512DQ},
		{"avx512vl", cpu.X86.HasAVX512VL},
		{"avx512bf16", cpu.X86.HasAVX512BF16},
		{"amx-tile", cpu.X86.HasAMXTile},
		{"amx-bf16", cpu.X86.HasAMXBF16},
		{"neon", cpu.ARM64.HasASIMD},
	} {
		if f.has {
			list = append(list, f.name)
		}
	}
	if list == nil {
		return []string{"none that is used"}
	}
	return list
}
