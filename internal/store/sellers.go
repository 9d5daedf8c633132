package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// Sellers are all entities, the first one first, with all tax rates, dunning policies and
// templates of e-mail. They are shared and never changed.
type Sellers struct {
	Entities  []billing.Entity
	Rates     tax.Rates
	Policies  []dunning.Policy
	Templates []email.Template
}

// LoadSellers returns who sells, with which taxes. They change with the version of the
// catalog, and are remembered as it is.
func LoadSellers(ctx context.Context, q Queries) (*Sellers, error) {
	cache := stateOf(q).catalog
	if cache == nil {
		return readSellers(ctx, q)
	}
	s, err := settingsOf(ctx, q)
	if err != nil {
		return nil, err
	}
	if known := cache.sellersAt(s.version); known != nil {
		return known, nil
	}
	return readSellers(ctx, q)
}

// sellersAt returns the sellers of a version if they are remembered, and else asks for
// that.
func (c *catalogCache) sellersAt(version int64) *Sellers {
	c.mu.RLock()
	known, is := c.sellers, c.version
	c.mu.RUnlock()
	if known != nil && is == version {
		return known
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wantSellers = true
	c.wanting.Store(true)
	return nil
}

func readSellers(ctx context.Context, q Queries) (*Sellers, error) {
	entities, err := AllEntities(ctx, q)
	if err != nil || len(entities) == 0 {
		return &Sellers{}, err
	}
	rates, err := AllTaxRates(ctx, q)
	if err != nil {
		return &Sellers{}, err
	}
	policies, err := AllDunningPolicies(ctx, q)
	if err != nil {
		return &Sellers{}, err
	}
	templates, err := AllEmailTemplates(ctx, q)
	return &Sellers{entities, rates, policies, templates}, err
}
