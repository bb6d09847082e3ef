// Command release builds the archives of a release. The same sources and the same Go give the same bytes, in every folder and at any time.
//
//	go run ./tools/release -version 0.2.0                        # all archives, in dist
//	go run ./tools/release -version 0.2.0 -out . linux/amd64     # one of them, in this folder
//
// An archive has the program, LICENSE, README.md and the completions of shells; checksums.txt has the SHA-256 of each archive.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	version := flag.String("version", "", "the version, such as 0.2.0")
	out := flag.String("out", "dist", "the folder of the archives")
	flag.Parse()
	targets := flag.Args()
	if len(targets) == 0 {
		targets = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "darwin/amd64", "windows/amd64"}
	}
	if err := release(*version, *out, targets); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release writes an archive for each target, and the checksums.
func release(version, out string, targets []string) error {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`).MatchString(version) {
		return fmt.Errorf("%q is no version: write one such as 0.2.0", version)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, target := range targets {
		goos, goarch, _ := strings.Cut(target, "/")
		name, program, kind := fmt.Sprintf("parley_%s_%s_%s", version, goos, goarch), "parley", ".tar.gz"
		if goos == "windows" {
			program, kind = "parley.exe", ".zip"
		}
		files, err := contents(version, goos, goarch, name, program)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		data, err := archive(kind == ".zip", files)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		if err := os.WriteFile(filepath.Join(out, name+kind), data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name+kind)
		fmt.Printf("%s: %.1f MB, the program in it %.1f MB\n", name+kind, float64(len(data))/1e6, float64(len(files[0].data))/1e6)
	}
	return os.WriteFile(filepath.Join(out, "checksums.txt"), []byte(sums.String()), 0o644)
}

// contents are the files of an archive, in the folder that it unpacks to.
func contents(version, goos, goarch, folder, program string) ([]file, error) {
	data, err := build(version, goos, goarch)
	if err != nil {
		return nil, err
	}
	files := []file{{folder + "/" + program, 0o755, data}}
	const completions = "cmd/parley/shells/parley."
	for _, name := range []string{"LICENSE", "README.md", completions + "bash", completions + "fish", completions + "zsh"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{path.Join(folder, strings.Replace(name, path.Dir(completions), "completions", 1)), 0o644, data})
	}
	return files, nil
}

// build makes the program. What the environment says of builds does not count, and neither does version control: an archive of the sources and a clone
// give the same.
func build(version, goos, goarch string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "parley-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	module, err := os.ReadFile("go.mod")
	if err != nil {
		return nil, fmt.Errorf("run this in the root of the repository: %w", err)
	}
	first, _, _ := strings.Cut(string(module), "\n")
	link := "-s -w -X " + strings.TrimPrefix(first, "module ") + "/cmd/parley/internal/cli.release=" + version
	program := filepath.Join(dir, "parley")
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", link, "-o", program, "./cmd/parley")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch, "GOFLAGS=", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("go build: %w", err)
	}
	return os.ReadFile(program)
}
