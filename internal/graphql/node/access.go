package node

import (
	"github.com/tenantry/tenantry/internal/billing"
)

// ApiClient is an API client application, in the API. ClientSecret is there
// only in the answer that made it.
type ApiClient struct {
	*billing.Client
	ClientSecret *string
}

// ApiClients makes nodes of API clients.
func (r *Reader) ApiClients(rows []billing.Client) []*ApiClient {
	nodes := make([]*ApiClient, len(rows))
	for i := range rows {
		nodes[i] = &ApiClient{Client: &rows[i]}
	}
	return nodes
}

// Detail is what changed, by field.
func (e *AuditEntry) Detail() any { return e.AuditEntry.Detail }

// CurrentClient is the caller, in the API.
type CurrentClient struct {
	ClientID string
	Name     string
	Scopes   []string
}

// UserError is a failure for programs, in the API.
type UserError struct {
	Code    string
	Field   []string
	Message string
}
