package worker

import (
	"context"
	"time"
)

// ShowsThatItLives says whether others can tell that the engine's process lives.
func (e *Engine) ShowsThatItLives() bool { return e.holder.Load() != 0 }

// TakeOver is one look at who died, of an engine that was not started.
func (e *Engine) TakeOver(ctx context.Context, missing map[int64]time.Time) error {
	return e.takeOver(ctx, missing)
}
