package main

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
	"slices"
	"strings"
	"time"

	"parley/engine/native/kernel"
	"parley/internal/sysmem"
	"parley/runs"
	"parley/sandbox"
	"parley/sandbox/wasm"
)

type doctorCmd struct {
	JSON bool `name:"json" help:"Print one JSON object {\"ok\":…,\"checks\":[…]}."`
}

func (doctorCmd) Help() string {
	return `Checks the processor, the memory, the runs folder, the disk, Python and the sandboxes. For each check that fails it prints a remedy.

Examples:

    parley doctor
    parley doctor --json

Exit codes: 0 training works, although options may be missing; 1 training does not work here.`
}

// A check is one line of the examination.
type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Needed bool   `json:"needed"` // training does not work without it
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty"` // what to do where it is not ok
}

func (c *doctorCmd) Run(a *app) error {
	checks := append([]check{checkCPU(), checkMemory(), checkRuns(), checkDisk(), a.checkPython()}, a.checkSandboxes()...)
	ok := true
	for _, c := range checks {
		ok = ok && (c.OK || !c.Needed)
	}
	var err error
	if c.JSON {
		err = a.printJSON(map[string]any{"ok": ok, "checks": checks})
	} else {
		err = a.table(func(w io.Writer) { printChecks(w, checks) })
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
		row(w, mark, c.Name, c.Found)
		if !c.OK {
			row(w, "", "", "→ "+c.Remedy)
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
	found := fmt.Sprintf("%s free of %s", mebibytes(int64(free)), mebibytes(int64(sysmem.Total())))
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
	free, err := freeDisk(existing(root))
	if err != nil {
		return check{"disk", true, false, "not known: " + err.Error(), ""}
	}
	return check{"disk", free >= leastDisk, true, mebibytes(free) + " free for runs", "free some space, or set PARLEY_RUNS to a folder on another disk"}
}

func (a *app) checkPython() check {
	return a.tool("python", "python3", "install Python 3: tasks that run model-written code need it, nothing else does", "--version")
}

// sandboxes are the ways to isolate programs, the usual one first.
var sandboxes = []string{sandbox.DefaultBackend, wasm.Name}

// checkSandboxes runs a program in every sandbox: whether its parts are installed says little about whether it may isolate.
func (a *app) checkSandboxes() []check {
	list := make([]check, len(sandboxes))
	for i, backend := range sandboxes {
		list[i] = a.checkSandbox(backend)
	}
	chosen := cmp.Or(os.Getenv(sandbox.BackendVariable), sandbox.DefaultBackend)
	if i := slices.Index(sandboxes, chosen); i >= 0 {
		list[i].Found += "; chosen"
	}
	return list
}

func (a *app) checkSandbox(backend string) check {
	name := "sandbox"
	if backend != sandbox.DefaultBackend {
		name += " " + backend
	}
	pool, err := sandbox.Open(a.ctx, sandbox.Options{Workers: 1, Backend: backend})
	var missing *sandbox.Unavailable
	if errors.As(err, &missing) {
		return check{name, false, false, missing.Reason, missing.Remedy + ": tasks that run model-written code need a sandbox, nothing else does"}
	}
	if err == nil {
		defer pool.Close()
		var r sandbox.Result
		if r, err = pool.Run(a.ctx, sandbox.Program{Source: "assert 6 * 7 == 42"}); err == nil && r.OK() {
			return check{name, true, false, "programs run isolated: " + pool.String(), ""}
		}
	}
	return check{name, false, false, fmt.Sprintf("a program does not run: %v", err), "try again when the machine is less busy"}
}

// tool runs a program that only some tasks need.
func (a *app) tool(name, program, remedy string, args ...string) check {
	path, err := exec.LookPath(program)
	if err != nil {
		return check{name, false, false, program + " is not installed", remedy}
	}
	ctx, cancel := context.WithTimeout(a.ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).Output()
	if err != nil {
		return check{name, false, false, fmt.Sprintf("%s does not run: %v", path, err), remedy}
	}
	return check{name, true, false, strings.TrimSpace(string(out)) + " at " + path, ""}
}
