package clienttest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/tenantry/tenantry/client"
	"github.com/tenantry/tenantry/internal/graphql/schema"
)

// TestEveryOperationHasACall: for each field of Query and Mutation there is a
// method, whose document the server accepts and whose answer fits its types, in
// a database that has some of everything. Lists are asked for 1,000 at a time.
func TestEveryOperationHasACall(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	c, _ := dial(t, s.url, allScopes...)
	fill(t, c)
	must[*client.APIClient](t)(c.APIClientCreate(t.Context(), client.APIClientAttributes{
		Name: client.Some("another"), Scopes: client.Some([]string{"standard:read"}),
	}))
	served, err := schema.Served()
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string]reflect.Method{}
	for method := range methodsOf(reflect.TypeFor[*client.Client]()) {
		methods[strings.ToLower(method.Name)] = method
	}
	fields := append(served.Query.Fields, served.Mutation.Fields...)
	slices.SortStableFunc(fields, func(a, b *ast.FieldDefinition) int { // so that others find something
		return strings.Count(a.Name, "Delete") - strings.Count(b.Name, "Delete")
	})
	for _, field := range fields {
		if strings.HasPrefix(field.Name, "__") {
			continue
		}
		method, found := methods[strings.ToLower(field.Name)]
		if !found {
			t.Errorf("there is no method for %s", field.Name)
			continue
		}
		if problem := unexpected(call(c, method)); problem != nil {
			t.Errorf("%s: %v", method.Name, problem)
		}
	}
}

func methodsOf(t reflect.Type) iter.Seq[reflect.Method] {
	return func(yield func(reflect.Method) bool) {
		for i := range t.NumMethod() {
			if !yield(t.Method(i)) {
				return
			}
		}
	}
}

// call runs a method with the smallest arguments there are.
func call(c *client.Client, method reflect.Method) error {
	in := []reflect.Value{reflect.ValueOf(c), reflect.ValueOf(context.Background())}
	for i := 2; i < method.Type.NumIn(); i++ {
		argument := reflect.New(method.Type.In(i)).Elem()
		switch value := argument.Addr().Interface().(type) {
		case *string:
			*value = "1"
			if strings.HasPrefix(method.Name, "APIClient") {
				*value = "2" // not the one that calls
			}
			if strings.HasSuffix(method.Name, "s") || strings.HasSuffix(method.Name, "Connection") {
				*value = "" // a filter
			}
		case *int:
			*value = 1000
		case *[]string:
			*value = []string{"1"}
		case *client.Page:
			*value = client.Page{First: 1000, Total: true}
		case *client.Date:
			*value = "2026-01-31"
		case *client.PaymentProvider:
			*value = client.PaymentProviderTest
		case *[]client.QuantityAttributes:
			*value = []client.QuantityAttributes{{Code: client.Some("users"), Quantity: client.Some(7)}}
		default:
			if id := argument; id.Kind() == reflect.Struct && strings.HasSuffix(id.Type().Name(), "Key") {
				id.FieldByName("ID").SetString("1")
			}
		}
		in = append(in, argument)
	}
	out := method.Func.Call(in)
	err, _ := out[1].Interface().(error)
	return err
}

// unexpected drops the refusals that calls with made-up arguments must expect.
func unexpected(err error) error {
	var refused client.UserErrors
	var failed client.Errors
	switch {
	case errors.As(err, &refused), errors.Is(err, client.ErrNotFound):
		return nil
	case errors.As(err, &failed) && failed.Has(client.CodeBadUserInput):
		return nil
	}
	return err
}

