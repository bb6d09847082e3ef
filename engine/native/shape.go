package native

import "parley/model/config"

// A shape is that of a model, with what the engine asks of it.
type shape struct{ config.Config }
