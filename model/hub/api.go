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

// A listing is what the server says of a revision.
type listing struct {
	Commit string `json:"sha"`
	Files  []struct {
		Name string `json:"rfilename"`
	} `json:"siblings"`
}

// list resolves the revision to a commit and returns the paths of the repository's files.
func (p *pull) list(ctx context.Context) ([]string, error) {
	var info listing
	address := p.Endpoint + "/api/" + p.kind.api + p.name + "/revision/" + url.PathEscape(p.revision)
	if err := p.patiently(ctx, func() error { return p.getJSON(ctx, address, &info) }); err != nil {
		return nil, err
	}
	return p.take(info)
}

// take checks what the server says.
func (p *pull) take(info listing) (paths []string, err error) {
	if !commitPattern.MatchString(info.Commit) {
		return nil, fmt.Errorf("the server names %.80q as commit of revision %s", info.Commit, p.revision)
	}
	p.commit = info.Commit
	for _, f := range info.Files {
		if !safe(f.Name) {
			return nil, fmt.Errorf("the server names a file %.300q, which would lie outside of the %s's folder", f.Name, p.kind.noun)
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
