package parley

import (
	"errors"

	"parley/engine/native"
	"parley/recipe"
	"parley/recipe/language"
	"parley/serve/harness"
	"parley/task"
	"parley/team"
	"parley/team/protocols"
	"parley/train"
	"parley/train/lineup"
)

// An Option changes what [Open] and [Run] start with.
type Option func(*options) error

type options struct {
	sets      []string
	tasks     []task.Type
	protocols []team.Kind
	task      string // that WithTask brought
	reward    func(task.Type) task.Type
	backend   lineup.Backend
	dir       string
	observe   func(Event)
}

// chosen applies options to the defaults.
func chosen(list []Option) (*options, error) {
	o := &options{tasks: language.Tasks(), protocols: protocols.All(), backend: harness.Backend{Backend: native.Backend{}}}
	for _, option := range list {
		if err := option(o); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// load reads a recipe in the language that the options make.
func (o *options) load(name string) (*recipe.Recipe, error) {
	tasks := o.tasks
	if o.reward != nil {
		tasks = make([]task.Type, len(o.tasks))
		for i, t := range o.tasks {
			tasks[i] = o.reward(t)
		}
	}
	sets := o.sets
	if o.task != "" {
		sets = append([]string{"task.name=" + o.task}, sets...)
	}
	if o.reward != nil {
		sets = append([]string{"reward.source=joint"}, sets...)
	}
	return recipe.NewLanguage(tasks, o.protocols, language.Algorithms()).Load(name, sets)
}

// Set changes keys of the recipe, each as key=value: Set("training.updates=5", "group.size=8").
func Set(changes ...string) Option {
	return func(o *options) error {
		o.sets = append(o.sets, changes...)
		return nil
	}
}

// WithProtocol adds a protocol of your own and lets the recipe's team speak by it.
func WithProtocol(k team.Kind) Option {
	return func(o *options) error {
		if k.Name == "" || k.Open == nil {
			return errors.New("WithProtocol: the protocol needs a name and Open")
		}
		o.protocols = append(o.protocols, k)
		o.sets = append([]string{"team.protocol=" + k.Name}, o.sets...)
		return nil
	}
}

// WithEngine runs on other engines than the embedded one.
func WithEngine(b lineup.Backend) Option {
	return func(o *options) error {
		if b == nil {
			return errors.New("WithEngine: the backend is nil")
		}
		o.backend = harness.Backend{Backend: b}
		return nil
	}
}

// WithDir names the run folder of [Run]; without it, it is runs/RECIPE-sSEED.
func WithDir(dir string) Option {
	return func(o *options) error {
		o.dir = dir
		return nil
	}
}

// WithProgress hands every event of [Run] to observe, from one goroutine at a time.
func WithProgress(observe func(Event)) Option {
	return func(o *options) error {
		o.observe = observe
		return nil
	}
}

// An Event is one piece of progress of [Run].
type Event = train.Event
