package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// inTree makes a folder as testdata/tree.txtar has it the one that commands run in.
func inTree(t *testing.T) {
	t.Helper()
	tree, err := txtar.ParseFile("testdata/tree.txtar")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := txtar.Write(tree, "."); err != nil {
		t.Fatal(err)
	}
}

// fake is what a small program of a system says about itself.
func fake(t *testing.T, system, version, modified string, deps ...*debug.Module) *program {
	t.Helper()
	goos, goarch, _ := strings.Cut(system, "/")
	p, err := said(&debug.BuildInfo{
		GoVersion: "go1.26.0", Path: "parley/cmd/parley", Main: debug.Module{Path: "parley", Version: version}, Deps: deps,
		Settings: []debug.BuildSetting{
			{Key: "CGO_ENABLED", Value: "0"},
			{Key: "GOOS", Value: goos},
			{Key: "GOARCH", Value: goarch},
			{Key: "vcs.revision", Value: "0123456789abcdef0123"},
			{Key: "vcs.time", Value: "2026-11-30T23:59:58Z"},
			{Key: "vcs.modified", Value: modified},
		},
	}, []byte("a program of "+system))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var everything = options{sources: "python/parley", archives: true, release: true}

func TestWheels(t *testing.T) {
	inTree(t)
	for system, platform := range map[string]string{
		"linux/amd64":   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
		"linux/arm64":   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
		"darwin/arm64":  "macosx_12_0_arm64",
		"darwin/amd64":  "macosx_12_0_x86_64",
		"windows/amd64": "win_amd64",
	} {
		written, err := everything.files(fake(t, system, "v1.2.3-rc.1", "false"))
		if err != nil {
			t.Fatalf("%s: %v", system, err)
		}
		folder, kind, program := "parley_1.2.3rc1_"+strings.ReplaceAll(system, "/", "_"), ".tar.gz", "parley"
		if system == "windows/amd64" {
			kind, program = ".zip", "parley.exe"
		}
		if got, want := names(written), []string{"parley_rl-1.2.3rc1-py3-none-" + platform + ".whl", folder + kind, folder + ".cdx.json"}; !slices.Equal(got, want) {
			t.Errorf("%s: wrote %q, want %q", system, got, want)
		}
		got, dist := unzip(t, written[0].data), "parley_rl-1.2.3rc1"
		info := dist + ".dist-info/"
		want := []string{
			"parley/__init__.py", "parley/__main__.py", "parley/annotations.py", "parley/py.typed", "parley/reward.py", dist + ".data/scripts/" + program, info + "METADATA", info + "RECORD", info + "WHEEL",
			info + "licenses/LICENSE", info + "licenses/THIRD_PARTY.txt", info + "sboms/parley.cdx.json",
		}
		if !slices.Equal(names(got), want) {
			t.Errorf("%s: the wheel has %q, want %q", system, names(got), want)
		}
		recorded(t, got)
		if !strings.Contains(string(content(got, info+"METADATA")), "\nVersion: 1.2.3rc1\n") || !strings.HasSuffix(string(content(got, info+"METADATA")), "\n\n# parley for Python\n") {
			t.Errorf("%s: METADATA is %s", system, content(got, info+"METADATA"))
		}
		if tags := strings.Count(string(content(got, info+"WHEEL")), "\nTag: py3-none-"); tags != strings.Count(platform, ".")+1 {
			t.Errorf("%s: WHEEL is %s", system, content(got, info+"WHEEL"))
		}
	}
}

// recorded checks that the RECORD of a wheel has all files, and the checksum of each.
func recorded(t *testing.T, files []file) {
	t.Helper()
	at := slices.IndexFunc(files, func(f file) bool { return path.Base(f.name) == "RECORD" })
	rows, err := csv.NewReader(bytes.NewReader(files[at].data)).ReadAll()
	if err != nil || len(rows) != len(files) {
		t.Fatalf("RECORD has %d rows for %d files: %v", len(rows), len(files), err)
	}
	for _, row := range rows {
		if row[0] == files[at].name {
			continue
		}
		data := content(files, row[0])
		sum := sha256.Sum256(data)
		if row[1] != "sha256="+base64.RawURLEncoding.EncodeToString(sum[:]) || row[2] != fmt.Sprint(len(data)) {
			t.Errorf("RECORD has %q", row)
		}
	}
}

func TestSameBytes(t *testing.T) {
	inTree(t)
	for _, system := range []string{"linux/amd64", "windows/amd64"} {
		first, err := everything.files(fake(t, system, "v1.2.3", "false"))
		if err != nil {
			t.Fatal(err)
		}
		here := time.Local
		time.Local = time.FixedZone("elsewhere", -9*3600)
		second, err := everything.files(fake(t, system, "v1.2.3", "false"))
		time.Local = here
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range first {
			if !bytes.Equal(f.data, second[i].data) {
				t.Errorf("%s is not the same in another time zone", f.name)
			}
		}
	}
}

func TestVersions(t *testing.T) {
	inTree(t)
	for _, c := range []struct {
		version, modified, want string
		tagged                  bool
	}{
		{"v1.2.3", "false", "1.2.3", true},
		{"v1.2.3-rc.1", "false", "1.2.3rc1", true},
		{"v0.1.0-alpha.2", "false", "0.1.0a2", true},
		{"v0.1.0-beta3", "false", "0.1.0b3", true},
		{"v1.2.3-nice.1", "false", "0.0.0.dev0+g0123456789ab", false},
		{"v1.2.3", "true", "0.0.0.dev0+g0123456789ab", false},
		{"v1.2.3+dirty", "true", "0.0.0.dev0+g0123456789ab", false},
		{"v0.0.0-20261130053339-24c08fd6043a", "false", "0.0.0.dev0+g0123456789ab", false},
		{"(devel)", "false", "0.0.0.dev0+g0123456789ab", false},
	} {
		p := fake(t, "linux/amd64", c.version, c.modified)
		if p.version != c.want || p.tagged != c.tagged {
			t.Errorf("%s, modified %s: version %s, tagged %v", c.version, c.modified, p.version, p.tagged)
		}
		if _, err := everything.files(p); (err == nil) != c.tagged || err != nil && !strings.Contains(err.Error(), "this is no release: the program says that it is "+c.version) {
			t.Errorf("%s, modified %s: a release of it: %v", c.version, c.modified, err)
		}
	}
}

// TestBuilt builds the program of this system, without version control, and reads what it says.
func TestBuilt(t *testing.T) {
	inTree(t)
	system := runtime.GOOS + "/" + runtime.GOARCH
	if err := (options{out: "dist", sources: "python/parley", release: true}).write([]string{system}); err == nil || !strings.Contains(err.Error(), "(devel)") {
		t.Errorf("a release of what has no tag: %v", err)
	}
	if err := (options{out: "dist", sources: "python/parley", archives: true}).write([]string{system}); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("dist/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := os.ReadFile(filepath.Join("dist", name))
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(data)) != sum || !strings.Contains(name, "0.0.0.dev0") {
			t.Errorf("%q: %v", line, err)
		}
	}
	if n := strings.Count(string(sums), "\n"); n != 3 {
		t.Errorf("checksums of %d files, want 3", n)
	}
}

