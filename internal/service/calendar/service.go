// Package calendar determines today's date: in the operator's time zone, or on a
// test clock.
package calendar

import "github.com/tenantry/tenantry/internal/service/operation"

// Service has the operations on the operator's time zone.
type Service struct{ *operation.Runner }
