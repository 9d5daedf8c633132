package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// sample is what the round trip must know of a table.
type sample[T any, K ~int64] struct {
	table *store.Table[T, K]
	// refer points a row at others that exist; at all it can refer to if full.
	refer func(m maker, row *T, full bool)
	// hidden says that lists leave the row out; nil if they leave none out.
	hidden func(*T) bool
	// special are the fields that are not described: they have code of their own
	// in every layer.
	special []string
	// spread names the columns of fields that are kept in several.
	spread map[string][]string
	// unstamped rows have no times of creation and change.
	unstamped bool
	// fixed rows never change.
	fixed bool
}

const rowMethods = " Table.Insert Table.Update Table.Delete Table.Get Table.Lock Table.ByIDs Table.List Table.Count Table.ID Table.SetID Table.Times Table.ColumnOf"

// roundTrips has one entry for each table.
var roundTrips = slices.Concat(documentRoundTrips, []conformance{
	{"rows of Accounts", "Accounts" + rowMethods, sample[billing.Account, billing.AccountID]{table: store.Accounts, special: []string{"billingProblem", "paymentMethodId"},
		refer: func(m maker, row *billing.Account, full bool) {
			if full {
				row.TestClockID, row.EntityID, row.DunningPolicyID = &m.clock().ID, &m.entity().ID, &m.policy().ID
			}
		},
	}.roundTrip},
	{"rows of Contacts", "Contacts" + rowMethods, sample[billing.Contact, billing.ContactID]{table: store.Contacts,
		refer: func(m maker, row *billing.Contact, _ bool) { row.AccountID = m.account("A").ID },
	}.roundTrip},
	{"rows of Platforms", "Platforms" + rowMethods, sample[webhook.Platform, billing.PlatformID]{table: store.Platforms, special: []string{"previousSecretUntil", "webhookAuthTokenFor", "plainSignatureKeyFor"}}.roundTrip},
	{"rows of EventEndpoints", "EventEndpoints" + rowMethods, sample[webhook.EventEndpoint, billing.EventEndpointID]{table: store.EventEndpoints, special: []string{"types", "previousSecretUntil"},
		spread: map[string][]string{"URL": {"webhook_url"}, "Types": {"event_types"}, "Enabled": {"provisioning_enabled"}},
	}.roundTrip},
	{"rows of Workflows", "Workflows" + rowMethods, sample[webhook.Workflow, billing.WorkflowID]{table: store.Workflows,
		spread: map[string][]string{"Order": {"delivery_order"}},
		refer: func(m maker, row *webhook.Workflow, _ bool) {
			row.PlatformID = m.platform().ID
			_, err := store.Exec(m.ctx, m.tx, fmt.Sprintf("DELETE FROM workflow WHERE platform_id = %d", row.PlatformID)) // it has one already
			must(err)
		},
	}.roundTrip},
	{"rows of Products", "Products" + rowMethods, sample[catalog.Product, billing.ProductID]{table: store.Products,
		refer: func(m maker, row *catalog.Product, full bool) {
			if full {
				row.PlatformID = &m.platform().ID
			}
		},
	}.roundTrip},
	{"rows of Features", "Features" + rowMethods, sample[catalog.Feature, billing.FeatureID]{table: store.Features,
		refer: func(m maker, row *catalog.Feature, _ bool) { row.ProductID = m.product().ID },
	}.roundTrip},
	{"rows of Plans", "Plans" + rowMethods, sample[catalog.Plan, billing.PlanID]{table: store.Plans,
		refer: func(m maker, row *catalog.Plan, _ bool) { row.ProductID = m.product().ID },
	}.roundTrip},
	{"rows of PlanFeatures", "PlanFeatures" + rowMethods, sample[catalog.PlanFeature, billing.PlanFeatureID]{table: store.PlanFeatures,
		refer: func(m maker, row *catalog.PlanFeature, _ bool) {
			product := m.product().ID
			row.PlanID = m.plan(product).ID
			m.feature(product) // so that the two ids differ
			row.FeatureID = m.feature(product).ID
		},
	}.roundTrip},
	{"rows of PriceLists", "PriceLists" + rowMethods, sample[catalog.PriceList, billing.PriceListID]{table: store.PriceLists,
		refer: func(m maker, row *catalog.PriceList, _ bool) { row.PlanID = m.plan(m.product().ID).ID },
	}.roundTrip},
	{"rows of Charges", "Charges" + rowMethods, sample[catalog.Charge, billing.ChargeID]{table: store.Charges, special: []string{"priceListChargeTiers"},
		refer: func(m maker, row *catalog.Charge, full bool) {
			product := m.product().ID
			row.PriceListID = m.priceList(m.plan(product).ID).ID
			if full {
				m.feature(product) // so that the two ids differ
				row.FeatureID = &m.feature(product).ID
			}
		},
	}.roundTrip},
	{"rows of Entities", "Entities" + rowMethods, sample[billing.Entity, billing.EntityID]{table: store.Entities,
		refer: func(m maker, row *billing.Entity, full bool) {
			if full {
				row.DunningPolicyID = &m.policy().ID
			}
		},
	}.roundTrip},
	{"rows of DunningPolicies", "DunningPolicies" + rowMethods, sample[dunning.Policy, billing.DunningPolicyID]{table: store.DunningPolicies, special: []string{"steps"}}.roundTrip},
	{"rows of EmailTemplates", "EmailTemplates" + rowMethods, sample[email.Template, billing.EmailTemplateID]{table: store.EmailTemplates}.roundTrip},
	{"rows of TaxRates", "TaxRates" + rowMethods, sample[tax.Rate, billing.TaxRateID]{table: store.TaxRates,
		refer: func(m maker, _ *tax.Rate, _ bool) {
			_, err := store.Exec(m.ctx, m.tx, "DELETE FROM tax_rate WHERE name LIKE 'VAT %'") // that every installation begins with
			must(err)
		},
	}.roundTrip},
	{"rows of Clients", "Clients" + rowMethods, sample[billing.Client, billing.ClientID]{table: store.Clients, special: []string{"clientId", "scopes", "oldSecretUntil", "tokenGeneration"},
		hidden: func(c *billing.Client) bool { return c.Deleted },
	}.roundTrip},
	{"rows of TestClocks", "TestClocks" + rowMethods, sample[billing.TestClock, billing.TestClockID]{table: store.TestClocks}.roundTrip},
	{"rows of Tenants", "Tenants" + rowMethods, sample[billing.Tenant, billing.TenantID]{table: store.Tenants,
		refer: func(m maker, row *billing.Tenant, _ bool) {
			m.account("Another") // so that the two ids differ
			row.PlatformID, row.AccountID = m.platform().ID, m.account("A").ID
		},
	}.roundTrip},
	{"rows of Subscriptions", "Subscriptions" + rowMethods, sample[subscription.Subscription, billing.SubscriptionID]{table: store.Subscriptions,
		refer:  referSubscription,
		spread: map[string][]string{"NextPriceList": {"next_price_list_id", "next_price_list_on", "next_quantities"}},
	}.roundTrip},
	{"rows of Jobs", "Jobs" + rowMethods, sample[billing.Job, billing.JobID]{table: store.Jobs,
		refer: func(_ maker, row *billing.Job, full bool) {
			if !full {
				row.Params = json.RawMessage("{}") // some there must be
			}
		},
	}.roundTrip},
	{"rows of Users", "Users" + rowMethods, sample[billing.User, billing.UserID]{table: store.Users}.roundTrip},
	{"rows of AuditEntries", "AuditEntries" + rowMethods, sample[billing.AuditEntry, billing.AuditID]{table: store.AuditEntries, unstamped: true}.roundTrip},
})

