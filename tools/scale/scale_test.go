package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

// docs/scale.md has the tables and the picture that the command makes.
func TestPageIsUpToDate(t *testing.T) {
	s, _ := flags(flag.NewFlagSet("scale", flag.ContinueOnError))
	page, err := os.ReadFile("../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(out.String(), "\n\n") {
		if !strings.Contains(string(page), strings.TrimSpace(block)) {
			t.Errorf("docs/scale.md lacks\n%s", block)
		}
	}
	drawn, err := os.ReadFile("../../docs/pictures/scale.svg")
	if err != nil {
		t.Fatal(err)
	}
	if now, err := s.picture(); err != nil || !bytes.Equal(now, drawn) {
		t.Errorf("docs/pictures/scale.svg is another picture (%v): go run ./tools/scale -svg docs/pictures/scale.svg", err)
	}
}

// What cannot be written is an error.
func TestPrintFails(t *testing.T) {
	s, _ := flags(flag.NewFlagSet("scale", flag.ContinueOnError))
	closed, err := os.Create(t.TempDir() + "/closed")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	if s.print(closed) == nil {
		t.Error("tables were written to a closed file")
	}
}