// fill makes some of everything with typed calls.
func fill(t *testing.T, c *client.Client) *client.Subscription {
	t.Helper()
	ctx := t.Context()
	must[*client.Platform](t)(c.PlatformCreate(ctx, client.PlatformAttributes{
		Code: client.Some("app"), Name: client.Some("App"), ProvisioningEnabled: client.Some(true),
	}))
	product := must[*client.Product](t)(c.ProductCreate(ctx, client.ProductAttributes{
		Code: client.Some("crm"), Name: client.Some("CRM"), PlatformCode: client.Some("app"),
	}))
	for code, kind := range map[string]client.FeatureKind{"users": client.FeatureKindQuantity, "sso": client.FeatureKindBoolean} {
		must[*client.FeatureCreatePayload](t)(c.FeatureCreate(ctx, product.ID, client.FeatureAttributes{
			Code: client.Some(code), Name: client.Some(code), Kind: client.Some(kind),
		}, nil))
	}
	plan := must[*client.Plan](t)(c.PlanCreate(ctx, client.PlanAttributes{
		ProductID: client.Some(product.ID), Code: client.Some("pro"), Name: client.Some("Pro"),
	}))
	must[*client.PriceList](t)(c.PriceListCreate(ctx, client.PriceListAttributes{
		PlanID: client.Some(plan.ID), Code: client.Some("pro-monthly"), Name: client.Some("Pro, monthly"),
		CurrencyID: client.Some("EUR"), RenewalTermMonths: client.Some(1),
		Charges: client.Some([]client.PriceListChargeAttributes{{
			Code: client.Some("users"), Name: client.Some("Users"), FeatureCode: client.Some("users"),
			ChargeType: client.Some(client.ChargeTypeRecurring), BillingPeriod: client.Some(client.BillingPeriodMonthly),
			PricingModel: client.Some(client.PricingModelFlat), Price: client.Some(client.Decimal("19.95")),
		}}),
	}))
	clock := must[*client.TestClock](t)(c.TestClockCreate(ctx, "a trial", time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)))
	account := must[*client.Account](t)(c.AccountCreate(ctx, client.AccountAttributes{
		Name: client.Some("Acme Inc"), Code: client.Some("acme"), TestClockID: client.Some(clock.ID),
		BillingContact: client.Some(client.ContactAttributes{FirstName: client.Some("Ann"), Email: client.Some("ann@example.com")}),
	}))
	return must[*client.Subscription](t)(c.SubscriptionCreate(ctx, client.SubscriptionAttributes{
		AccountID: client.Some(account.ID), PriceListCode: client.Some("pro-monthly"), TenantCode: client.Some("acme"),
		Quantities: client.Some([]client.QuantityAttributes{{Code: client.Some("users"), Quantity: client.Some(5)}}),
	}, nil))
}

// TestTypedAnswers looks at what comes back.
func TestTypedAnswers(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	c, _ := dial(t, s.url)
	ctx := t.Context()
	subscription := fill(t, c)
	if subscription.State != client.SubscriptionStateActive || subscription.Plan.Name != "Pro" || subscription.Tenant == nil ||
		subscription.Tenant.Code != "acme" || subscription.TrialEndDate != nil || len(subscription.Charges) != 1 {
		t.Errorf("the subscription is %+v", subscription)
	}
	charge := subscription.Charges[0]
	if charge.Quantity == nil || *charge.Quantity != 5 || charge.Price == nil || *charge.Price != "19.95" || charge.Feature.Kind != client.FeatureKindQuantity {
		t.Errorf("the charge is %+v", charge)
	}
	if first, err := subscription.StartDate.Time(); err != nil || client.DateOf(first) != subscription.StartDate {
		t.Errorf("the start date is %s: %v", subscription.StartDate, err)
	}
	access := must[*client.FeatureAccess](t)(c.FeatureAccess(ctx, "acme", "users", nil))
	if !access.Allowed || access.Quantity == nil || *access.Quantity != 5 {
		t.Errorf("the access is %+v", access)
	}
	account := must[*client.Account](t)(c.Account(ctx, client.AccountKey{Code: "acme"}))
	if len(account.Contacts) != 1 || *account.Contacts[0].Email != "ann@example.com" || account.TestClock == nil {
		t.Errorf("the account is %+v", account)
	}
	canceled := must[[]client.Subscription](t)(c.SubscriptionCancel(ctx, []string{subscription.ID},
		&client.SubscriptionCancelOptions{AtTermEnd: client.Some(true)}))
	if len(canceled) != 1 || canceled[0].CancellationDate == nil {
		t.Errorf("the cancellation gives %+v", canceled)
	}
	advanced := must[*client.TestClockAdvancePayload](t)(c.TestClockAdvance(ctx, account.TestClock.ID, account.TestClock.Now.AddDate(0, 2, 0)))
	if !advanced.TestClock.Now.Equal(account.TestClock.Now.AddDate(0, 2, 0)) {
		t.Errorf("the clock is %+v", advanced.TestClock)
	}
	eventually(t, "the subscription ends", func() bool {
		return must[*client.Subscription](t)(c.Subscription(ctx, subscription.ID)).State == client.SubscriptionStateCanceled
	})
}

