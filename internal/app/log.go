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
func newLogger(w io.Writer, format string) *slog.Logger {
	if format == "text" || format == "auto" && isTerminal(w) {
		return slog.New(withRequestID{slog.NewTextHandler(w, nil)})
	}
	return slog.New(withRequestID{slog.NewJSONHandler(w, nil)})
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

// onlyTrouble keeps all but warnings and errors to itself.
type onlyTrouble struct{ slog.Handler }

func (h onlyTrouble) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

func (h onlyTrouble) WithAttrs(attrs []slog.Attr) slog.Handler {
	return onlyTrouble{h.Handler.WithAttrs(attrs)}
}

func (h onlyTrouble) WithGroup(name string) slog.Handler {
	return onlyTrouble{h.Handler.WithGroup(name)}
}
