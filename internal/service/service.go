package service

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/catalogs"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/service/impact"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/jobs"
	"github.com/tenantry/tenantry/internal/service/mailing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// Service has all operations on one database, by area.
type Service struct {
	*operation.Runner
	Access        *access.Service
	Calendar      *calendar.Service
	Catalog       *catalogs.Service
	Customers     *customers.Service
	Delivery      *delivery.Service
	Drifts        *drifts.Service
	Impact        *impact.Service
	Invoicing     *invoicing.Service
	Jobs          *jobs.Service
	Mailing       *mailing.Service
	Provisioning  *provisioning.Service
	Subscriptions *subscriptions.Service
}

// New returns the operations on a database. clientsChanged is told after every
// change of an API client; it may be nil.
func New(st *store.Store, box *secret.Box, clientsChanged func(context.Context)) *Service {
	if clientsChanged == nil {
		clientsChanged = func(context.Context) {}
	}
	r := operation.NewRunner(st)
	j := &jobs.Service{Runner: r}
	p := provisioning.New(r, j)
	d := delivery.New(r, j, p, box)
	s := &Service{
		Runner: r, Jobs: j, Provisioning: p, Delivery: d,
		Access:        &access.Service{Runner: r, ClientsChanged: clientsChanged},
		Calendar:      &calendar.Service{Runner: r},
		Catalog:       &catalogs.Service{Runner: r, Delivery: d},
		Customers:     &customers.Service{Runner: r},
		Drifts:        &drifts.Service{Runner: r},
		Invoicing:     invoicing.New(r, box),
		Mailing:       &mailing.Service{Runner: r},
		Subscriptions: subscriptions.New(r, j, p),
	}
	s.Subscriptions.Billing = s.Invoicing
	s.Impact = &impact.Service{Runner: r, Invoicing: s.Invoicing, Longest: impact.Longest}
	s.Mailing.Attachments = s.Invoicing.EmailAttachments
	j.Kinds = map[string]func(context.Context, *billing.Job) error{
		billing.JobFanOut:       p.RunFanOut,
		billing.JobProvisioning: p.RunFanOut,
		billing.JobClockAdvance: s.Subscriptions.RunClockAdvance,
		billing.JobResend:       d.RunResend,
	}
	return s
}
