package webhook_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"net/http"

	"github.com/tenantry/tenantry/client/webhook"
)

func ExampleNewHandler() {
	apply := func(ctx context.Context, change webhook.Change) error {
		for _, feature := range change.Features {
			if feature.Quantity == nil {
				fmt.Printf("%s may use %s\n", change.Tenant.Code, feature.Code)
			} else {
				fmt.Printf("%s may use %d %s\n", change.Tenant.Code, *feature.Quantity, feature.Code)
			}
		}
		return nil
	}
	handler, err := webhook.NewHandler([]string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, webhook.NewMemoryStore(), apply)
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("POST /webhooks/tenantry", handler)
}

func ExampleTx() {
	db, err := sql.Open("postgres", "postgres://app@db.example.com/app")
	if err != nil {
		log.Fatal(err)
	}
	// The store keeps its numbers in a table of the application's database, and
	// the function writes in the store's transaction.
	store, err := webhook.NewSQLStore(context.Background(), db, "")
	if err != nil {
		log.Fatal(err)
	}
	apply := func(ctx context.Context, change webhook.Change) error {
		users, _ := change.Feature("users")
		_, err := webhook.Tx(ctx).ExecContext(ctx, `UPDATE tenant SET seats = $1 WHERE code = $2`, users.Quantity, change.Tenant.Code)
		return err
	}
	if _, err := webhook.NewHandler([]string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, store, apply); err != nil {
		log.Fatal(err)
	}
}
