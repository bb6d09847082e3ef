package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"time"
)

// A file is one of an archive.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

// archive packs files in their order, owned by root and changed at one time: as zip, or else as tar.gz.
func archive(asZip bool, changed time.Time, files []file) ([]byte, error) {
	var b bytes.Buffer
	var begin func(f file) (io.Writer, error)
	var ends []io.Closer
	if asZip {
		z := zip.NewWriter(&b)
		begin = func(f file) (io.Writer, error) {
			head := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: changed}
			head.SetMode(f.mode) // and the system that has such modes: 3, Unix
			return z.CreateHeader(head)
		}
		ends = []io.Closer{z}
	} else {
		z := gzip.NewWriter(&b)
		t := tar.NewWriter(z)
		begin = func(f file) (io.Writer, error) {
			return t, t.WriteHeader(&tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: changed})
		}
		ends = []io.Closer{t, z}
	}
	for _, f := range files {
		w, err := begin(f)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	for _, e := range ends {
		if err := e.Close(); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
