package verifier

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"parley/engine"
	"parley/internal/folder"
)

// The files of the folders: data have their manifest and the solutions, a verifier has its manifest, its adapter and the
// questions that it has seen.
const (
	manifestFile  = "verifier.json"
	solutionsFile = "solutions.jsonl"
	adapterFolder = "adapter"
)

// Origin says what solutions or a verifier were made with.
type Origin struct {
	Recipe string `json:"recipe"` // of the base, the task and the prompts, in full, as YAML
	SHA256 string `json:"sha256"` // of the base's files
	Parley string `json:"parley"` // version
}

// A DataManifest describes a folder of solutions.
type DataManifest struct {
	Origin
	Skip      int   `json:"skip"`      // questions of the task's split before the first that was taken
	Questions int   `json:"questions"` // that solutions were sampled of
	Data      Tally `json:"data"`
	// Balanced says what was done to have as many right as wrong solutions of every question; absent before.
	Balanced *Balanced `json:"balanced,omitempty"`
}

// Balanced is the report of balancing.
type Balanced struct {
	Each      int   `json:"each"`      // right solutions of a question, and as many wrong ones
	Questions int   `json:"questions"` // that have them
	Dropped   int   `json:"dropped"`   // questions that could not be balanced
	Trials    Tally `json:"trials"`    // what the search for missing solutions found
}

// A Manifest describes a trained verifier.
type Manifest struct {
	Origin
	Settings   Settings `json:"settings"`
	Seen       []Key    `json:"seen"` // the questions of training and validation
	Trained    int      `json:"trained"`
	TooLong    int      `json:"too_long"` // solutions left out of training
	Validation *Measure `json:"validation"`
}

// WriteData writes a new folder of solutions.
func WriteData(dir string, m DataManifest, solutions []Solution) error {
	return folder.Whole(dir, func(tmp string) error {
		var lines bytes.Buffer
		enc := json.NewEncoder(&lines)
		enc.SetEscapeHTML(false)
		for _, s := range solutions {
			if err := enc.Encode(s); err != nil {
				return err
			}
		}
		return errors.Join(folder.WriteFile(filepath.Join(tmp, solutionsFile), lines.Bytes()), folder.WriteJSON(filepath.Join(tmp, manifestFile), m))
	})
}

// ReadData reads what [WriteData] wrote.
func ReadData(dir string) (DataManifest, []Solution, error) {
	var m DataManifest
	if err := readManifest(dir, &m); err != nil {
		return m, nil, err
	}
	if m.Questions == 0 {
		return m, nil, fmt.Errorf("%s is no folder of solutions: `parley verifier data` makes one", dir)
	}
	file, err := os.Open(filepath.Join(dir, solutionsFile))
	if err != nil {
		return m, nil, fmt.Errorf("solutions: %w", err)
	}
	defer file.Close()
	solutions, err := ParseSolutions(file)
	if err != nil {
		return m, nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return m, solutions, nil
}

// longestLine is the most bytes of one solution.
const longestLine = 16 << 20

// ParseSolutions reads solutions, one JSON object a line. What is wrong with a line is an error that names it.
func ParseSolutions(r io.Reader) ([]Solution, error) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, longestLine)
	var out []Solution
	for number := 1; scanner.Scan(); number++ {
		if len(bytes.TrimSpace(scanner.Bytes())) == 0 {
			continue
		}
		var s Solution
		if err := json.Unmarshal(scanner.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if strings.TrimSpace(s.Shown) == "" || s.Problem.Question == "" && len(s.Problem.Fields) == 0 {
			return nil, fmt.Errorf("line %d: a solution needs its problem and the text as it is shown", number)
		}
		out = append(out, s)
	}
	return out, scanner.Err()
}

// Write writes a new folder of the verifier. pictures are further files.
func (t *Trained) Write(ctx context.Context, dir string, m Manifest, pictures map[string][]byte) error {
	return folder.Whole(dir, func(tmp string) error {
		if err := t.Base.Engine.Save(ctx, t.Policy, filepath.Join(tmp, adapterFolder)); err != nil {
			return err
		}
		for name, data := range pictures {
			if err := folder.WriteFile(filepath.Join(tmp, name), data); err != nil {
				return err
			}
		}
		return folder.WriteJSON(filepath.Join(tmp, manifestFile), m)
	})
}

// Read reads the manifest of a verifier.
func Read(dir string) (Manifest, error) {
	var m Manifest
	if err := readManifest(dir, &m); err != nil {
		return m, err
	}
	if len(m.Seen) == 0 {
		return m, fmt.Errorf("%s is no verifier: `parley verifier train` makes one", dir)
	}
	return m, nil
}

// Load puts the verifier of a folder on the engine of its base.
func Load(ctx context.Context, dir string, b *Base, policy engine.Policy) (*Trained, error) {
	if err := b.Engine.Load(ctx, policy, filepath.Join(dir, adapterFolder)); err != nil {
		return nil, fmt.Errorf("load the verifier of %s: %w", dir, err)
	}
	return &Trained{b, policy}, nil
}

func readManifest(dir string, to any) error {
	name := filepath.Join(dir, manifestFile)
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("verifier folder: %w", err)
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
