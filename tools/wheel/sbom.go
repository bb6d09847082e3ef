package main

import (
	"encoding/json"
	"runtime/debug"
	"strings"
)

// A component is a part of a program, as CycloneDX names it.
type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// sbom lists the modules in a program and Go's own library, as CycloneDX 1.6. It has neither a time nor a random number: both may be left out.
func sbom(p *program) ([]byte, error) {
	library := module("std", strings.TrimPrefix(p.GoVersion, "go"), "")
	whole := module(p.Main.Path, p.version, "")
	whole.Type = "application"
	parts, refs := []component{library}, []string{library.Ref}
	for _, m := range modules(p) {
		part := module(m.Path, m.Version, m.Sum)
		parts, refs = append(parts, part), append(refs, part.Ref)
	}
	list, err := json.MarshalIndent(map[string]any{
		"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":     map[string]any{"component": whole},
		"components":   parts,
		"dependencies": []any{map[string]any{"ref": whole.Ref, "dependsOn": refs}},
	}, "", "  ")
	return append(list, '\n'), err
}

// module is a component; sum is its line of go.sum.
func module(name, version, sum string) component {
	url := "pkg:golang/" + name + "@" + strings.ReplaceAll(version, "+", "%2B")
	c := component{Type: "library", Ref: url, Name: name, Version: version, PURL: url}
	if sum != "" {
		c.Properties = []property{{"go.sum", sum}}
	}
	return c
}

// modules are those in a program but its own, each as it was replaced.
func modules(p *program) []*debug.Module {
	var all []*debug.Module
	for _, m := range p.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, m)
	}
	return all
}
