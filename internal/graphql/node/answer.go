package node

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"

	"github.com/tenantry/tenantry/internal/billing"
)

// The sizes of the pieces of an answer: each is twice the one before.
const (
	firstPiece = 4 << 10
	maxPiece   = 1 << 20
)

// Answer is the data of an answer. It is kept in pieces, so that it is never
// copied to make it larger, and has at most as many bytes as it may: what
// writes more is stopped in the middle, with a panic of TooLarge, because
// marshallers know no errors.
type Answer struct {
	limit  int
	size   int
	pieces [][]byte // all full but the last

	scratch []byte // for the text of an object, before it is added

	// What fields have that is not written yet, and what was read for them.
	// Fields of a query are resolved in parallel.
	reserved, read atomic.Int64
	full           atomic.Bool
}

// TooLarge is what stops the writing of an answer.
type TooLarge struct{}

// NewAnswer returns an answer without data.
func NewAnswer(limit int) *Answer { return &Answer{limit: limit} }

// Size is how many bytes the data has.
func (a *Answer) Size() int { return a.size }

// errFull is what fields are refused with that come too late.
var errFull = billing.Fail(billing.TooMany, "", "The answer would be too large.")

// Reserve counts a large value that a field has, before it is written: an
// answer that cannot be sent shall not be completed first. It is refused when
// there is no room left.
func (a *Answer) Reserve(bytes int) error {
	if a.reserved.Add(int64(bytes)) > int64(a.limit) {
		a.full.Store(true)
	}
	if a.full.Load() {
		return errFull
	}
	return nil
}

// minRead is for answers that must be small: rows have more than they show.
const minRead = 32 << 20

// Read counts what is read from the database to make values of. That may be
// more than is shown: to see how a body differs it takes two.
func (a *Answer) Read(bytes int) error {
	if a.read.Add(int64(bytes)) > 2*max(int64(a.limit), minRead) {
		a.full.Store(true)
		return errFull
	}
	return nil
}

// IsFull reports whether values did not find room.
func (a *Answer) IsFull() bool { return a.full.Load() }

// Reset drops the data.
func (a *Answer) Reset() { a.size, a.pieces = 0, nil }

// Write adds to the data.
func (a *Answer) Write(p []byte) (int, error) { return add(a, p), nil }

// WriteString adds to the data.
func (a *Answer) WriteString(s string) (int, error) { return add(a, s), nil }

func add[T string | []byte](a *Answer, data T) (n int) {
	if n = len(data); n > a.limit-a.size {
		a.full.Store(true)
		panic(TooLarge{})
	}
	a.size += n
	for len(data) > 0 {
		piece := a.room()
		fits := min(cap(*piece)-len(*piece), len(data))
		*piece = append(*piece, data[:fits]...)
		data = data[fits:]
	}
	return n
}

// room returns the piece that is not full yet.
func (a *Answer) room() *[]byte {
	size := firstPiece
	if last := len(a.pieces) - 1; last >= 0 {
		if len(a.pieces[last]) < cap(a.pieces[last]) {
			return &a.pieces[last]
		}
		size = min(2*cap(a.pieces[last]), maxPiece)
	}
	a.pieces = append(a.pieces, make([]byte, 0, size))
	return &a.pieces[len(a.pieces)-1]
}

// WriteTo writes the data.
func (a *Answer) WriteTo(w io.Writer) (written int64, err error) {
	for _, piece := range a.pieces {
		n, err := w.Write(piece)
		if written += int64(n); err != nil {
			return written, err
		}
	}
	return written, nil
}

type answerKey struct{}

// WithAnswer says where the data of a request's answer goes.
func WithAnswer(ctx context.Context, a *Answer) context.Context {
	return context.WithValue(ctx, answerKey{}, a)
}

// AnswerOf is where the data of a request's answer goes.
func AnswerOf(ctx context.Context) *Answer { return ctx.Value(answerKey{}).(*Answer) }

// Marshal writes the data of a request's answer. The generated code calls it.
func Marshal(ctx context.Context, data graphql.Marshaler) {
	answer := AnswerOf(ctx)
	if answer.IsFull() {
		panic(TooLarge{})
	}
	data.MarshalGQL(answer)
}
