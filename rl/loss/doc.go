// Package loss turns credited samples into gradients: it holds the losses of parley's algorithms, as pure functions and as
// [engine.Loss] values that an engine trains with.
//
// Every loss here is a function of the log-probabilities of sampled tokens (and, for critics, of values). The pure functions
// work on slices of numbers and are what the test vectors of the papers check; the builders prepare everything that a loss
// needs to know about a minibatch beforehand (advantages, token counts, old log-probabilities), so that the engine may
// hand over outputs in as many pieces as it likes: a gradient does not depend on how a minibatch was split.
//
// MAGRPO and relatives (arXiv 2508.04652):
//
//	batch, err := loss.NewGroupBatch(samples, objective)    // node samples of one minibatch of one agent
//	err = eng.ForwardBackward(ctx, data, batch.Gradient)     // data: the completions of all samples, in order
//	stats := batch.Stats()                                   // loss and ratios, for the log
//
// [Buffer] and [Minibatches] decide when node samples are trained on and which of them share an optimizer step, [KLTokens]
// penalises distance from a reference, [MADPO] learns from pairs of joint responses, [SharedValueLoss] trains the critics
// of the actor-critic relatives.
//
// MAPoRL (PPO with a value head and a verifier): the clipped surrogate, the clipped value loss, the binary cross-entropy of
// verifiers and the schedules that say which agents and turns are trained when, with which learning rate.
//
// The losses of the field, for comparison and for custom recipes: [TokenObjective] names the losses of sampled tokens (PPO and
// its clips, importance sampling, CISPO, REINFORCE, GRPO, GSPO, estimates of KL) and the ways to add them up, and
// [NewTokenBatch] makes an engine's loss of them; [DPO] and [IPO] learn from pairs.
//
// Losses are to be minimised. Gradients are with respect to log-probabilities or values, never with respect to parameters:
// those are the engine's business. A loss that is not finite is an error that wraps [engine.ErrNotFinite] and names the
// sample; it is never replaced by a number.
package loss
