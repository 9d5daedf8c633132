package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/operation"
)

// days is how long the history is.
const days = 365

// ClockName is the name of the test clock that all customers are on.
const ClockName = "demo"

// Options are what a business is made with.
type Options struct {
	Service *service.Service
	// Now is today; the history ends here.
	Now time.Time
	// WebhookURL is where the webhooks of a platform go.
	WebhookURL func(platform string) string
	// Progress is told how many days of how many are done.
	Progress func(done, total int)
}

// Business is what was made.
type Business struct {
	// Secrets sign the webhooks of each platform.
	Secrets map[string]string
	// BooksSecret signs business events.
	BooksSecret string
	// Clock is the test clock that all customers are on.
	Clock billing.TestClockID
	// Example is a subscription to try something with.
	Example Example
	// Debtor is the customer with overdue invoices, whose tenant is suspended.
	Debtor Debtor
}

// Debtor is a customer who has stopped paying.
type Debtor struct {
	Customer string
	Account  billing.AccountID
	Tenant   string // its code
}

// Example is a customer who can be given more seats.
type Example struct {
	Subscription           billing.SubscriptionID
	Customer               string
	Tenant                 string // its code
	TenantID               billing.TenantID
	Feature, Charge        string
	Quantity, NextQuantity int
}

// mine is what a customer has of a product.
type mine struct{ customer, product string }

// year is the making of a history.
type year struct {
	Options
	ctx      context.Context
	service  *service.Service
	clock    *billing.TestClock
	today    billing.Date
	day      int // that is reached
	accounts map[string]billing.AccountID
	// sold is the product of each price list.
	sold          map[string]*product
	productIDs    map[string]billing.ProductID
	planIDs       map[string]billing.PlanID // by product/plan
	subscriptions map[mine]billing.SubscriptionID
	// stopped are the customers who do not pay any more.
	stopped map[billing.AccountID]bool
}

// Make makes the business in an empty database.
func Make(ctx context.Context, o Options) (*Business, error) {
	y := &year{
		Options: o, ctx: operation.As(ctx, operation.Caller{Actor: "demo"}), service: o.Service, today: billing.DateOf(o.Now, time.UTC),
		accounts: map[string]billing.AccountID{}, sold: map[string]*product{}, productIDs: map[string]billing.ProductID{},
		planIDs: map[string]billing.PlanID{}, subscriptions: map[mine]billing.SubscriptionID{},
		stopped: map[billing.AccountID]bool{},
	}
	if err := y.makeEntity(); err != nil {
		return nil, err
	}
	secrets, err := y.makeCatalog()
	if err != nil {
		return nil, err
	}
	if err := y.live(); err != nil {
		return nil, err
	}
	example, err := y.example()
	if err != nil {
		return nil, err
	}
	secret, err := y.makeBooks()
	return &Business{Secrets: secrets, BooksSecret: secret, Clock: y.clock.ID, Example: example, Debtor: y.debtor()}, err
}

// deed is a step that a customer takes.
type deed struct {
	step
	by *customer
}

// live goes through the year day by day, as far as somebody did something.
func (y *year) live() (err error) {
	if y.clock, err = y.service.Subscriptions.TestClockCreate(y.ctx, ClockName, y.date(0).Start(time.UTC)); err != nil {
		return err
	}
	business := &customer{name: "the business"}
	deeds := []deed{{step: step{addition.day, (*year).add}, by: business}}
	for day := 7; day < days; day += 7 {
		deeds = append(deeds, deed{step{day, func(*year, *customer) error { return nil }}, business}) // somebody looks at the bank account
	}
	for i := range customers {
		for _, s := range customers[i].did {
			deeds = append(deeds, deed{s, &customers[i]})
		}
	}
	slices.SortStableFunc(deeds, func(a, b deed) int { return a.day - b.day })
	for _, d := range deeds {
		if d.day > y.day {
			y.day = d.day
			if err := y.reach(y.date(y.day).Start(time.UTC)); err != nil {
				return err
			}
			if err := y.collect(); err != nil {
				return fmt.Errorf("payments on day %d: %w", y.day, err)
			}
			y.Progress(y.day, days)
		}
		if err := d.do(y, d.by); err != nil {
			return fmt.Errorf("%s on day %d: %w", d.by.name, d.day, err)
		}
	}
	y.day = days
	if err := y.reach(y.Now); err != nil {
		return err
	}
	y.Progress(days, days)
	return y.collect()
}

// date is a day of the year.
func (y *year) date(day int) billing.Date { return y.today.AddDays(day - days) }

// reach moves the clock on, and does all that is to be done by then.
func (y *year) reach(to time.Time) error {
	_, job, err := y.service.Subscriptions.TestClockAdvance(y.ctx, y.clock.ID, to)
	if err != nil {
		return err
	}
	if job.FinishedAt == nil || job.Failed > 0 {
		return fmt.Errorf("the clock did not reach %s", to)
	}
	return y.work()
}

// work does what waits to be done in the background.
func (y *year) work() error {
	for {
		if more, err := y.service.Jobs.Run(y.ctx); err != nil || !more {
			return err
		}
	}
}

// account returns the account of a customer, who is new if this is the first
// step.
func (y *year) account(c *customer) (billing.AccountID, error) {
	if id, known := y.accounts[c.code]; known {
		return id, nil
	}
	first, last, _ := strings.Cut(c.person, " ")
	if first == "Dr." {
		first, last, _ = strings.Cut(last, " ")
	}
	email := strings.ToLower(first) + "@" + c.code + ".example"
	email = plain.Replace(email)
	account, err := y.service.Customers.AccountCreate(y.ctx, func(a *billing.Account) error {
		currency, clock := "EUR", y.clock.ID
		a.Name, a.Code, a.CurrencyID, a.TestClockID, a.BillingDay = c.name, &c.code, &currency, &clock, y.date(y.day).Day
		a.BillingStreet, a.BillingZip, a.BillingCity, a.BillingCountry = &c.at.street, &c.at.zip, &c.at.city, &c.at.country
		a.Locale, a.InvoiceEmail = c.at.locale(), &email
		if c.vat != "" {
			a.TaxNumber, a.TaxNumberState = &c.vat, billing.TaxNumberValid
		}
		return nil
	}, func(p *billing.Contact) error {
		p.FirstName, p.LastName, p.Email = first, &last, &email
		return nil
	})
	if err != nil {
		return 0, err
	}
	y.accounts[c.code] = account.ID
	return account.ID, nil
}

// plain writes the letters of names as addresses do.
var plain = strings.NewReplacer("é", "e", "ë", "e", "ö", "oe", "ü", "ue")

func (y *year) product(code string) *product {
	for i := range products {
		if products[i].code == code {
			return &products[i]
		}
	}
	return nil
}

// example is the first customer: a team whose seats can be counted.
func (y *year) example() (Example, error) {
	c, p := &customers[0], &products[0]
	e := Example{
		Subscription: y.subscriptions[mine{c.code, p.code}], Customer: c.name, Tenant: c.code,
		Feature: p.sold.feature, Charge: p.sold.code, Quantity: 25, NextQuantity: 40,
	}
	tenant, err := y.service.Subscriptions.TenantNamed(y.ctx, c.code, &p.platform)
	if err == nil {
		e.TenantID = tenant.ID
	}
	return e, err
}
