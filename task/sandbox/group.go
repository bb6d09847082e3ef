//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// groups are the control groups (version 2) that bound what the processes of a worker take together, the kernel's memory on their
// behalf included. They are made below a folder that this process may write to, such as a slice of the user's own systemd.
type groups struct {
	folder string // empty: there is none
	why    string // there is none
	made   atomic.Int64
}

// controllers are those that a group needs.
var controllers = []string{"memory", "pids"}

// findGroups looks for a folder above this process where groups can be made. root is that of the file system.
func findGroups(root string) *groups {
	part, mount, err := groupMount(filepath.Join(root, "proc/self/mountinfo"))
	if err != nil {
		return &groups{why: err.Error()}
	}
	own, err := ownGroup(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return &groups{why: err.Error()}
	}
	top := filepath.Join(root, mount)
	for dir := filepath.Join(top, strings.TrimPrefix(own, part)); ; dir = filepath.Dir(dir) {
		if g := groupsIn(dir); g != nil {
			return g
		}
		if dir == top {
			return &groups{why: "no control group above this process hands " + strings.Join(controllers, " and ") + " down and may be written to"}
		}
	}
}

// groupsIn are those below a folder; nil: none can be made there.
func groupsIn(dir string) *groups {
	handed, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
	if err != nil || !hands(string(handed)) || unix.Access(dir, unix.W_OK) != nil || unix.Access(filepath.Join(dir, "cgroup.procs"), unix.W_OK) != nil {
		return nil
	}
	g := &groups{folder: dir}
	g.sweep()
	return g
}

func hands(list string) bool {
	for _, c := range controllers {
		if !slices.Contains(strings.Fields(list), c) {
			return false
		}
	}
	return true
}

// groupMount is where control groups of version 2 are mounted, and which part of their tree is.
func groupMount(file string) (part, mount string, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(string(data)) {
		before, after, _ := strings.Cut(line, " - ")
		if fields := strings.Fields(before); strings.HasPrefix(after, "cgroup2 ") && len(fields) > 4 {
			return fields[3], fields[4], nil
		}
	}
	return "", "", errors.New("control groups of version 2 are not mounted")
}

// ownGroup is the control group of this process.
func ownGroup(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		if path, found := strings.CutPrefix(strings.TrimSpace(line), "0::"); found {
			return filepath.Clean("/" + path), nil
		}
	}
	return "", errors.New("this process has no control group of version 2")
}

// sweep removes groups whose parley was killed. A group with processes cannot be removed.
func (g *groups) sweep() {
	left, err := filepath.Glob(filepath.Join(g.folder, "parley-*-*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		pid, err := strconv.Atoi(strings.Split(filepath.Base(dir), "-")[1])
		if err == nil && errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			_ = os.Remove(dir)
		}
	}
}

// A group holds one worker and its programs.
type group struct {
	folder *os.File
	base   int64 // bytes that the worker itself has taken
}

// next makes a group; nil: there are none here.
func (g *groups) next() (*group, error) {
	if g.folder == "" {
		return nil, nil
	}
	dir := filepath.Join(g.folder, fmt.Sprintf("parley-%d-%d", os.Getpid(), g.made.Add(1)))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make a control group: %w", err)
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open a control group: %w", err), os.Remove(dir))
	}
	return &group{folder: f}, nil
}

// settle takes what a worker that is ready uses as its own.
func (g *group) settle() {
	if g == nil {
		return
	}
	if data, err := os.ReadFile(filepath.Join(g.folder.Name(), "memory.current")); err == nil {
		g.base, _ = strconv.ParseInt(string(bytes.TrimSpace(data)), 10, 64)
	}
	_ = g.set("memory.swap.max", 0) // there is no such file where there is no swap
}

// Beside what its limits say, a program's processes share a folder and the kernel's memory, and a worker has a few processes.
const (
	besideMemory    = 64 << 20
	besideProcesses = 8
)

// bound bounds the next program and all its processes together.
func (g *group) bound(l Limits) error {
	if g == nil {
		return nil
	}
	return errors.Join(
		g.set("memory.max", g.base+l.Memory*int64(l.Processes)+besideMemory),
		g.set("pids.max", int64(l.Processes+besideProcesses)),
	)
}

func (g *group) set(file string, value int64) error {
	f, err := os.OpenFile(filepath.Join(g.folder.Name(), file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(strconv.AppendInt(nil, value, 10))
	return errors.Join(err, f.Close())
}

// remove ends what is left in the group and removes it.
func (g *group) remove() {
	if g == nil {
		return
	}
	defer g.folder.Close()
	_ = g.set("cgroup.kill", 1) // older kernels do not have it; bubblewrap has killed all by then
	for wait := time.Millisecond; wait < time.Second && errors.Is(unix.Rmdir(g.folder.Name()), unix.EBUSY); wait *= 2 {
		time.Sleep(wait) // for the last processes to be gone
	}
}
