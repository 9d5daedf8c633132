package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// Impact is what a mutation does, or would do, to tenants and to what customers pay.
type Impact struct {
	// Tenants is how many tenants are sent a webhook.
	Tenants int `json:"tenants"`
	// Features says what tenants gain and lose, by feature.
	Features []FeatureImpact `json:"features"`
	// Subscriptions is how many of them are made or changed, or include something
	// else.
	Subscriptions int `json:"subscriptions"`
	// Webhooks is how many are recorded; a tenant can get several.
	Webhooks int `json:"webhooks"`
	// Seconds is roughly how long sending them takes.
	Seconds int `json:"seconds"`
	// Money has an entry for each currency in which something changes.
	Money []MoneyImpact `json:"money"`
}

// FeatureImpact is how many tenants gain a feature, lose it, or have another
// quantity or value of it.
type FeatureImpact struct {
	Code   string `json:"code"`
	Gain   int    `json:"gain"`
	Lose   int    `json:"lose"`
	Change int    `json:"change"`
	// Tenants are the codes of up to ten of them, those with the most users first.
	Tenants []string `json:"tenants"`
}

// MoneyImpact is what changes in one currency: what recurs, converted to a month,
// and what is invoiced today, or credited if it is negative.
type MoneyImpact struct {
	Currency string  `json:"currency"`
	PerMonth Decimal `json:"perMonth"`
	Now      Decimal `json:"now"`
	// Later is what recurs from later days on, in order, if that is something else.
	Later []LaterImpact `json:"later,omitempty"`
}

// LaterImpact is how much more recurs from a day on, converted to a month: in all, and
// compared with what would recur then without the mutation.
type LaterImpact struct {
	From     Date    `json:"from"`
	PerMonth Decimal `json:"perMonth"`
}

type previewInContext struct{}

type preview struct {
	impact *Impact
	given  bool // by the last answer
}

// Preview returns a context for mutations that are only tried: the server carries
// them out, takes everything back, and answers as if they had happened. What each of
// them would have done is in the Impact when its call returns.
//
//	trial, impact := client.Preview(ctx)
//	_, err := c.FeatureCreate(trial, productID, attributes, nil)
//	fmt.Println(impact.Tenants, "tenants")
//	_, err = c.FeatureCreate(ctx, productID, attributes, nil) // and now for good
//
// Use the context for one call at a time. A key of WithIdempotencyKey is not used up
// by a preview. Queries are not affected.
func Preview(ctx context.Context) (context.Context, *Impact) {
	p := &preview{impact: &Impact{}}
	return context.WithValue(ctx, previewInContext{}, p), p.impact
}

func previewOf(ctx context.Context) *preview {
	p, _ := ctx.Value(previewInContext{}).(*preview)
	return p
}

// take keeps the impact that came with an answer.
func (p *preview) take(given *Impact) {
	if p == nil {
		return
	}
	*p.impact, p.given = Impact{}, given != nil
	if given != nil {
		*p.impact = *given
	}
}

// errNoPreview is for servers from before previews, which ignore the header.
var errNoPreview = errors.New("tenantry: the answer to a preview has no impact: the server knows no previews, and has carried out the mutation")

type expectedInContext struct{}

// ExpectTenants returns a context for mutations that must not reach more than so many
// tenants. One that would is refused with a TooManyTenantsError, before anything
// happens.
func ExpectTenants(ctx context.Context, most int) context.Context {
	return context.WithValue(ctx, expectedInContext{}, most)
}

func expectedTenants(ctx context.Context) (most int, set bool) {
	most, set = ctx.Value(expectedInContext{}).(int)
	return most, set
}

// TooManyTenantsError says that a mutation would reach more tenants than ExpectTenants
// allows. Nothing was done.
type TooManyTenantsError struct {
	// Impact is what the mutation would have done.
	Impact Impact
	// Expected is how many tenants it may reach.
	Expected int
	errors   Errors
}

func (e *TooManyTenantsError) Error() string {
	return fmt.Sprintf("tenantry: this would reach %d tenants, and %d are expected: nothing was done", e.Impact.Tenants, e.Expected)
}

// Unwrap returns the Errors of the answer, with CodeConflict.
func (e *TooManyTenantsError) Unwrap() error { return e.errors }

// askPreview puts what the context asks for into the header of a mutation.
func askPreview(ctx context.Context, header http.Header) {
	if previewOf(ctx) != nil {
		header.Set("Tenantry-Preview", "true")
	}
	if most, set := expectedTenants(ctx); set {
		header.Set("Tenantry-Expect-Tenants", strconv.Itoa(most))
	}
}

// tooMany is the error of an answer that the guard gave instead of the mutation's; nil
// if it did not.
func (a *answer) tooMany(ctx context.Context) error {
	most, set := expectedTenants(ctx)
	if !set || a.Extensions.Impact == nil || a.Extensions.Impact.Tenants <= most || !a.Errors.Has(CodeConflict) {
		return nil
	}
	return &TooManyTenantsError{Impact: *a.Extensions.Impact, Expected: most, errors: a.Errors}
}
