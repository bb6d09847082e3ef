// Package reference defines plainly what faster or more general code computes, for tests to compare with: the distribution that sampling
// settings make of logits, and MAGRPO's losses of a group. It takes one number at a time, imports no code that it is compared with, and is
// imported by tests only.
package reference
