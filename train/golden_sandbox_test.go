//go:build sandbox

package train_test

import "testing"

// programs are the recipes over a shipped base whose agents write programs.
var programs = []string{"magrpo-classeval-tiny", "magrpo-coophumaneval-tiny", "magrpo-humaneval-tiny", "magrpo-mbpp-tiny"}

// TestSandboxMetricsGolden is [TestMetricsGolden] of the recipes that run programs.
func TestSandboxMetricsGolden(t *testing.T) { metricsGolden(t, programs) }