func referSubscription(m maker, row *subscription.Subscription, full bool) {
	o := m.offer()
	row.AccountID, row.ProductID, row.PriceListID = m.account("A").ID, o.product, o.list
	if !full {
		d := date("2026-01-01") // days there must be
		row.StartDate, row.EndDate, row.TermStartDate, row.AsOf = d, d, d, d
		return
	}
	row.LinesSince = billing.Date{} // all of it was read
	row.TenantID, row.TestClockID = &m.tenant(m.platform().ID, row.AccountID).ID, &m.clock().ID
	row.NextPriceList.ID = m.offer().list
}

// roundTrip takes rows of a table all the way: into the database, found in every
// manner, changed, out again.
func (s sample[T, K]) roundTrip(t *testing.T, db *storetest.Database) {
	describes(t, store.Described(s.table), s.special)
	st := db.Open(t)
	rows := make([]T, 3) // full, empty, and full with every other switch off
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		for i := range rows {
			s.change(maker{ctx, tx}, &rows[i], i+1, i != 1)
			must(s.table.Insert(ctx, tx, &rows[i]))
		}
	})
	for i := range rows {
		s.checkStamps(t, &rows[i], db.Clock.Now(), db.Clock.Now())
	}
	s.check(t, st, rows)
	s.checkProjection(t, st, rows[0])

	if s.fixed {
		s.checkFixed(t, st, rows)
	} else {
		s.checkChanges(t, db, st, rows)
	}
	gone := rows[2]
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		must(s.table.Delete(ctx, tx, &gone))
		must(s.table.Delete(ctx, tx, &gone)) // gone already: nothing to do
	})
	s.check(t, st, rows[:2])
	s.checkMissing(t, st, s.id(&gone))
}

