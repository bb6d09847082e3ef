package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"parley/internal/folder"
)

// file is the name of the manifest in a checkpoint.
const file = "manifest.json"

// A Manifest lists the files of a folder with their SHA-256, so that damage is noticed.
type Manifest struct {
	Update int               `json:"update,omitempty"`
	Files  map[string]string `json:"files"`           // path with slashes → hexadecimal SHA-256
	Chain  string            `json:"chain,omitempty"` // of checksums.jsonl up to the update
}

// Text is what stands in the file.
func (m Manifest) Text() ([]byte, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	return folder.Seal(append(data, '\n'))
}

// LoadManifest reads the manifest in dir.
func LoadManifest(dir string) (m Manifest, err error) {
	data, err := folder.ReadFile(dir, file)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	if err := folder.CheckSeal(data); err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// ReadManifest reads the manifest of the checkpoint in dir and compares all files with it.
func ReadManifest(dir string) (m Manifest, err error) {
	if m, err = LoadManifest(dir); err != nil {
		return m, err
	}
	if _, ok := m.Files["state.json"]; !ok {
		return m, fmt.Errorf("%s does not list state.json", file)
	}
	sums, err := SumsOf(dir)
	if err != nil {
		return m, err
	}
	for name, want := range m.Files {
		if got, ok := sums[name]; !ok {
			return m, fmt.Errorf("%s is missing", name)
		} else if got != want {
			return m, fmt.Errorf("%s is damaged: its checksum is wrong", name)
		}
	}
	return m, nil
}

// Strangers says whether the checkpoint in dir holds files that its manifest does not list: it is not known whose they
// are.
func (m Manifest) Strangers(dir string) (found bool, err error) {
	f, err := folder.Open(dir)
	if err != nil {
		return false, err
	}
	err = f.Walk(".", func(name string, e fs.DirEntry) error {
		_, listed := m.Files[name]
		found = found || !e.IsDir() && name != file && !listed
		return nil
	})
	return found, errors.Join(err, f.Close())
}

// SumsOf hashes every file under dir except the manifest itself.
func SumsOf(dir string) (sums map[string]string, err error) {
	f, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	sums = map[string]string{}
	err = f.Walk(".", func(name string, e fs.DirEntry) (err error) {
		if !e.IsDir() && name != file {
			sums[name], err = sum(f, name)
		}
		return err
	})
	return sums, errors.Join(err, f.Close())
}

// Sum is the SHA-256 of a file of the folder dir.
func Sum(dir, name string) (text string, err error) {
	f, err := folder.Open(dir)
	if err != nil {
		return "", err
	}
	text, err = sum(f, name)
	return text, errors.Join(err, f.Close())
}

func sum(f *folder.Folder, name string) (string, error) {
	file, err := f.File(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
