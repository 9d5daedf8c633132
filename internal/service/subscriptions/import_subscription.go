package subscriptions

import (
	"context"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// SubscriptionImport is a subscription as a file has it, found by its code.
type SubscriptionImport struct {
	Code        string
	AccountCode string
	PriceListID billing.PriceListID
	// TenantCode is nil for a subscription without a tenant.
	TenantCode *string
	Record     subscription.Record
}

// ImportSubscriptions makes subscriptions be as they are in a file, all or
// nothing. If webhooks is true their tenants are told, each once; otherwise
// their applications are taken to know already.
func (s *Service) ImportSubscriptions(ctx context.Context, items []SubscriptionImport, webhooks bool) ([]operation.ImportResult, error) {
	return s.ImportAll(ctx, len(items), func(ctx context.Context, tx *store.Tx, b *operation.ImportBatch) error {
		i := &subscriptionImport{ImportBatch: b, told: map[billing.TenantID]string{}}
		if err := i.load(ctx, tx, items); err != nil {
			return err
		}
		for n, item := range items {
			if err := i.one(ctx, tx, n, item); err != nil {
				return &operation.ItemError{Index: n, Err: err}
			}
		}
		if err := i.save(ctx, tx); err != nil || !webhooks {
			return err
		}
		return i.tell(ctx, tx)
	})
}

// subscriptionImport is the import of several subscriptions under way.
type subscriptionImport struct {
	*operation.ImportBatch
	cal      calendar.Calendar
	accounts map[string]*billing.Account
	known    map[string]*subscription.Subscription
	offers   map[billing.PriceListID]*subscription.Offer
	products map[billing.ProductID]*catalog.Product
	tenants  map[store.TenantCode]*billing.Tenant
	fresh    []*subscription.Subscription
	history  []subscription.HistoryEntry
	told     map[billing.TenantID]string // and why
}

// load locks and reads what the items refer to, in the order of package service.
func (i *subscriptionImport) load(ctx context.Context, tx *store.Tx, items []SubscriptionImport) (err error) {
	if i.cal, err = calendar.In(ctx, tx, nil); err != nil {
		return err
	}
	i.offers, i.products = map[billing.PriceListID]*subscription.Offer{}, map[billing.ProductID]*catalog.Product{}
	codes, accounts := make([]string, len(items)), make([]string, len(items))
	var places []store.TenantCode
	for n, item := range items {
		codes[n], accounts[n] = item.Code, item.AccountCode
		product, err := i.productOf(ctx, tx, item.PriceListID)
		if err != nil {
			return &operation.ItemError{Index: n, Err: err}
		}
		if item.TenantCode != nil && product.PlatformID != nil {
			places = append(places, store.TenantCode{Platform: *product.PlatformID, Code: *item.TenantCode})
		}
	}
	if i.accounts, err = customers.AccountsByCode(ctx, tx, operation.Unique(accounts)); err != nil {
		return err
	}
	rows, err := store.SubscriptionsByCode(ctx, tx, codes, true)
	if err != nil {
		return err
	}
	i.known = make(map[string]*subscription.Subscription, len(rows))
	for n := range rows {
		if err := store.Readable(&rows[n]); err != nil {
			return err
		}
		i.known[*rows[n].Code] = &rows[n]
	}
	i.tenants, err = tenantsByCode(ctx, tx, operation.Unique(places))
	return err
}

// offer returns a price list's offer, read once.
func (i *subscriptionImport) offer(ctx context.Context, tx *store.Tx, id billing.PriceListID) (*subscription.Offer, error) {
	if known := i.offers[id]; known != nil {
		return known, nil
	}
	offer, err := PriceListRef{ID: &id}.find(ctx, tx)
	i.offers[id] = offer
	return offer, err
}

// productOf returns the product of a price list, which stays on its platform.
func (i *subscriptionImport) productOf(ctx context.Context, tx *store.Tx, list billing.PriceListID) (*catalog.Product, error) {
	offer, err := i.offer(ctx, tx, list)
	if err != nil {
		return nil, err
	}
	if known := i.products[offer.ProductID]; known != nil {
		return known, nil
	}
	product, err := heldProduct(ctx, tx, "priceList", offer.ProductID)
	i.products[offer.ProductID] = product
	return product, err
}

// one decides about one subscription.
func (i *subscriptionImport) one(ctx context.Context, tx *store.Tx, n int, item SubscriptionImport) error {
	offer := i.offers[item.PriceListID]
	offers := func(id billing.PriceListID) (*subscription.Offer, error) { return i.offer(ctx, tx, id) }
	restored, err := subscription.Restore(item.Record, offer, offers, i.cal.Today)
	if err != nil {
		return err
	}
	account := i.accounts[item.AccountCode]
	if account == nil {
		return billing.Fail(billing.NotFound, "account", "There is no account with the code %q.", item.AccountCode)
	}
	restored.Code, restored.AccountID = &item.Code, account.ID
	if restored.TenantID, err = i.tenantOf(item, account); err != nil {
		return err
	}
	numberCharges(&restored)
	was := i.known[item.Code]
	if was == nil {
		i.Results[n] = operation.Created
		restored.NoteChange(nil, i.cal.Today)
		i.fresh = append(i.fresh, &restored)
		return nil
	}
	if was.AccountID != restored.AccountID || was.ProductID != restored.ProductID {
		return billing.Fail(billing.Immutable, "code", "The subscription %q exists, with another account or product; it cannot be moved.", item.Code)
	}
	keepKnown(was, &restored, item.Record, offer)
	unlike := was.Unlike(restored, offers)
	if len(unlike) == 0 {
		return nil
	}
	i.Results[n] = operation.Changed
	restored.NoteChange(was, i.cal.Today)
	return i.replace(ctx, tx, was, &restored, unlike)
}

// keepKnown carries over what no record tells: what was billed of the subscription, where it
// stands with its invoices, and what was agreed with the customer.
func keepKnown(was, restored *subscription.Subscription, r subscription.Record, offer *subscription.Offer) {
	restored.BillOn, restored.DirtyFrom, restored.ChangedOn = was.BillOn, was.DirtyFrom, was.ChangedOn
	restored.BilledOn, restored.BillingSince = was.BilledOn, was.BillingSince
	restored.Standing, restored.StandingInvoiceID = was.Standing, was.StandingInvoiceID
	if r.Pauses == nil || was.Standing == billing.Suspended { // a record ends a pause that goes on
		restored.Pauses = was.Pauses
	}
	if r.Lines == nil {
		restored.KeepAgreed(was, r.Quantities, offer)
	}
}

func (i *subscriptionImport) tenantOf(item SubscriptionImport, account *billing.Account) (*billing.TenantID, error) {
	if item.TenantCode == nil {
		return nil, nil
	}
	product := i.products[i.offers[item.PriceListID].ProductID]
	if product.PlatformID == nil {
		return nil, billing.Fail(billing.Invalid, "tenant", "The product %q is on no platform, so its subscriptions have no tenant.", product.Code)
	}
	tenant := i.tenants[store.TenantCode{Platform: *product.PlatformID, Code: *item.TenantCode}]
	switch {
	case tenant == nil:
		return nil, billing.Fail(billing.NotFound, "tenant", "The platform of the product %q has no tenant with the code %q.", product.Code, *item.TenantCode)
	case tenant.AccountID != account.ID:
		return nil, billing.Fail(billing.Taken, "tenant", "The tenant %q belongs to another account.", *item.TenantCode)
	}
	return &tenant.ID, nil
}

// replace writes a subscription over the one that is there.
func (i *subscriptionImport) replace(ctx context.Context, tx *store.Tx, was, is *subscription.Subscription, unlike []string) error {
	is.ID, is.CreatedAt = was.ID, was.CreatedAt
	if err := store.Subscriptions.Update(ctx, tx, is); err != nil {
		return err
	}
	i.record(tx, operation.CallerOf(ctx).Actor, is, subscription.KindUpdated, &was.State, map[string]any{"imported": strings.Join(unlike, ", ")})
	i.Audit(ctx, tx, "subscriptionImport", "subscription", int64(is.ID), withDetail(subscription.Changes(was, is, i.cal.Today), subscription.Change{Detail: map[string]any{"imported": unlike}}))
	if was.TenantID != nil {
		i.told[*was.TenantID] = subscription.KindUpdated
	}
	return nil
}

// record notes what happened to a subscription, and whom to tell.
func (i *subscriptionImport) record(tx *store.Tx, actor string, sub *subscription.Subscription, kind string, from *subscription.State, detail map[string]any) {
	i.history = append(i.history, subscription.HistoryEntry{
		SubscriptionID: sub.ID, At: tx.Now, EffectiveAt: i.cal.Now, Actor: actor, Kind: kind, From: from, To: sub.State, Detail: detail,
	})
	if sub.TenantID != nil {
		i.told[*sub.TenantID] = kind
	}
}

// save writes what is new, and what happened to all.
func (i *subscriptionImport) save(ctx context.Context, tx *store.Tx) error {
	if err := store.Subscriptions.InsertAll(ctx, tx, i.fresh); err != nil {
		return operation.ImportedMeanwhile(err, "subscriptions")
	}
	for _, sub := range i.fresh {
		i.record(tx, operation.CallerOf(ctx).Actor, sub, subscription.KindCreated, nil, map[string]any{"imported": *sub.Code})
		i.Audit(ctx, tx, "subscriptionImport", "subscription", int64(sub.ID), subscription.Changes(nil, sub, i.cal.Today))
	}
	if p := operation.PreviewIn(ctx); p != nil {
		for n := range i.history {
			p.Subscriptions = append(p.Subscriptions, i.history[n].SubscriptionID)
		}
	}
	return store.InsertHistories(ctx, tx, i.history)
}

// tell records an event for each tenant, in the order of ids.
func (i *subscriptionImport) tell(ctx context.Context, tx *store.Tx) error {
	byReason := map[string][]billing.TenantID{}
	var all []billing.TenantID
	for id, reason := range i.told {
		byReason[reason], all = append(byReason[reason], id), append(all, id)
	}
	if err := lockStreams(ctx, tx, all); err != nil {
		return err
	}
	for _, reason := range []string{subscription.KindCreated, subscription.KindUpdated} {
		ids := byReason[reason]
		slices.Sort(ids)
		if len(ids) == 0 {
			continue
		}
		if err := provisioning.RecordEvents(ctx, tx, ids, reason); err != nil {
			return err
		}
	}
	return nil
}
