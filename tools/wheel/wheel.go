package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tags are the platforms of wheels. A static program serves both C libraries of Linux; Go 1.26 needs macOS 12.
var tags = map[string][]string{
	"linux/amd64":   {"manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"},
	"linux/arm64":   {"manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"},
	"darwin/arm64":  {"macosx_12_0_arm64"},
	"darwin/amd64":  {"macosx_12_0_x86_64"},
	"windows/amd64": {"win_amd64"},
}

// metadata is the head of METADATA, behind which the text of the wheel's page comes.
const metadata = `Metadata-Version: 2.4
Name: parley-rl
Version: %s
Summary: Train teams of language models with multi-agent reinforcement learning
License-Expression: Apache-2.0
License-File: LICENSE
License-File: THIRD_PARTY.txt
Requires-Python: >=3.10
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Provides-Extra: polars
Requires-Dist: polars; extra == "polars"
Provides-Extra: openai
Requires-Dist: openai; extra == "openai"
Description-Content-Type: text/markdown

%s`

// wheel packs the program as a script, which installers put on the search path as it is, and the package of a folder beside it. It returns its name, too.
func wheel(p *program, folder string, licences, sbom []byte) (string, []byte, error) {
	platform := tags[p.system]
	if platform == nil {
		return "", nil, fmt.Errorf("there is no wheel for %s", p.system)
	}
	dist := "parley_rl-" + p.version
	info := dist + ".dist-info/"
	files, err := sources(folder)
	if err != nil {
		return "", nil, err
	}
	page, err := os.ReadFile(filepath.Join(folder, "..", "README.md"))
	if err != nil {
		return "", nil, err
	}
	licence, err := os.ReadFile("LICENSE")
	if err != nil {
		return "", nil, fmt.Errorf("run this in the root of the repository: %w", err)
	}
	about := "Wheel-Version: 1.0\nGenerator: parley\nRoot-Is-Purelib: false\n"
	for _, tag := range platform {
		about += "Tag: py3-none-" + tag + "\n"
	}
	files = append(
		files,
		file{dist + ".data/scripts/" + p.name(), 0o755, p.data},
		file{info + "METADATA", 0o644, fmt.Appendf(nil, metadata, p.version, page)},
		file{info + "WHEEL", 0o644, []byte(about)},
		file{info + "licenses/LICENSE", 0o644, licence},
		file{info + "licenses/THIRD_PARTY.txt", 0o644, licences},
		file{info + "sboms/parley.cdx.json", 0o644, sbom},
	)
	files = append(files, record(info+"RECORD", files))
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	data, err := archive(true, p.changed, files)
	return dist + "-py3-none-" + strings.Join(platform, ".") + ".whl", data, err
}

// ofProgram are files of the program's own Python that the package uses too.
var ofProgram = []string{"rl/rollout/tools/python/annotations.py", "task/user/python/reward.py"}

// sources are the files of the Python package: its modules, those of the program that it uses, and the mark that they have types.
func sources(folder string) ([]file, error) {
	modules, err := filepath.Glob(filepath.Join(folder, "*.py"))
	if err != nil {
		return nil, err
	}
	var files []file
	for _, name := range append(modules, append(ofProgram, filepath.Join(folder, "py.typed"))...) {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"parley/" + filepath.Base(name), 0o644, data})
	}
	return files, nil
}

// record says the size and the checksum of each file but itself.
func record(name string, files []file) file {
	var lines []string
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		lines = append(lines, fmt.Sprintf("%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data)))
	}
	slices.Sort(lines)
	return file{name, 0o644, []byte(strings.Join(lines, "") + name + ",,\n")}
}
