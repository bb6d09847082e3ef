package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"parley/internal/service/web"
)

// longestReply bounds the list of a repository's files.
const longestReply = 16 << 20

// list resolves the revision to a commit and returns the paths of the repository's files.
func (p *pull) list(ctx context.Context) (paths []string, err error) {
	var info struct {
		Commit string `json:"sha"`
		Files  []struct {
			Name string `json:"rfilename"`
		} `json:"siblings"`
	}
	address := p.Endpoint + "/api/" + p.kind.api + p.name + "/revision/" + url.PathEscape(p.revision)
	err = p.patiently(ctx, func() error { return p.getJSON(ctx, address, &info) })
	if err != nil {
		return nil, err
	}
	if !commitPattern.MatchString(info.Commit) {
		return nil, fmt.Errorf("the server names %q as commit of revision %s", info.Commit, p.revision)
	}
	p.commit = info.Commit
	for _, f := range info.Files {
		if !safe(f.Name) {
			return nil, fmt.Errorf("the server names a file %q, which would lie outside of the %s's folder", f.Name, p.kind.noun)
		}
		paths = append(paths, f.Name)
	}
	return paths, nil
}

func (p *pull) getJSON(ctx context.Context, address string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 4*p.stall)
	defer cancel()
	answer, err := p.request(ctx, http.MethodGet, address)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return p.refusal(answer)
	}
	data, err := web.Read(answer, longestReply)
	switch {
	case errors.As(err, new(*web.TooLongError)):
		return fmt.Errorf("the list of files is longer than %d MiB", longestReply>>20)
	case err != nil:
		return temporary{error: err}
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("the list of files: %w", err)
	}
	return nil
}
