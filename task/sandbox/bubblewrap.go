//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"parley/internal/service"
)

//go:embed python/fresh.py
var freshSource string

//go:embed python/worker.py
var workerSource string

const (
	installBubblewrap = "install bubblewrap (on Debian and Ubuntu: apt-get install bubblewrap)"
	installPython     = "install Python 3.9 or newer (on Debian and Ubuntu: apt-get install python3)"
)

// The user ids of programs. Inside the sandbox they run as the user nobody. Outside they run as the user of parley. If that is root, to
// whom no limit on processes applies, they run under an id that no user has. Root of a namespace without other users is limited as the
// user outside of it.
const (
	insideID  = "65534"
	outsideID = 61184
)

// writableSize bounds the writable folder, in bytes.
const writableSize = "33554432"

// An interpreter is a Python and the folders that it needs.
type interpreter struct {
	Executable string
	Folders    []string
}

// interpreters returns the Pythons of this machine, the one that files of Python are started with first.
func interpreters(ctx context.Context) []interpreter {
	const ask = `import json, os, sys, sysconfig
print(json.dumps({"Executable": os.path.realpath(sys.executable), "Folders": sorted({os.path.realpath(sysconfig.get_path(p)) for p in ("stdlib", "platstdlib")} | {os.path.join(sys.base_prefix, "lib")})}))`
	var found []interpreter
	for _, name := range []string{service.Python(), service.Python3, "/usr/bin/python3", "/usr/local/bin/python3"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, path, "-I", "-c", ask).Output()
		var python interpreter
		if err != nil || json.Unmarshal(out, &python) != nil {
			continue
		}
		same := func(p interpreter) bool { return p.Executable == python.Executable }
		if !slices.ContainsFunc(found, same) && (!becomesNobody() || forEveryone(python.Executable)) {
			found = append(found, python)
		}
	}
	return found
}

// forEveryone reports whether users other than root can reach a file.
func forEveryone(path string) bool {
	for p := path; ; p = filepath.Dir(p) {
		info, err := os.Stat(p)
		if err != nil || info.Mode().Perm()&1 == 0 {
			return false
		}
		if p == filepath.Dir(p) {
			return true
		}
	}
}

// arguments are bubblewrap's for a worker. The filter is its descriptor 4, its channel to the parent 3. capable leaves the worker the
// one capability that makes namespaces; programs give it up.
func (p interpreter) arguments(capable bool) []string {
	args := []string{
		"--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup",
		"--uid", insideID, "--gid", insideID, "--hostname", "sandbox", "--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
	}
	if capable {
		args = append(args, "--cap-add", "CAP_SYS_ADMIN")
	}
	args = append(args,
		"--clearenv", "--setenv", "PYTHONHASHSEED", "0", "--setenv", "LANG", "C.UTF-8", "--setenv", "HOME", "/tmp", "--seccomp", "4",
	)
	for _, dir := range []string{"/usr/lib", "/usr/lib32", "/usr/lib64"} {
		args = append(args, "--ro-bind-try", dir, dir)
	}
	for _, dir := range []string{"/lib", "/lib32", "/lib64"} {
		if target, err := os.Readlink(dir); err == nil {
			args = append(args, "--symlink", target, dir)
		} else {
			args = append(args, "--ro-bind-try", dir, dir)
		}
	}
	args = append(args, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache")
	for _, dir := range p.Folders {
		if !strings.HasPrefix(dir, "/usr/lib/") && dir != "/usr/lib" {
			args = append(args, "--ro-bind", dir, dir)
		}
	}
	args = append(args, "--ro-bind", p.Executable, p.Executable)
	for _, device := range []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"} {
		args = append(args, "--dev-bind", device, device)
	}
	// Python's semaphores are files of /dev/shm.
	return append(args, "--symlink", "/tmp", "/dev/shm", "--size", writableSize, "--tmpfs", "/tmp", "--remount-ro", "/", "--chdir", "/tmp",
		"--", p.Executable, "-s", "-B", "-c", ProgramSource+"\n\n"+freshSource+"\n\n"+workerSource)
}

func becomesNobody() bool { return os.Geteuid() == 0 && mapped("/", outsideID) }

// command is a worker's bubblewrap, not started yet.
func (p interpreter) command(bwrap string, capable bool) *exec.Cmd {
	cmd := exec.Command(bwrap, p.arguments(capable)...)
	cmd.Env = []string{}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if becomesNobody() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: outsideID, Gid: outsideID}
	}
	return cmd
}
