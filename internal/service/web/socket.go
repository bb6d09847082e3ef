package web

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // RFC 6455 asks for it, to tell servers that mean it from those that do not
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"

	"parley/internal/service"
)

// A Socket is a WebSocket (RFC 6455): each text that is sent is answered by one. Texts may come in pieces, with pings between them, which are answered
// at any time: servers drop who is silent. The first error closes it.
type Socket struct {
	of    *Server
	conn  io.ReadWriteCloser
	from  *bufio.Reader
	heard chan service.Reply // an answer, and why there is no other

	asked bool // before; Ask is called by one at a time

	writing sync.Mutex
}

// The kinds of frames, the bit of the last piece and of what a client has masked, and the most bytes of what is no piece of a text.
const (
	continued, text, closing, ping, pong = 0, 1, 8, 9, 10
	final, masked, longestControl        = 0x80, 0x80, 125
)

// Dial opens a WebSocket at the server.
func (s *Server) Dial(ctx context.Context) (*Socket, error) {
	limited, stop := context.WithTimeout(ctx, s.Deadline)
	defer stop()
	request, err := http.NewRequestWithContext(limited, http.MethodGet, s.URL, nil)
	if err != nil {
		return nil, Cause(err)
	}
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // it never fails
	key := base64.StdEncoding.EncodeToString(nonce)
	maps.Copy(request.Header, http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {key}})
	if s.Key != "" {
		request.Header.Set("Authorization", "Bearer "+s.Key)
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return nil, s.late(ctx, limited, Cause(err))
	}
	proof := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // as above
	conn, open := answer.Body.(io.ReadWriteCloser)
	switch {
	case answer.StatusCode != http.StatusSwitchingProtocols:
		defer answer.Body.Close()
		return nil, s.late(ctx, limited, Failure(answer))
	case !open || answer.Header.Get("Sec-Websocket-Accept") != base64.StdEncoding.EncodeToString(proof[:]):
		_ = answer.Body.Close()
		return nil, fmt.Errorf("%s: it is no WebSocket", s.Name())
	}
	socket := &Socket{of: s, conn: conn, from: bufio.NewReader(conn), heard: make(chan service.Reply, 2)}
	go socket.listen()
	return socket, nil
}

// late is the error of a server, or whose time was up.
func (s *Server) late(ctx, limited context.Context, err error) error {
	if left := service.Left(ctx, s.Name()); left != nil {
		return left
	}
	if limited.Err() != nil {
		return fmt.Errorf("%s: no answer within %v", s.Name(), s.Deadline)
	}
	return fmt.Errorf("%s: %w", s.Name(), err)
}

// Ask sends a text and waits for the next one, no longer than the deadline of the server.
func (s *Socket) Ask(ctx context.Context, message []byte) ([]byte, error) {
	limited, stop := context.WithTimeout(ctx, s.of.Deadline)
	defer stop()
	defer context.AfterFunc(limited, s.Close)()
	var r service.Reply
	select {
	case r = <-s.heard:
		if r.Err == nil && s.asked { // before that, it may say why it does not take us
			r.Err = errors.New("it speaks without being asked")
		}
	default:
		if r.Err = s.write(text, message); r.Err == nil {
			r = <-s.heard
		}
	}
	s.asked = true
	if r.Err == nil {
		r.Err = service.Text(r.Body)
	}
	if r.Err != nil {
		s.Close()
		return nil, s.of.late(ctx, limited, Cause(r.Err))
	}
	return r.Body, nil
}

// listen reads until the connection ends, or one reply too many has come.
func (s *Socket) listen() {
	for {
		reply, err := s.read()
		select {
		case s.heard <- service.Reply{Body: reply, Err: err}:
		default:
			err = errors.New("it speaks without being asked")
		}
		if err != nil {
			s.Close()
			return
		}
	}
}

// Close ends the connection.
func (s *Socket) Close() { _ = s.conn.Close() } // nothing is left to lose

// write sends a frame.
func (s *Socket) write(kind byte, payload []byte) error {
	frame := []byte{final | kind}
	switch n := len(payload); {
	case n <= longestControl:
		frame = append(frame, masked|byte(n))
	case n < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, masked|126), uint16(n))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, masked|127), uint64(n))
	}
	mask := make([]byte, 4)
	_, _ = rand.Read(mask) // it never fails
	frame = append(frame, mask...)
	for i, b := range payload {
		frame = append(frame, b^mask[i%4])
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err := s.conn.Write(frame)
	return err
}

// read is the next text. It answers what comes before it.
func (s *Socket) read() (message []byte, err error) {
	for next := byte(text); ; {
		head, payload, err := s.frame(longestReply - len(message))
		if err != nil {
			return nil, err
		}
		switch kind := head &^ final; kind {
		case next:
			message, next = append(message, payload...), continued
			if head&final != 0 {
				return message, nil
			}
		case ping:
			err = s.write(pong, payload)
		case pong:
		case closing:
			_ = s.write(closing, payload[:min(len(payload), 2)]) // the other one has ended already
			return nil, fmt.Errorf("it has closed the connection: %s", Words(payload[min(len(payload), 2):], longestControl))
		default:
			return nil, fmt.Errorf("a frame of kind %d, expected a text", kind)
		}
		if err != nil {
			return nil, err
		}
	}
}

// frame reads a frame: its first byte, and so many bytes at most.
func (s *Socket) frame(most int) (first byte, payload []byte, err error) {
	head := make([]byte, 2)
	if _, err = io.ReadFull(s.from, head); err != nil {
		return 0, nil, err
	}
	first = head[0]
	control, n := first&8 != 0, uint64(head[1])
	if more := map[uint64]int{126: 2, 127: 8}[n]; more > 0 {
		size := make([]byte, 8)
		if _, err = io.ReadFull(s.from, size[8-more:]); err != nil {
			return 0, nil, err
		}
		n = binary.BigEndian.Uint64(size)
	}
	switch {
	case first&0x70 != 0 || head[1]&masked != 0 || control && (n > longestControl || first&final == 0):
		return 0, nil, errors.New("a frame that RFC 6455 does not allow")
	case n > uint64(most):
		return 0, nil, &TooLongError{longestReply}
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(s.from, payload)
	return first, payload, err
}
