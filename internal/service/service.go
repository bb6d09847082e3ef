// Package service is how parley asks what users run themselves: their programs ([parley/service/child]) and their servers
// ([parley/service/web]). Both are asked in JSON, wait no longer than a deadline, and try again what may pass. What is asked and
// what a reply means is the caller's business.
package service

import "encoding/json"

// A Reply is what one request came back with: a JSON value, or the reason why there is none.
type Reply struct {
	Body json.RawMessage
	Err  error
}
