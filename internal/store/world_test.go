package store_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store"
)

// world is random rows. Their references are places in the slices until save,
// which replaces them by ids.
type world struct {
	accounts []billing.Account
	contacts []billing.Contact
	products []catalog.Product
	features []catalog.Feature
}

func drawWorld(rt *rapid.T) *world {
	w := &world{}
	moment := rapid.SampledFrom(randomMoments)
	for i := range rapid.IntRange(1, 3).Draw(rt, "accounts") {
		w.accounts = append(w.accounts, billing.Account{
			Name: randomText(0).Draw(rt, "name"), Code: drawCode(rt, i), CurrencyID: rapid.Ptr(rapid.SampledFrom([]string{"EUR", "JPY"}), true).Draw(rt, "currency"),
			BillingDay: rapid.IntRange(1, 31).Draw(rt, "day"), CreatedAt: moment.Draw(rt, "created"),
		})
	}
	for i := range rapid.IntRange(1, 6).Draw(rt, "contacts") {
		w.contacts = append(w.contacts, billing.Contact{
			AccountID: billing.AccountID(rapid.IntRange(0, len(w.accounts)-1).Draw(rt, "account")), FirstName: randomText(0).Draw(rt, "first name"),
			LastName: rapid.Ptr(randomText(0), true).Draw(rt, "last name"), Email: rapid.Ptr(randomText(1), true).Draw(rt, "email"),
			Code: drawCode(rt, i/2), CreatedAt: moment.Draw(rt, "created"), // contacts may share a code
		})
	}
	for i := range 2 {
		w.products = append(w.products, catalog.Product{Code: "p" + *drawCodeOf(rt, i), Name: "P"})
	}
	for i := range rapid.IntRange(1, 4).Draw(rt, "features") {
		w.features = append(w.features, catalog.Feature{
			ProductID: billing.ProductID(rapid.IntRange(0, 1).Draw(rt, "product")), Code: *drawCodeOf(rt, i), Name: randomText(0).Draw(rt, "name"),
			Kind:          rapid.SampledFrom([]catalog.FeatureKind{catalog.Boolean, catalog.Quantity, catalog.Value}).Draw(rt, "kind"),
			IsProvisioned: rapid.Bool().Draw(rt, "provisioned"), CreatedAt: moment.Draw(rt, "created"),
		})
	}
	return w
}

func drawCode(rt *rapid.T, i int) *string {
	if rapid.Bool().Draw(rt, "no code") {
		return nil
	}
	return drawCodeOf(rt, i)
}

// drawCodeOf draws a code that no other number gives. Some are numbers, so that
// they may be taken for an id.
func drawCodeOf(rt *rapid.T, i int) *string {
	code := fmt.Sprint(i + 1)
	if rapid.Bool().Draw(rt, "code with text") {
		code = randomText(0).Draw(rt, "code") + "#" + code
	}
	return &code
}

// save replaces all rows by these. Both databases number their rows from 1 and
// neither fails here, so the same row gets the same id.
func (w *world) save(rt *rapid.T, s *store.Store) {
	err := s.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		for _, table := range []string{"feature", "product", "contact", "account"} {
			if _, err := store.Exec(ctx, tx, "DELETE FROM "+table); err != nil {
				return err
			}
		}
		for i := range w.accounts {
			tx.Now = w.accounts[i].CreatedAt
			if err := store.Accounts.Insert(ctx, tx, &w.accounts[i]); err != nil {
				return err
			}
		}
		for i := range w.contacts {
			c := w.contacts[i]
			tx.Now, c.AccountID = c.CreatedAt, w.accounts[c.AccountID].ID
			if err := store.Contacts.Insert(ctx, tx, &c); err != nil {
				return err
			}
			w.contacts[i].ID = c.ID
		}
		for i := range w.products {
			if err := store.Products.Insert(ctx, tx, &w.products[i]); err != nil {
				return err
			}
		}
		for i := range w.features {
			f := w.features[i]
			tx.Now, f.ProductID = f.CreatedAt, w.products[f.ProductID].ID
			if err := store.Features.Insert(ctx, tx, &f); err != nil {
				return err
			}
			w.features[i].ID = f.ID
		}
		return nil
	})
	if err != nil {
		rt.Fatalf("%s: %v", s.Engine(), err)
	}
}

func (w *world) accountModels() (rows []naive) {
	for i, a := range w.accounts {
		texts := []string{a.Name, text(a.Code)}
		for _, c := range w.contacts {
			if c.AccountID == billing.AccountID(i) && c.Email != nil {
				texts = append(texts, *c.Email)
			}
		}
		rows = append(rows, naive{
			id: int64(a.ID), texts: texts,
			exact: map[string]*string{"code": a.Code}, enum: currencyOf(a.CurrencyID),
			number: map[string]int64{"id": int64(a.ID), "billingDay": int64(a.BillingDay)},
			moment: map[string]time.Time{"created": a.CreatedAt, "updated": a.CreatedAt},
		})
	}
	return rows
}

func (w *world) contactModels() (rows []naive) {
	for _, c := range w.contacts {
		a := w.accounts[c.AccountID]
		rows = append(rows, naive{
			id: int64(c.ID), texts: []string{c.FullName(), text(c.Code), text(c.Email)},
			exact:  map[string]*string{"code": c.Code},
			folded: map[string]*string{"email": c.Email},
			number: map[string]int64{"id": int64(c.ID)},
			refer:  map[string]target{"account": {int64(a.ID), a.Code}},
			moment: map[string]time.Time{"created": c.CreatedAt, "updated": c.CreatedAt},
		})
	}
	return rows
}

func (w *world) featureModels() (rows []naive) {
	for _, f := range w.features {
		p := w.products[f.ProductID]
		rows = append(rows, naive{
			id: int64(f.ID), texts: []string{f.Name, f.Code},
			exact:   map[string]*string{"code": &f.Code},
			number:  map[string]int64{"id": int64(f.ID)},
			boolean: map[string]bool{"isProvisioned": f.IsProvisioned},
			enum:    map[string]string{"kind": string(f.Kind)},
			refer:   map[string]target{"product": {int64(p.ID), &p.Code}},
			moment:  map[string]time.Time{"created": f.CreatedAt, "updated": f.CreatedAt},
		})
	}
	return rows
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// currencyOf is a currency as filters see it, if there is one.
func currencyOf(code *string) map[string]string {
	if code == nil {
		return nil
	}
	return map[string]string{"currency": *code}
}
