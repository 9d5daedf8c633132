// Package customers contains the operations on accounts and contacts.
package customers

import "github.com/tenantry/tenantry/internal/service/operation"

// Service has the operations on accounts and contacts.
type Service struct{ *operation.Runner }
