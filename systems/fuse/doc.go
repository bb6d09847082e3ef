// Package fuse trains one student on texts that several frozen teachers have read (FuseLLM, arXiv 2401.10491): the student learns the text and, at
// every place of it, what the teachers expect there.
//
//	settings.go  the settings
//	section.go   what is wrong with them
//	fuse.go      the loss, and the steps on it
//
// No agent speaks in training. An episode is a text with the rows of every teacher at every place, already in the student's tokens
// ([rollout.Teaching]), so a learner is a function of episodes here too. With q the rows of the teachers that package systems/fuse/fusion chose or mixed, the
// loss of a minibatch is the mean over its places of
//
//	−λ·log p(gold) − (1−λ)·Σ q·log p
//
// at temperature 1. λ may rise over the updates of the run, or follow the teachers. At λ = 1 it is supervised learning of the texts, bit for bit.
package fuse