// TestAttributesLeftOutAndNull: the first keep their values, the second lose
// them.
func TestAttributesLeftOutAndNull(t *testing.T) {
	t.Parallel()
	c, _ := dial(t, start(t, "sqlite").url)
	ctx := t.Context()
	account := must[*client.Account](t)(c.AccountCreate(ctx, client.AccountAttributes{
		Name: client.Some("Acme"), Phone: client.Some("123"), Fax: client.Some("456"),
	}))
	changed := must[*client.Account](t)(c.AccountUpdate(ctx, account.ID, client.AccountAttributes{Phone: client.Null[string]()}))
	if changed.Phone != nil || changed.Fax == nil || *changed.Fax != "456" || changed.Name != "Acme" {
		t.Errorf("the account is %+v", changed)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	c, _ := dial(t, start(t, "sqlite").url)
	ctx := t.Context()
	const accounts = 205 // more than a page
	document := "mutation {"
	for i := range accounts {
		document += fmt.Sprintf(` a%d: accountCreate(attributes: {name: "Acme"}) { errors }`, i)
	}
	if err := c.Do(ctx, document+" }", nil, nil); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for account, err := range c.AllAccounts(ctx, "acme") {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, account.ID)
	}
	if len(ids) != accounts {
		t.Errorf("%d accounts", len(ids))
	}
	for range c.AllAccounts(ctx, "") {
		break // which must not go on
	}
	page := must[*client.Connection[client.Account]](t)(c.AccountsConnection(ctx, "", client.Page{First: 2, After: "", Total: true}))
	if len(page.Nodes) != 2 || !page.PageInfo.HasNextPage || page.TotalCount == nil || *page.TotalCount != accounts {
		t.Errorf("the page is %+v", page)
	}
	for _, err := range c.AllAccounts(ctx, "nonsense:1") {
		var failed client.Errors
		if !errors.As(err, &failed) || !failed.Has(client.CodeBadUserInput) {
			t.Errorf("a wrong filter gives %v", err)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	c, _ := dial(t, s.url)
	ctx := t.Context()
	var refused client.UserErrors
	if _, err := c.AccountCreate(ctx, client.AccountAttributes{}); !errors.As(err, &refused) || !refused.Has(client.CodeRequired) ||
		strings.Join(refused[0].Field, ".") != "name" || !strings.Contains(err.Error(), "name: ") {
		t.Errorf("an account without a name: %v", err)
	}
	if _, err := c.AccountDelete(ctx, "404"); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("deleting what is not there: %v", err)
	}
	if _, err := c.Account(ctx, client.AccountKey{Code: "nobody"}); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("finding what is not there: %v", err)
	}
	var failed client.Errors
	if _, err := c.APIClients(ctx, "", 0); !errors.As(err, &failed) || !failed.Has(client.CodeForbidden) || !strings.Contains(err.Error(), "admin:read") {
		t.Errorf("without the scope: %v", err)
	}
	reader, _ := dial(t, s.url, "standard:read")
	if _, err := reader.AccountCreate(ctx, client.AccountAttributes{Name: client.Some("x")}); !errors.As(err, &failed) || !failed.Has(client.CodeForbidden) {
		t.Errorf("without the scope: %v", err)
	}
}

// TestDo runs documents of the caller's own.
func TestDo(t *testing.T) {
	t.Parallel()
	c, _ := dial(t, start(t, "sqlite").url)
	ctx := t.Context()
	var made struct {
		AccountCreate struct{ Account struct{ ID string } }
	}
	variables := struct {
		Name string `json:"name"`
	}{"Acme"}
	err := c.Do(ctx, `mutation ($name: String) { accountCreate(attributes: {name: $name}) { account { id } } }`, variables, &made)
	if err != nil || made.AccountCreate.Account.ID == "" {
		t.Fatalf("%+v, %v", made, err)
	}
	var half struct {
		Accounts []struct{ Name string }
		Wrong    *struct{}
	}
	err = c.Do(ctx, `{ accounts { name } wrong: apiClient(id: 1) { id } }`, nil, &half)
	var failed client.Errors
	if !errors.As(err, &failed) || !failed.Has(client.CodeForbidden) || failed[0].Path[0] != "wrong" || len(half.Accounts) != 1 {
		t.Errorf("an answer with data and errors: %+v, %v", half, err)
	}
	if err := c.Do(ctx, `{ nonsense }`, nil, nil); !errors.As(err, &failed) || !failed.Has("GRAPHQL_VALIDATION_FAILED") {
		t.Errorf("a wrong document: %v", err)
	}
	if err := c.Do(ctx, `{ accounts { id } }`, map[string]any{"x": func() {}}, nil); err == nil {
		t.Error("variables that are no JSON are accepted")
	}
}
