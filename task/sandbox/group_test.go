//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree writes the files of a machine's /proc and control groups.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const mounted = "24 23 0:22 / /proc rw - proc proc rw\n30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"

// TestFindGroups: the nearest group above the process that hands the controllers down and may be written to.
func TestFindGroups(t *testing.T) {
	const user = "sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service"
	scope := map[string]string{
		"proc/self/mountinfo": mounted, "proc/self/cgroup": "0::/user.slice/user-1000.slice/user@1000.service/app.slice/shell.scope\n",
		user + "/cgroup.subtree_control": "cpu memory pids\n", user + "/cgroup.procs": "",
		user + "/app.slice/cgroup.subtree_control": "memory pids\n", user + "/app.slice/cgroup.procs": "",
		user + "/app.slice/shell.scope/cgroup.subtree_control": "", user + "/app.slice/shell.scope/cgroup.procs": "",
	}
	for _, c := range []struct {
		name   string
		change map[string]string
		folder string
		why    string
	}{
		{"slice of the user's systemd", nil, user + "/app.slice", ""},
		{"without pids there", map[string]string{user + "/app.slice/cgroup.subtree_control": "memory\n"}, user, ""},
		{"version 1", map[string]string{"proc/self/mountinfo": "24 23 0:22 / /proc rw - proc proc rw\n"}, "", "version 2 are not mounted"},
		{"no group of version 2", map[string]string{"proc/self/cgroup": "4:memory:/x\n"}, "", "no control group of version 2"},
		{"nothing is handed down", map[string]string{user + "/app.slice/cgroup.subtree_control": "", user + "/cgroup.subtree_control": "cpu\n"}, "", "hands memory and pids down and may be written to"},
		{"a part of the tree", map[string]string{
			"proc/self/mountinfo": "30 23 0:26 /box /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			"proc/self/cgroup":    "0::/box/user.slice/user-1000.slice/user@1000.service/app.slice/shell.scope\n",
		}, user + "/app.slice", ""},
		{"outside of what is mounted", map[string]string{"proc/self/cgroup": "0::/../../../x\n"}, "", "hands memory and pids down and may be written to"},
	} {
		files := map[string]string{}
		for _, m := range []map[string]string{scope, c.change} {
			for name, text := range m {
				files[name] = text
			}
		}
		root := tree(t, files)
		g := findGroups(root)
		want := ""
		if c.folder != "" {
			want = filepath.Join(root, c.folder)
		}
		if g.folder != want || !strings.Contains(g.why, c.why) || (g.folder == "") == (g.why == "") {
			t.Errorf("%s: folder %q, why %q", c.name, g.folder, g.why)
		}
	}
}

// TestGroup: a group is made, bounded for each program, and removed; those of a parley that is gone are removed too.
func TestGroup(t *testing.T) {
	root := t.TempDir()
	dead, alive := filepath.Join(root, "parley-999999999-1"), filepath.Join(root, "parley-1-1")
	for _, dir := range []string{dead, alive} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	all := &groups{folder: root}
	all.sweep()
	if _, err := os.Stat(dead); !os.IsNotExist(err) {
		t.Errorf("a dead parley's group: %v", err)
	}
	if _, err := os.Stat(alive); err != nil {
		t.Errorf("a living process's group: %v", err)
	}
	g, err := all.next()
	if err != nil {
		t.Fatal(err)
	}
	g.base = 100
	for _, file := range []string{"memory.max", "pids.max"} { // as the kernel does
		if err := os.WriteFile(filepath.Join(g.folder.Name(), file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.bound(Limits{Memory: 1000, Processes: 2}); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"memory.max": "67110964", "pids.max": "10"} {
		path := filepath.Join(g.folder.Name(), file)
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v; want %s", file, got, err, want)
		}
		os.Remove(path) // a real group has files that do not keep it from being removed
	}
	again, err := all.next()
	if err != nil || again.folder.Name() == g.folder.Name() {
		t.Errorf("two groups %s, %v", again.folder.Name(), err)
	}
	again.remove()
	if _, err := os.Stat(again.folder.Name()); !os.IsNotExist(err) {
		t.Errorf("a removed group: %v", err)
	}
}

// TestLacks: what a machine does not have is said, each with a remedy.
func TestLacks(t *testing.T) {
	full := bubblewrap{groups: &groups{folder: "/somewhere"}}
	bare := bubblewrap{shared: "unshare: Operation not permitted", groups: &groups{why: "there is none"}}
	if got := full.Lacks(); got != nil {
		t.Errorf("nothing is missing, and yet: %v", got)
	}
	got := bare.Lacks()
	if len(got) != 2 || !strings.Contains(got[0].Reason, bare.shared) || !strings.Contains(got[1].Reason, bare.groups.why) || got[0].Remedy == "" || got[1].Remedy == "" {
		t.Errorf("%+v", got)
	}
}
