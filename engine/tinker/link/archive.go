package link

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley/engine/tinker/wire"
	"parley/internal/folder"
	"parley/internal/service/web"
	"parley/model/weights/peft"
	"parley/model/weights/safetensors"
)

const largestAdapter = 16 << 30 // bytes

// FetchArchive brings the adapter of an archive into a folder: the answer is one, or says where one is.
func (c *Client) FetchArchive(ctx context.Context, r Request, dir string) error {
	limited, stop := context.WithTimeoutCause(ctx, c.Server.Wait, ErrWait)
	defer stop()
	response, err := c.Send(limited, r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return web.Failure(response)
	}
	if !strings.Contains(response.Header.Get("Content-Type"), JSON) {
		return unpack(response.Body, dir)
	}
	data, err := web.Read(response, LongestReply)
	if err != nil {
		return err
	}
	var reply wire.Reply
	if err := json.Unmarshal(data, &reply); err != nil || reply.URL == "" {
		return fmt.Errorf("the reply %q names no url", web.Words(data, 80))
	}
	return c.follow(limited, reply.URL, dir)
}

// follow reads an archive that lies elsewhere. The key stays at home.
func (c *Client) follow(ctx context.Context, address, dir string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != c.base.Scheme {
		return errors.New("the server names an address that is no URL, or less safe than its own")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return web.Cause(err)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return web.Cause(err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return web.Failure(response)
	}
	return unpack(response.Body, dir)
}

// unpack takes the two files of an adapter out of a tar.gz; others are left.
func unpack(r io.Reader, dir string) error {
	unpacked, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("the archive: %w", err)
	}
	archive := tar.NewReader(io.LimitReader(unpacked, largestAdapter))
	var found []string
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("the archive: %w", err)
		}
		name := path.Base(h.Name)
		if h.Typeflag != tar.TypeReg || name != peft.ConfigFile && name != peft.WeightsFile || slices.Contains(found, name) {
			continue
		}
		if err := write(filepath.Join(dir, name), archive, h.Size); err != nil {
			return fmt.Errorf("the archive: %w", err)
		}
		found = append(found, name)
	}
	if len(found) != 2 {
		return fmt.Errorf("the archive has %q, expected %s and %s", found, peft.ConfigFile, peft.WeightsFile)
	}
	return fillConfig(dir)
}

func write(name string, from io.Reader, size int64) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, from)
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	return errors.Join(err, f.Close())
}

// fillConfig says in an adapter's configuration which projections it has, where a server leaves that out.
func fillConfig(dir string) error {
	name := filepath.Join(dir, peft.ConfigFile)
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var config map[string]any
	if err := json.Unmarshal(data, &config); err != nil {
		return fmt.Errorf("%s: %w", peft.ConfigFile, err)
	}
	if config["target_modules"] != nil {
		return nil
	}
	f, err := safetensors.Open(filepath.Join(dir, peft.WeightsFile))
	if err != nil {
		return err
	}
	defer f.Close()
	var targets []string
	for _, t := range f.Tensors() {
		module, is := strings.CutSuffix(t.Name, ".lora_A.weight")
		if target := module[strings.LastIndexByte(module, '.')+1:]; is && !slices.Contains(targets, target) {
			targets = append(targets, target)
		}
	}
	slices.Sort(targets)
	config["target_modules"] = targets
	return folder.WriteJSON(name, config)
}
