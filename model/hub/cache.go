package hub

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// folder is the place of the repository in the cache.
func (p *pull) folder() string {
	return filepath.Join(p.Cache, p.kind.folder+strings.ReplaceAll(p.name, "/", "--"))
}

func (p *pull) blob(f File) string { return filepath.Join(p.folder(), "blobs", f.Checksum) }

func (p *pull) snapshot() string { return filepath.Join(p.folder(), "snapshots", p.commit) }

// publish gives all files their names. config.json comes last, as a snapshot that has it counts as a model.
func (p *pull) publish() error {
	var last []File
	for _, f := range p.files {
		if f.Path == "config.json" {
			last = append(last, f)
		} else if err := p.link(f); err != nil {
			return err
		}
	}
	for _, f := range last {
		if err := p.link(f); err != nil {
			return err
		}
	}
	if p.revision == p.commit {
		return nil
	}
	return replace(filepath.Join(p.folder(), "refs", filepath.FromSlash(p.revision)), func(tmp string) error {
		return os.WriteFile(tmp, []byte(p.commit), 0o644)
	})
}

// link makes the file's name in the snapshot a link to its blob, or a copy of it where links cannot be made.
func (p *pull) link(f File) error {
	name := filepath.Join(p.snapshot(), filepath.FromSlash(f.Path))
	target, err := filepath.Rel(filepath.Dir(name), p.blob(f))
	if err != nil {
		return err
	}
	return replace(name, func(tmp string) error {
		if os.Symlink(target, tmp) == nil {
			return nil
		}
		return copyFile(tmp, p.blob(f))
	})
}

// replace makes a file under a temporary name beside its own, and then gives it that.
func replace(name string, make func(tmp string) error) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tmpDir, err := os.MkdirTemp(dir, ".tmp-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmpDir)
	tmp := filepath.Join(tmpDir, "file")
	if err := make(tmp); err != nil {
		return err
	}
	return os.Rename(tmp, name)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
