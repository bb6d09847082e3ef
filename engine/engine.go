// Package engine is what the rest of parley knows about a model: it samples tokens, it says what log-probabilities
// given tokens have, and it takes the gradient of a loss with respect to them.
//
// One engine holds one frozen base model and any number of policies over it. A policy is a named set of trained
// parameters: usually a low-rank adapter, sometimes with a value head, sometimes a full copy of the base. The empty name
// [Base] is the base itself, without any adapter; it can be sampled and scored, never trained.
//
// Every loss that parley trains with is a function of the log-probabilities of chosen tokens (and, for critics, of
// values). So the engine does not know losses: [Engine.ForwardBackward] computes the log-probabilities, hands them to a
// [Loss], and backpropagates the gradient that the loss returns. That is enough for PPO, MAGRPO, DPO, SFT and a value
// head alike, on the embedded engine as well as on a remote training cluster.
//
// Token ids are the currency. Text is never decoded and encoded again between sampling and training, and every sampled
// token carries the log-probability that it was drawn with. On the embedded engine the log-probability that [Engine.Sample]
// reports for a token equals the one that [Engine.Forward] reports for it under the same parameters, bit for bit (for models
// whose rotary frequencies depend on the length of the whole sequence, with [Options].ScoreAsSampled, which training sets).
//
// # Abilities
//
// [Engine] is what training cannot do without. What only some engines can do, or only some callers need, is an interface of its own, which
// a caller asks for by [As], which looks through wrappers:
//
//	Contexter   how long sequences may be
//	Streamer    tokens while they are sampled
//	Continuous  requests that come while others are sampled
//	Server      many calls at the same time
//	Pinner      samples of policies that are trained meanwhile
//	Stepper     steps of several policies at the same time
//	Remote      computing elsewhere, where sampler and trainer may not agree bit for bit
//	Gapped      how far sampler and trainer are apart
//	Auditor     samples that are scored again on this machine
//	Diverger    distances of whole distributions
//	Differentiator gradients, of a part of a loss
//	Distributor whole distributions, or their most probable tokens
//	Distiller   training towards distributions instead of tokens
//	Steerer     samples whose tokens the caller chooses
//	Dropper     policies that nobody needs any more
//	Noter       what the user should be told
//	Counter     how many tokens it has computed
//	Estimator   how much memory it takes
//	io.Closer   threads, memory or connections to give back; no call but Close may follow
//
// An engine that is written anew passes the suite of package enginetest, which tests the abilities that it has.
package engine

import (
	"context"
	"errors"
)

// A Policy names a set of trained parameters over the engine's base model.
type Policy string

// Base is the frozen base model without any adapter: the reference policy of every KL term.
const Base Policy = ""

// Sampling says how a distribution over the vocabulary is made from logits: they are divided by Temperature, then cut to
// the TopK largest (ties: lower id first), then to the smallest prefix of descending probability whose mass reaches TopP,
// then renormalised. Log-probabilities are always those of the resulting distribution, from which a [Mask] has removed tokens before all that.
type Sampling struct {
	Temperature float64 `json:"temperature"` // 0 samples greedily; log-probabilities are then those at temperature 1
	TopK        int     `json:"top_k,omitempty"`
	TopP        float64 `json:"top_p,omitempty"` // 0 and 1 both mean: no cut
}

// A SampleRequest asks for one completion of one prompt. Several samples of one prompt are several requests with different
// seeds; the engine computes a prompt that requests share only once.
type SampleRequest struct {
	Policy    Policy
	Prompt    []int
	Sampling  Sampling
	MaxTokens int      // most new tokens, the end token included
	MinTokens int      // end tokens are not drawn before this many new tokens
	Stop      []int    // tokens that end the completion; the one drawn is kept as its last token
	Never     [][2]int // ids that are not drawn, in ranges; see [Mask]
	Form      string   // what the completion is a text of; see [Mask]. Beside it MinTokens is an error, and Stop has to name a token
	// Shape changes the logits [vocab] of the next token behind those that were drawn, once what is masked is −∞ and before the temperature: biases and penalties that
	// clients of servers ask for. Log-probabilities are those of what it leaves. Nothing that is trained on has one, and most engines refuse it; nil: none.
	Shape func(drawn []int, logits []float32)
	Watch Watcher // may end the completion; it is of this request alone; nil: none
	// ReuseInBackward says that ForwardBackward follows for the prompt and its completion before the policy's next Step: an engine that has
	// memory for it may keep what training would compute again. It changes no result.
	ReuseInBackward bool
	Seed            uint64 // of this sample's own random stream: a sample does not depend on what else is in the batch
}

// A Watcher is told every token of a completion once it is drawn, in order, and says whether the completion ends with it: at the end of a
// text, say, which may take several tokens. A completion that ends at a token of Stop, or at MaxTokens, ends there whatever the watcher says.
type Watcher interface {
	Ends(token int) bool
}

// A Weigher is a [Watcher] that is also told the log-probability of every token, before the token. It is optional for engines: one that does not know
// it before the completion is whole tells none.
type Weigher interface {
	Weigh(logprob float32)
}

// StopReason says why a completion ended.
type StopReason string

const (
	StopEOS    StopReason = "eos"    // a stop token was drawn; it is the last token
	StopText   StopReason = "text"   // the request's Watcher ended it; the last token is the one that it was told last
	StopLength StopReason = "length" // MaxTokens or the context length was reached
)

// A Sample is one completion: the new tokens only, and for each the log-probability it was drawn with.
type Sample struct {
	Tokens   []int
	Logprobs []float32
	Stop     StopReason
	Forced   *Forced // what the request's form did; nil: it had none, or the engine does not say it
}