// checkChanges changes all of some rows.
func (s sample[T, K]) checkChanges(t *testing.T, db *storetest.Database, st *store.Store, rows []T) {
	t.Helper()
	// Every field of every row changes. What was empty becomes full before
	// another row becomes empty, because an empty code is unique too.
	created, updated := db.Clock.Now(), db.Clock.Advance(time.Hour)
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		for i := range slices.Backward(rows) {
			s.change(maker{ctx, tx}, &rows[i], i+11, i != 0)
			must(s.table.Update(ctx, tx, &rows[i]))
		}
	})
	for i := range rows {
		s.checkStamps(t, &rows[i], created, updated)
	}
	s.check(t, st, rows)
}

// checkFixed tries to change rows that the database keeps as they are.
func (s sample[T, K]) checkFixed(t *testing.T, st *store.Store, rows []T) {
	t.Helper()
	for _, row := range rows {
		err := attempt(t, st, func(ctx context.Context, tx *store.Tx) { must(s.table.Update(ctx, tx, &row)) })
		if err == nil {
			t.Errorf("row %d was changed", s.id(&row))
		}
	}
	s.check(t, st, rows)
}

// change gives a row new contents, all but its id and the time it was made.
func (s sample[T, K]) change(m maker, row *T, seed int, full bool) {
	var fresh T
	if full {
		fill(&fresh, seed)
	}
	*field[K](&fresh, "ID") = s.id(row)
	if !s.unstamped {
		*field[time.Time](&fresh, "CreatedAt") = *field[time.Time](row, "CreatedAt")
	} else if _, dated := reflect.TypeFor[T]().FieldByName("At"); dated {
		*field[time.Time](&fresh, "At") = time.UnixMilli(int64(seed)).UTC() // a time there must be
	}
	if s.refer != nil {
		s.refer(m, &fresh, full)
	}
	*row = fresh
}

// check finds exactly these rows, in every manner.
func (s sample[T, K]) check(t *testing.T, st *store.Store, rows []T) {
	t.Helper()
	ctx, q := t.Context(), st.Queries()
	var visible []T
	ids := []K{1 << 40} // which is nobody's
	for i := range rows {
		ids = append([]K{s.id(&rows[i]), s.id(&rows[i])}, ids...)
		if s.hidden == nil || !s.hidden(&rows[i]) {
			visible = append(visible, rows[i])
		}
		same(t, "Get", got[*T](t)(s.table.Get(ctx, q, s.id(&rows[i]))), &rows[i])
		var locked *T
		write(t, st, func(ctx context.Context, tx *store.Tx) {
			var err error
			locked, err = s.table.Lock(ctx, tx, s.id(&rows[i]))
			must(err)
		})
		same(t, "Lock", locked, &rows[i])
	}
	same(t, "ByIDs", got[[]T](t)(s.table.ByIDs(ctx, q, ids)), visible)
	for _, none := range [][]K{nil, {}, {1 << 40}} {
		if found := got[[]T](t)(s.table.ByIDs(ctx, q, none)); len(found) != 0 {
			t.Errorf("ByIDs(%v) found %d rows, want none", none, len(found))
		}
	}
	same(t, "List", listed(t, st, s.table, billing.Filter{}), visible)
	if n := got[int](t)(s.table.Count(ctx, q, billing.Filter{})); n != len(visible) {
		t.Errorf("Count is %d, want %d", n, len(visible))
	}
}

