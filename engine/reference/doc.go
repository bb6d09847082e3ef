// Package reference defines plainly what faster or more general code computes, for tests to compare with: the distribution that sampling
// settings make of logits, MAGRPO's losses of a group, and the percentages that its paper prints of rewards. It takes one number at a time, imports no code that it is compared with, and is
// imported by tests only.
package reference
