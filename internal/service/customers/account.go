package customers

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Accounts is what changing accounts has in common.
var Accounts = operation.Resource[billing.Account, billing.AccountID]{
	Name: "account", Words: "account", Table: store.Accounts,
	New: NewAccount,
	Check: func(ctx context.Context, tx *store.Tx, before, a *billing.Account) (billing.Problems, error) {
		problems := a.Check()
		problems.Add(a.CheckTaxNumber(before))
		moved, err := checkClock(ctx, tx, before, a)
		if err != nil {
			return nil, err
		}
		problems = append(problems, moved...)
		invoiced, err := checkEntity(ctx, tx, before, a)
		if err != nil {
			return nil, err
		}
		dunned, err := checkPolicy(ctx, tx, before, a)
		if err != nil {
			return nil, err
		}
		problems = append(append(problems, invoiced...), dunned...)
		if a.BillingContactID == nil || before != nil && before.BillingContactID != nil && *before.BillingContactID == *a.BillingContactID {
			return problems, nil
		}
		contact, err := store.Contacts.Get(ctx, tx.Queries, *a.BillingContactID)
		if err == nil && (contact == nil || contact.AccountID != a.ID) {
			problems = append(problems, billing.Fail(billing.NotFound, "billingContactId",
				"The account has no contact with id %d.", *a.BillingContactID))
		}
		return problems, err
	},
	InUse: func(ctx context.Context, q store.Queries, a *billing.Account) error {
		subscriptions, err := store.SubscriptionsOfAccount(ctx, q, a.ID)
		if err != nil {
			return err
		}
		tenants, err := store.TenantsOfAccount(ctx, q, a.ID)
		if err != nil {
			return err
		}
		documents, err := store.DocumentsOfAccount(ctx, q, a.ID)
		if err != nil {
			return err
		}
		if documents > 0 {
			return billing.Fail(billing.InUse, "id", "The account has %s, which are kept for the record.", operation.Counted(documents, "document or payment", "documents and payments"))
		}
		waiting, err := store.WaitingOf(ctx, q, []billing.AccountID{a.ID})
		if err != nil {
			return err
		}
		if waiting.Items {
			return billing.Fail(billing.InUse, "id", "The account has items that wait for its next invoice. Delete them first.")
		}
		if subscriptions > 0 || tenants > 0 {
			return billing.Fail(billing.InUse, "id", "The account has %s and %s, which are kept for the record.",
				operation.Counted(subscriptions, "subscription", "subscriptions"), operation.Counted(tenants, "tenant", "tenants"))
		}
		return nil
	},
	Release: func(ctx context.Context, tx *store.Tx, a *billing.Account) error {
		if err := store.DeleteDocumentsOf(ctx, tx, a.ID); err != nil { // what waits to be billed
			return err
		}
		// Contacts are parts of their account and go with it.
		err := Contacts.AuditDeletedParts(ctx, tx, "account", int64(a.ID), func(c *billing.Contact) bool { return c.AccountID == a.ID })
		if err == nil {
			_, err = store.DeleteContactsOf(ctx, tx, a.ID)
		}
		return err
	},
	Taken: func(a *billing.Account) *billing.Error {
		return billing.Fail(billing.Taken, "code", "Another account has the code %q.", *a.Code)
	},
}

// AccountCreate adds an account, with its billing contact if billingContact is
// not nil and gives it anything. It is billed on the day of the month of its creation, unless edit
// says otherwise.
func (s *Service) AccountCreate(ctx context.Context, edit func(*billing.Account) error, billingContact func(*billing.Contact) error) (*billing.Account, error) {
	return Accounts.Create(ctx, s.Runner, edit, WithBillingContact(billingContact))
}

// NewAccount is an account before anything is known of it.
func NewAccount(tx *store.Tx) billing.Account { return billing.NewAccount(tx.Now.Day()) }

// AccountUpdate changes an account, and its billing contact if billingContact
// is not nil and gives it anything: the one it has, or a new one.
func (s *Service) AccountUpdate(ctx context.Context, id billing.AccountID, edit func(*billing.Account) error, billingContact func(*billing.Contact) error) (*billing.Account, error) {
	var before billing.Account
	row, err := Accounts.Update(ctx, s.Runner, id, func(a *billing.Account) error {
		before = *a
		a.TaxNumberState = ""
		err := edit(a)
		a.KeepTaxNumberState(&before)
		return err
	}, WithBillingContact(billingContact), func(ctx context.Context, tx *store.Tx, a *billing.Account) error {
		if err := billAgain(ctx, tx, &before, a); err != nil {
			return err
		}
		if err := dunAgain(ctx, tx, &before, a); err != nil {
			return err
		}
		if p := operation.PreviewIn(ctx); p != nil {
			p.Accounts = append(p.Accounts, id)
		}
		return store.RenewDrafts(ctx, tx, []billing.AccountID{id})
	})
	if err == nil {
		s.Wake()
	}
	return row, err
}

// AccountDelete removes an account with its contacts.
func (s *Service) AccountDelete(ctx context.Context, id billing.AccountID) (*billing.Account, error) {
	return Accounts.Delete(ctx, s.Runner, id)
}

