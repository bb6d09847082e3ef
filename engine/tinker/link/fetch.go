package link

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"parley/internal/service/web"
)

// A listed checkpoint is one of a server's list.
type listed struct {
	Checkpoints []struct {
		ID   string `json:"checkpoint_id"`
		Path string `json:"tinker_path"`
	} `json:"checkpoints"`
}

const notReady = 20 // tries of an archive that is being packed

// FetchAdapter brings what lies under a path of the server's into a folder.
func (c *Client) FetchAdapter(ctx context.Context, path, dir string) error {
	run, name, ok := cutPath(path)
	if !ok {
		return fmt.Errorf("the server saved under %q, which is no path of the protocol", web.Words([]byte(path), 200))
	}
	list, err := Get[listed](ctx, c, "training_runs/"+url.PathEscape(run)+"/checkpoints")
	if err != nil {
		return err
	}
	id := name
	for _, l := range list.Checkpoints {
		if l.Path == path {
			id = l.ID
		}
	}
	r := Request{Method: http.MethodGet, Path: "training_runs/" + url.PathEscape(run) + "/checkpoints/" + escaped(id) + "/archive", Accept: "*/*"}
	for try := 1; ; try++ {
		err := c.FetchArchive(ctx, r, dir)
		if err == nil || try == notReady || ctx.Err() != nil || !Passing(err) {
			if Missing(err) {
				return fmt.Errorf("%w: the server gives no archives of adapters: %w", errors.ErrUnsupported, err)
			}
			return err
		}
		if err := Sleep(ctx, web.Pause(c.Pause, min(try, 4))); err != nil {
			return err
		}
	}
}

// escaped is an id of a checkpoint as a part of a path; some have a kind before a slash.
func escaped(id string) string {
	all := strings.Split(id, "/")
	for i := range all {
		all[i] = url.PathEscape(all[i])
	}
	return strings.Join(all, "/")
}

// cutPath takes tinker://RUN/KIND/NAME apart; some servers leave the kind out.
func cutPath(path string) (run, name string, ok bool) {
	rest, ok := strings.CutPrefix(path, "tinker://")
	all := strings.Split(rest, "/")
	if !ok || len(all) < 2 || len(all) > 3 || slices.Contains(all, "") {
		return "", "", false
	}
	return all[0], all[len(all)-1], true
}
