package outbox

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// Requeue says that, once this is committed, the sender has to look anew at
// what waits for a platform: the way its webhooks go has changed.
func Requeue(tx *store.Tx, platform billing.PlatformID) { outboxOf(tx).queued(platform, 0) }