// WithBillingContact also changes the billing contact of an account, or adds it.
func WithBillingContact(edit func(*billing.Contact) error) operation.Extra[billing.Account] {
	return func(ctx context.Context, tx *store.Tx, a *billing.Account) error {
		if edit == nil || givesNothing(edit) {
			return nil
		}
		if a.BillingContactID != nil {
			return operation.Within("billingContact", updateContactIn(ctx, tx, *a.BillingContactID, edit))
		}
		contact := billing.Contact{AccountID: a.ID}
		if err := Contacts.Edited(ctx, tx, nil, &contact, edit); err != nil {
			return operation.Within("billingContact", err)
		}
		if err := store.Contacts.Insert(ctx, tx, &contact); err != nil {
			return err
		}
		if err := operation.Audit(ctx, tx, "contactCreate", "contact", int64(contact.ID), billing.Changes(nil, &contact)); err != nil {
			return err
		}
		a.BillingContactID = &contact.ID
		return store.Accounts.Update(ctx, tx, a)
	}
}

// givesNothing says whether an edit leaves a new contact empty.
func givesNothing(edit func(*billing.Contact) error) bool {
	var contact billing.Contact
	return edit(&contact) == nil && contact.Empty()
}

func updateContactIn(ctx context.Context, tx *store.Tx, id billing.ContactID, edit func(*billing.Contact) error) error {
	contact, err := Contacts.Lock(ctx, tx, id)
	if err != nil {
		return err
	}
	before := *contact
	if err := Contacts.Edited(ctx, tx, &before, contact, edit); err != nil {
		return err
	}
	if err := store.Contacts.Update(ctx, tx, contact); err != nil {
		return err
	}
	return operation.Audit(ctx, tx, "contactUpdate", "contact", int64(id), billing.Changes(&before, contact))
}

// checkEntity refuses an entity that there is not, and one that does not issue invoices yet
// for an account that has some: nobody would issue its credit notes.
func checkEntity(ctx context.Context, tx *store.Tx, before, a *billing.Account) (billing.Problems, error) {
	if before == nil && a.EntityID == nil || before != nil && sameID(before.EntityID, a.EntityID) {
		return nil, nil
	}
	entities, err := store.AllEntities(ctx, tx.Queries)
	if err != nil {
		return nil, err
	}
	at := 0 // the first counts for accounts that name none
	if a.EntityID != nil {
		if at = slices.IndexFunc(entities, func(e billing.Entity) bool { return e.ID == *a.EntityID }); at < 0 {
			return billing.Problems{billing.Missing("entityId", "entity", *a.EntityID)}, nil
		}
	}
	if before == nil {
		return nil, nil
	}
	cal, err := calendar.In(ctx, tx, a.TestClockID)
	if err != nil {
		return nil, err
	}
	return CheckIssuer(ctx, tx.Queries, a.ID, &entities[at], cal.Today)
}

// CheckIssuer refuses an entity that does not issue invoices yet for an account that has
// some.
func CheckIssuer(ctx context.Context, q store.Queries, id billing.AccountID, entity *billing.Entity, today billing.Date) (billing.Problems, error) {
	if first := entity.InvoicingStartsOn; first != nil && !first.After(today) {
		return nil, nil
	}
	if invoiced, err := store.IsInvoiced(ctx, q, id); !invoiced || err != nil {
		return nil, err
	}
	return billing.Problems{billing.Fail(billing.NotAllowed, "entityId",
		"%s does not issue invoices yet, and the account has some: give the entity a first day that is billed, invoicingStartsOn, which has come.", entity.Name)}, nil
}

// checkPolicy refuses a dunning policy that there is not.
func checkPolicy(ctx context.Context, tx *store.Tx, before, a *billing.Account) (billing.Problems, error) {
	if a.DunningPolicyID == nil || before != nil && sameID(before.DunningPolicyID, a.DunningPolicyID) {
		return nil, nil
	}
	policy, err := store.DunningPolicies.Get(ctx, tx.Queries, *a.DunningPolicyID)
	if err != nil || policy != nil {
		return nil, err
	}
	return billing.Problems{billing.Missing("dunningPolicyId", "dunning policy", *a.DunningPolicyID)}, nil
}

// checkClock lets an account join or leave a test clock only while it has no
// subscriptions, documents or payments: dates that were decided by one time would go
// on by another, and what was issued is kept, or was only a test.
func checkClock(ctx context.Context, tx *store.Tx, before, a *billing.Account) (billing.Problems, error) {
	var old billing.TestClockID
	if before != nil && before.TestClockID != nil {
		old = *before.TestClockID
	}
	var now billing.TestClockID
	if a.TestClockID != nil {
		now = *a.TestClockID
	}
	if old == now {
		return nil, nil
	}
	if now != 0 {
		clock, err := store.TestClocks.Get(ctx, tx.Queries, now)
		if err != nil {
			return nil, err
		}
		if clock == nil {
			return billing.Problems{billing.Missing("testClockId", "test clock", now)}, nil
		}
	}
	if before == nil {
		return nil, nil
	}
	refused := func(has string) (billing.Problems, error) {
		return billing.Problems{billing.Fail(billing.NotAllowed, "testClockId", "The account has %s; it can join or leave a test clock only without any.", has)}, nil
	}
	n, err := store.SubscriptionsOfAccount(ctx, tx.Queries, a.ID)
	if err != nil {
		return nil, err
	}
	if n > 0 {
		return refused(operation.Counted(n, "subscription", "subscriptions"))
	}
	if n, err = store.DocumentsOfAccount(ctx, tx.Queries, a.ID); err != nil {
		return nil, err
	}
	if n > 0 {
		return refused(operation.Counted(n, "document or payment", "documents and payments"))
	}
	waiting, err := store.WaitingOf(ctx, tx.Queries, []billing.AccountID{a.ID})
	if waiting.Items {
		return refused("items that wait for its next invoice")
	}
	return nil, err
}