// checkProjection reads every column alone: it must bring the field of its own
// name, and all of them together the whole row.
func (s sample[T, K]) checkProjection(t *testing.T, st *store.Store, row T) {
	t.Helper()
	if s.hidden != nil && s.hidden(&row) {
		write(t, st, func(ctx context.Context, tx *store.Tx) {
			shown := row
			*field[bool](&shown, "Deleted") = false
			must(s.table.Update(ctx, tx, &shown))
		})
		defer write(t, st, func(ctx context.Context, tx *store.Tx) { must(s.table.Update(ctx, tx, &row)) })
	}
	want := got[*T](t)(s.table.Get(t.Context(), st.Queries(), s.id(&row)))
	if s.table.ID(&row) != s.id(&row) {
		t.Errorf("ID is %d, not %d", s.table.ID(&row), s.id(&row))
	}
	var all T
	for _, column := range store.Columns(s.table) {
		if named, has := s.table.ColumnOf(camel(column)); !has || named != column {
			t.Errorf("the column of %s is %s, not %s", camel(column), named, column)
		}
		own, only := strings.ReplaceAll(column, "_", ""), []string{column}
		for name, columns := range s.spread {
			if slices.Contains(columns, column) {
				own, only = name, columns
			}
		}
		page := store.Page{After: int64(s.id(&row)) - 1, Limit: 1, Only: only}
		part := got[[]T](t)(s.table.List(t.Context(), st.Queries(), page))[0]
		for i := range reflect.TypeFor[T]().NumField() {
			name, value := reflect.TypeFor[T]().Field(i).Name, reflect.ValueOf(part).Field(i)
			if value.IsZero() {
				continue
			}
			reflect.ValueOf(&all).Elem().Field(i).Set(value)
			if name != "ID" && !strings.EqualFold(name, own) {
				t.Errorf("reading only %s set %s", column, name)
			}
		}
	}
	same(t, "the columns read one by one", &all, want)
	for _, name := range []string{"search", ""} {
		if _, has := s.table.ColumnOf(name); has {
			t.Errorf("there is a column %q, which nobody may ask for", name)
		}
	}
}

// camel is the field of a column.
func camel(column string) string {
	first, rest, more := strings.Cut(column, "_")
	if !more {
		return first
	}
	rest = camel(rest)
	return first + strings.ToUpper(rest[:1]) + rest[1:]
}

func (s sample[T, K]) checkStamps(t *testing.T, row *T, created, updated time.Time) {
	t.Helper()
	if s.unstamped {
		return
	}
	if at := *field[time.Time](row, "CreatedAt"); !at.Equal(created) {
		t.Errorf("created at %v, want %v", at, created)
	}
	if at := *field[time.Time](row, "UpdatedAt"); !at.Equal(updated) {
		t.Errorf("updated at %v, want %v", at, updated)
	}
}

func (s sample[T, K]) checkMissing(t *testing.T, st *store.Store, id K) {
	t.Helper()
	if row, err := s.table.Get(t.Context(), st.Queries(), id); row != nil || err != nil {
		t.Errorf("Get of a missing row: %v, %v; want nil, nil", row, err)
	}
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		if row, err := s.table.Lock(ctx, tx, id); row != nil || err != nil {
			t.Errorf("Lock of a missing row: %v, %v; want nil, nil", row, err)
		}
	})
	err := attempt(t, st, func(ctx context.Context, tx *store.Tx) {
		var row T
		s.change(maker{ctx, tx}, &row, 9, true)
		*field[K](&row, "ID") = id
		must(s.table.Update(ctx, tx, &row))
	})
	if err == nil {
		t.Error("updating a missing row succeeded")
	}
}

func (s sample[T, K]) id(row *T) K { return *field[K](row, "ID") }

// field returns a field of a row by its name.
func field[F, T any](row *T, name string) *F {
	return reflect.ValueOf(row).Elem().FieldByName(name).Addr().Interface().(*F)
}

func same(t *testing.T, what string, have, want any) {
	t.Helper()
	if !reflect.DeepEqual(have, want) {
		t.Errorf("%s:\nhave %+v\nwant %+v", what, have, want)
	}
}
