package sandbox

import (
	"crypto/sha256"
	"slices"
	"sync"
)

// memoSize is how many results are kept (MAGRPO §8): teams write the same program again and again, the more the further they are trained.
const memoSize = 256

// memoKey stands for a program and what it is tested with.
type memoKey [sha256.Size]byte

// A Memo keeps the newest results of programs. Who asks for one that is on its way waits for it: the answers of a group are scored at once.
// The zero value is empty.
type Memo[T any] struct {
	mu    sync.Mutex
	kept  map[memoKey]func() (T, error)
	order []memoKey // oldest first
}

// Of returns the result of what the text says, which get finds out unless it is known. An error is not kept.
func (m *Memo[T]) Of(text string, get func() (T, error)) (T, error) {
	k := memoKey(sha256.Sum256([]byte(text)))
	result, err := m.at(k, get)()
	if err != nil {
		m.mu.Lock()
		delete(m.kept, k)
		m.order = slices.DeleteFunc(m.order, func(o memoKey) bool { return o == k })
		m.mu.Unlock()
	}
	return result, err
}

// at is what is kept of a key, which is get from now on where there was nothing.
func (m *Memo[T]) at(k memoKey, get func() (T, error)) func() (T, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.kept[k]; ok {
		return known
	}
	if m.kept == nil {
		m.kept = map[memoKey]func() (T, error){}
	}
	if len(m.order) == memoSize {
		delete(m.kept, m.order[0])
		m.order = m.order[1:]
	}
	m.kept[k], m.order = sync.OnceValues(get), append(m.order, k)
	return m.kept[k]
}
