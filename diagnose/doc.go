// Package diagnose watches a group-relative training for the ways in which it goes wrong unnoticed (MAGRPO §13).
//
// A [Watch] sees the episodes of every update, keeps what the rules of package eval need of the latest joint actions, and says
// which rules fire, with places in the run's episodes that show it. It is a function of the episodes alone, and its
// [State] goes through JSON unchanged, so that a resumed training finds what an unbroken one does.
//
// Rewards are looked at as shares of the reward's range, so thresholds do not depend on scale and shift.
package diagnose