// TestParts checks the licences and the list of a program that has a module of this repository, and of the data in it.
func TestParts(t *testing.T) {
	t.Chdir("../..")
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}} {{.Sum}}", "golang.org/x/image").Output()
	if err != nil {
		t.Fatal(err)
	}
	version, sum, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	p := fake(t, "linux/amd64", "v1.2.3", "false", &debug.Module{Path: "golang.org/x/image", Version: version, Sum: sum})
	licences, err := thirdParty(p)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"\nGo 1.26.0, LICENSE\n", "\ngolang.org/x/image " + version + ", LICENSE\n", "/ttfs/README\n"}
	terms := regexp.MustCompile(`^LICEN[CS]E|-(MIT|[0-9.]+)\.txt$`)
	err = filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "node_modules", "bench", "runs"}, d.Name())) {
			return fs.SkipDir
		}
		if !d.IsDir() && name != "LICENSE" && terms.MatchString(d.Name()) {
			want = append(want, "\nparley, "+filepath.ToSlash(name)+"\n")
		}
		return err
	})
	if err != nil || len(want) < 8 {
		t.Fatalf("found %q: %v", want, err)
	}
	for _, w := range want {
		if !strings.Contains(string(licences), w) {
			t.Errorf("THIRD_PARTY.txt lacks %q", w)
		}
	}
	list, err := sbom(p)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		SpecVersion string
		Components  []struct{ PURL string }
	}
	if err := json.Unmarshal(list, &read); err != nil || read.SpecVersion != "1.6" || len(read.Components) != 2 || read.Components[1].PURL != "pkg:golang/golang.org/x/image@"+version {
		t.Errorf("the list is %s: %v", list, err)
	}
}

func TestNoLicence(t *testing.T) {
	inTree(t)
	if err := os.Remove("task/code/data/LICENSE"); err != nil {
		t.Fatal(err)
	}
	if _, err := thirdParty(fake(t, "linux/amd64", "v1.2.3", "false")); err == nil || !strings.Contains(err.Error(), "parley has no licence") {
		t.Errorf("error %v", err)
	}
}

func names(files []file) []string {
	var all []string
	for _, f := range files {
		all = append(all, f.name)
	}
	return all
}

func content(files []file, name string) []byte {
	return files[slices.IndexFunc(files, func(f file) bool { return f.name == name })].data
}

// unzip reads an archive, and checks what it says about its files.
func unzip(t *testing.T, data []byte) []file {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var all []file
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		want := fs.FileMode(0o644)
		if strings.Contains(f.Name, "/scripts/") {
			want = 0o755
		}
		if f.Mode() != want || f.CreatorVersion>>8 != 3 || !f.Modified.Equal(time.Date(2026, 11, 30, 23, 59, 58, 0, time.UTC)) {
			t.Errorf("%s has mode %v, is of system %d and of %v", f.Name, f.Mode(), f.CreatorVersion>>8, f.Modified)
		}
		all = append(all, file{f.Name, f.Mode(), data})
	}
	return all
}
