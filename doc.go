// Package parley co-trains teams of language models with multi-agent reinforcement learning.
//
// There is nothing to import here: this page is the guide to the rooms of the house. To use parley, run cmd/parley; to read
// it, follow one problem through the house:
//
//	recipe   one YAML file is one experiment: strict, defaulted, validated, printed back in full
//	task     where problems come from and how answers are scored: sums, duet, tldr
//	team     who speaks when and who may see what, as a pure function of what was said before
//	rollout  drives a team over an engine: groups, trees, batches
//	reward   what an answer earns: designs, penalties, incentives, processors
//	credit   what each answer is to be praised for: returns through trees, group-relative and GAE advantages
//	loss     from advantages to losses, each a function of the log-probabilities of chosen tokens
//	engine   what everything above knows about a model; engine/native is the embedded engine
//	runs     a run on disk, which survives being killed at any moment
//
// train is the loop around them. model opens a base model from its parts: weights, tokenizer and chat; model/shipped is the one that ships
// in the binary. eval votes and counts, game solves MAPoRL's collaboration game, internal/seed derives every random stream from one root.
//
// Imports point downward only; a test beside this page holds the table of who may know whom. team, reward, credit, loss, eval
// and game are pure: no files, no goroutines, no clock, no global randomness.
package parley
