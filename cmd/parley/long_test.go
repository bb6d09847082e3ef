//go:build long

package main

import "testing"

// TestLongScripts runs what a user could type, where it takes many trainings or measurements.
func TestLongScripts(t *testing.T) { runScripts(t, "testdata/long") }

// TestLongLessonLOrder: as TestLessonLOrder.
func TestLongLessonLOrder(t *testing.T) { lessonsOrder(t, 2, 3, 4, 5) }

// TestLongLessonLRelay: as TestLessonLRelay.
func TestLongLessonLRelay(t *testing.T) { relays(t, map[string]int{"lessonl": 4}) }
