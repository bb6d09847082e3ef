// Command wheel makes what is handed out of a release: wheels for Python, archives, lists of what is in them, and checksums. The same sources and the same Go
// give the same bytes, in every folder, at any time and in any time zone.
//
//	go run ./tools/wheel --binary parley --out dist       # the wheel of a program that is built
//	go run ./tools/wheel --release --archives             # all of a release, in dist
//	go run ./tools/wheel --archives --out . linux/amd64   # of one system, in this folder
//
// The version is the tag of the commit, which Go writes into the program; nothing else says it. Version, system, time and modules are read from the program.
//
//	main.go       what is written, and SHA256SUMS over it
//	program.go    builds programs, and reads what one says about itself
//	wheel.go      the files of a wheel
//	archive.go    zip and tar.gz
//	licences.go   the licences of all that is in a program
//	sbom.go       the modules in a program, as CycloneDX
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// options are what the command line says.
type options struct {
	binary, out, sources string
	archives, release    bool
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "", "a program that is built; without it, programs are built")
	flag.StringVar(&o.out, "out", "dist", "the folder of what is written")
	flag.StringVar(&o.sources, "package", "python/parley", "the folder of the Python package; the README.md beside it is the text of the wheel's page")
	flag.BoolVar(&o.archives, "archives", false, "write archives and lists of modules too")
	flag.BoolVar(&o.release, "release", false, "refuse a program that was not built from a commit with a version's tag")
	flag.Parse()
	if err := o.write(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "wheel:", err)
		os.Exit(1)
	}
}

// write writes what belongs to the given program, or to those that it builds for the given systems, and the checksums.
func (o options) write(systems []string) error {
	if len(systems) == 0 {
		systems = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "darwin/amd64", "windows/amd64"}
	}
	if o.binary != "" {
		systems = []string{""}
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	sums := map[string]string{}
	for _, system := range systems {
		read, err := o.program(system)
		if err != nil {
			return err
		}
		files, err := o.files(read)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(o.out, f.name), f.data, 0o644); err != nil {
				return err
			}
			sums[f.name] = fmt.Sprintf("%x  %s\n", sha256.Sum256(f.data), f.name)
			fmt.Printf("%s: %.1f MB\n", f.name, float64(len(f.data))/1e6)
		}
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		text.WriteString(sums[name])
	}
	return os.WriteFile(filepath.Join(o.out, "SHA256SUMS"), []byte(text.String()), 0o644)
}

// files are what is written of one program.
func (o options) files(p *program) ([]file, error) {
	if o.release && !p.tagged {
		return nil, fmt.Errorf("this is no release: the program says that it is %s. Build it from an unchanged clone whose commit has a tag such as v1.2.3 or v1.2.3-rc.1", p.Main.Version)
	}
	licences, err := thirdParty(p)
	if err != nil {
		return nil, err
	}
	list, err := sbom(p)
	if err != nil {
		return nil, err
	}
	name, data, err := wheel(p, o.sources, licences, list)
	if err != nil {
		return nil, err
	}
	files := []file{{name, 0o644, data}}
	if !o.archives {
		return files, nil
	}
	folder := "parley_" + p.version + "_" + strings.ReplaceAll(p.system, "/", "_")
	contents, err := unpacked(p, folder, licences)
	if err != nil {
		return nil, err
	}
	kind := ".tar.gz"
	if p.windows() {
		kind = ".zip"
	}
	data, err = archive(kind == ".zip", p.changed, contents)
	return append(files, file{folder + kind, 0o644, data}, file{folder + ".cdx.json", 0o644, list}), err
}

// unpacked are the files of an archive, in the folder that it unpacks to.
func unpacked(p *program, folder string, licences []byte) ([]file, error) {
	files := []file{{folder + "/" + p.name(), 0o755, p.data}, {folder + "/THIRD_PARTY.txt", 0o644, licences}}
	const completions = "cmd/parley/shells/parley."
	for _, name := range []string{"LICENSE", "README.md", completions + "bash", completions + "fish", completions + "powershell", completions + "zsh"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{path.Join(folder, strings.Replace(name, path.Dir(completions), "completions", 1)), 0o644, data})
	}
	return files, nil
}
