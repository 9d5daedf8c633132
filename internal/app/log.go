package app

import (
	"context"
	"io"
	"log/slog"
	"os"
)

type requestIDKey struct{}

// newLogger writes text to a terminal and JSON to anything else, unless told.
// Lines about a request carry its id.
func newLogger(w io.Writer, format string, least slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: least}
	if format == "text" || format == "auto" && isTerminal(w) {
		return slog.New(withRequestID{slog.NewTextHandler(w, options)})
	}
	return slog.New(withRequestID{slog.NewJSONHandler(w, options)})
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// withRequestID adds the request's id to every line that is about one.
type withRequestID struct{ slog.Handler }

func (h withRequestID) Handle(ctx context.Context, r slog.Record) error {
	if id, ok := ctx.Value(requestIDKey{}).(string); ok {
		r.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, r)
}

func (h withRequestID) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withRequestID{h.Handler.WithAttrs(attrs)}
}

func (h withRequestID) WithGroup(name string) slog.Handler {
	return withRequestID{h.Handler.WithGroup(name)}
}
