package outbox

import (
	"context"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

const queuedChannel = "tenantry_queued"

// Announce tells other processes on the same database that something was
// queued for those platforms. On SQLite there are none that send.
func Announce(ctx context.Context, s *store.Store, platforms []billing.PlatformID) error {
	ids := make([]string, len(platforms))
	for i, id := range platforms {
		ids[i] = strconv.FormatInt(int64(id), 10)
	}
	return s.Notify(ctx, queuedChannel, strings.Join(ids, ","))
}

// Listen calls heard with what other processes announce, until ctx ends or the
// connection breaks.
func Listen(ctx context.Context, s *store.Store, heard func([]billing.PlatformID)) error {
	return s.Listen(ctx, queuedChannel, func(text string) {
		var platforms []billing.PlatformID
		for part := range strings.SplitSeq(text, ",") {
			if id, err := strconv.ParseInt(part, 10, 64); err == nil {
				platforms = append(platforms, billing.PlatformID(id))
			}
		}
		heard(platforms)
	})
}
