package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptServes starts `parley serve` with arguments until the script ends, which it has to do with exit code 0. SERVED is where it listens, and
// PARLEY_TOKEN its token.
func scriptServes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: serves WHAT…")
	}
	path, err := exec.LookPath(filepath.Join(ts.Getenv("BARE_PATH"), "parley"))
	ts.Check(err)
	cmd := exec.Command(path, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), append(os.Environ(), "PARLEY_RUNS=", "PARLEY_TOKEN=")
	said, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		ts.Check(cmd.Process.Signal(os.Interrupt))
		wantCode(ts, "0", cmd.Wait())
	})
	told := regexp.MustCompile(`^(token|listening on) (\S+)$`)
	all := ""
	for lines := bufio.NewScanner(said); lines.Scan(); {
		all += lines.Text() + "\n"
		switch m := told.FindStringSubmatch(lines.Text()); {
		case m == nil:
		case m[1] == "token":
			ts.Setenv("PARLEY_TOKEN", m[2])
		default:
			ts.Setenv("SERVED", m[2])
			return
		}
	}
	ts.Fatalf("it does not listen: %s", all)
}