// Forced is what a form did to a completion of it.
type Forced struct {
	Decided int     `json:"decided"` // places at which it left one token
	Taken   float64 `json:"taken"`   // probability of the tokens that it left out, at the temperature and before cuts, a sum over places
}

// A Datum is one sequence to score or to train on: the prompt and the completion as one run of tokens. Log-probabilities
// are asked for the tokens from index ScoreFrom (at least 1) to the end, but for those that are Given, each given all tokens before it. Data
// that begin with the same tokens under the same policy share the computation of that prefix, forward and backward.
type Datum struct {
	Policy    Policy
	Tokens    []int
	ScoreFrom int
	// Given are the tokens behind ScoreFrom that no policy chose, such as results of tools: indexes from, ..., to-1 of each [from, to],
	// in ascending order, without overlaps. They are read and not asked for: outputs have no place for them, and Mask does not count
	// them.
	Given    [][2]int
	Sampling Sampling // the log-probabilities are those of this distribution; the zero value means temperature 1, no cuts
	Mask     Mask     // tokens that it does not have; the completion begins at ScoreFrom
	// ValuesOnly asks for values alone, of a policy with a value head: Logprobs of the output is nil, and the product with the
	// vocabulary is not computed.
	ValuesOnly bool
}

// An Output is what the engine computed for one datum with n = [Datum.Asked] asked tokens.
type Output struct {
	// Logprobs [n]: natural log of the probability of the asked token i given the tokens before it. A token that Mask or a cut of
	// Sampling would have removed is kept in the distribution, so the value is always finite.
	Logprobs []float32
	// Values [n+1], only for a policy with a value head, else nil: Values[i] is the value of the state before the asked token i
	// is chosen (the head reads the hidden state of the token before it), Values[n] that of the state after the last token.
	Values []float32
}

// A Gradient is dLoss/dOutput for one datum, in the shapes of [Output]. A nil slice is all zeros.
type Gradient struct {
	Logprobs []float32 // [n]
	Values   []float32 // [n+1]
}

// A Loss takes the outputs of some data and returns the gradient of the loss to be minimised with respect to each. Data are
// handed over in the order of the ForwardBackward call, in one or several calls: first is the index of outputs[0] in that
// call's data. So the terms of a loss must not couple data; normalisers (a count of tokens, say) are known beforehand.
// An error stops the call; nothing is accumulated.
type Loss func(first int, outputs []Output) ([]Gradient, error)

// A PolicySpec says what a new policy trains.
type PolicySpec struct {
	Rank      int      `json:"rank"`              // of the low-rank adapter
	Alpha     float64  `json:"alpha"`             // its output is scaled by Alpha/Rank
	Targets   []string `json:"targets,omitempty"` // projections by name: q_proj, ..., down_proj, or qkv_proj and gate_up_proj where the model fuses them; empty: all
	ValueHead bool     `json:"value_head,omitempty"`
	ValueInit float64  `json:"value_init,omitempty"` // standard deviation of the value head's initial weights; 0: zeros
	// ValueHidden is the width of a hidden layer of the value head, followed by tanh; 0: the head is linear.
	ValueHidden int    `json:"value_hidden,omitempty"`
	Full        bool   `json:"full,omitempty"` // train a full copy of the base instead of an adapter
	Seed        uint64 `json:"seed"`           // of the initial values: A and the value head's weights are drawn, B and its bias are zero
}

// Adam holds the settings of one AdamW step. Weight decay is decoupled: p -= LR·WeightDecay·p.
type Adam struct {
	LR          float64 `json:"lr"`
	Beta1       float64 `json:"beta1"`
	Beta2       float64 `json:"beta2"`
	Eps         float64 `json:"eps"`
	WeightDecay float64 `json:"weight_decay"`
	ClipNorm    float64 `json:"clip_norm"` // gradients are scaled down to this global norm; 0: no clipping
}

// StepInfo reports what a step did.
type StepInfo struct {
	GradNorm   float64 // before clipping
	UpdateNorm float64 // of what the step added to all parameters
	ParamNorm  float64 // of all parameters before it; 0: the engine does not say
}

// ErrNotFinite is wrapped by errors that report a NaN or infinite loss, gradient or parameter. The step was not taken and the
// gradients of all policies of the call were cleared.
var ErrNotFinite = errors.New("not finite")

// ErrTooLong is wrapped by errors about a sequence that is longer than the model's context.
var ErrTooLong = errors.New("too long")

// ErrNoToken is wrapped by errors about an id that is not in the vocabulary.
var ErrNoToken = errors.New("no token")

// An Engine samples from and trains policies over one frozen base model. All methods are safe for concurrent use, and
// results depend neither on concurrency nor on how requests are batched.
type Engine interface {
	// NewPolicy adds a policy. A name that exists is an error.
	NewPolicy(ctx context.Context, p Policy, spec PolicySpec) error
	// Sample completes prompts, samples[i] that of reqs[i].
	Sample(ctx context.Context, reqs []SampleRequest) ([]Sample, error)
	// Forward scores data without keeping anything for a backward pass, outputs[i] that of data[i].
	Forward(ctx context.Context, data []Datum) ([]Output, error)
	// ForwardBackward scores data, asks loss for the gradient, and adds the gradient of every parameter to what its policy
	// has accumulated since its last step.
	ForwardBackward(ctx context.Context, data []Datum, loss Loss) error
	// Step updates the parameters of p with the accumulated gradients and clears them.
	Step(ctx context.Context, p Policy, opt Adam) (StepInfo, error)
	// Save writes p to a new folder dir: PEFT's adapter files, and beside them the optimizer's state, so that a loaded policy
	// goes on bit for bit.
	Save(ctx context.Context, p Policy, dir string) error
	// Load reads what Save wrote (optimizer state optional) as policy p, replacing one of that name.
	Load(ctx context.Context, p Policy, dir string) error
}
