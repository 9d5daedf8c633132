// Package access contains the operations on API clients, users and sessions.
package access

import (
	"context"

	"github.com/tenantry/tenantry/internal/service/operation"
)

// Service has the operations on clients, users and sessions.
type Service struct {
	*operation.Runner
	// ClientsChanged is told after every change of an API client, so that this
	// process acts on it at once.
	ClientsChanged func(context.Context)
}
