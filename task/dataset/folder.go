package dataset

import (
	"fmt"
	"os"
	"path/filepath"
)

// TrainAndTest finds the files train and test of a folder, JSON lines, plain or gzipped.
func TrainAndTest(dir string) (train, test string, err error) {
	if train, err = splitFile(dir, Train); err == nil {
		test, err = splitFile(dir, Test)
	}
	return train, test, err
}

// splitFile finds the file of a split in a folder.
func splitFile(dir, split string) (string, error) {
	for _, ending := range []string{".jsonl", ".jsonl.gz"} {
		file := filepath.Join(dir, split+ending)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("task.path %s has neither %s.jsonl nor %s.jsonl.gz", dir, split, split)
}
