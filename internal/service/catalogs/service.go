// Package catalogs contains the operations on products, features, plans and price
// lists.
package catalogs

import (
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/operation"
)

// Service has the operations on the catalog.
type Service struct {
	*operation.Runner
	Delivery *delivery.Service
}
