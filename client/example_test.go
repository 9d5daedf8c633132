package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/tenantry/tenantry/client"
)

func Example() {
	ctx := context.Background()
	c, err := client.New("https://billing.example.com", "id", "secret", "standard:read", "standard:write")
	if err != nil {
		log.Fatal(err)
	}
	account, err := c.AccountCreate(ctx, client.AccountAttributes{Name: client.Some("Acme Inc"), Code: client.Some("acme")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(account.Name, *account.Code)

	for account, err := range c.AllAccounts(ctx, "acme") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("found", account.Name)
	}
}

func ExampleUserErrors() {
	c, err := client.New("https://billing.example.com", "id", "secret")
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.AccountCreate(context.Background(), client.AccountAttributes{Code: client.Some("acme")})
	var refused client.UserErrors
	if errors.As(err, &refused) {
		fmt.Println(refused[0].Code, refused[0].Field, refused[0].Message) // REQUIRED [name] name must not be empty.
	}
}

func ExamplePreview() {
	c, err := client.New("https://billing.example.com", "id", "secret")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	attributes := client.FeatureAttributes{Code: client.Some("sso"), Name: client.Some("Single sign-on")}
	trial, impact := client.Preview(ctx)
	if _, err := c.FeatureCreate(trial, "1", attributes, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(impact.Tenants, "tenants would be told")

	// For good, unless it reaches more tenants than that by now.
	_, err = c.FeatureCreate(client.ExpectTenants(ctx, impact.Tenants), "1", attributes, nil)
	var tooMany *client.TooManyTenantsError
	if errors.As(err, &tooMany) {
		fmt.Println("now it would be", tooMany.Impact.Tenants)
	}
}

func ExampleClient_Do() {
	c, err := client.New("https://billing.example.com", "id", "secret")
	if err != nil {
		log.Fatal(err)
	}
	var data struct {
		CurrentClient struct{ Scopes []string }
	}
	if err := c.Do(context.Background(), `{ currentClient { scopes } }`, nil, &data); err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.CurrentClient.Scopes)
}
