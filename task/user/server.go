package user

import (
	"context"
	"encoding/json"

	"parley/internal/service"
	"parley/internal/service/web"
)

// server asks a server about each call.
type server struct{ web *web.Server }

// Ask implements [source].
func (s *server) Ask(ctx context.Context, requests []json.RawMessage) ([]service.Reply, error) {
	replies := make([]service.Reply, len(requests))
	web.Each(len(requests), func(i int) {
		replies[i].Err = s.web.Post(ctx, requests[i], func(body []byte) error {
			replies[i].Body = body
			return hasReward(body)
		})
	})
	return replies, service.LeftAmong(ctx, replies, func(r service.Reply) error { return r.Err })
}
