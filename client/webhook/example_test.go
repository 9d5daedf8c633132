package webhook_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"os"

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
	handler, err := webhook.NewHandler([]string{secret}, webhook.NewMemoryStore(), apply)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	http.Handle("POST /webhooks/tenantry", handler)

	fmt.Println(send(http.DefaultServeMux, body(7, 25), 25)) // as Tenantry does it
	// Output:
	// acme may use 25 users
	// 204
}

func ExampleTx() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	db, _ := sql.Open("sqlite", dir+"/app.db")
	defer db.Close()
	_, _ = db.Exec(`CREATE TABLE tenant (code TEXT PRIMARY KEY, seats BIGINT)`)

	// The store keeps its numbers in a table of the application's database, and
	// the function writes in the store's transaction.
	store, err := webhook.NewSQLStore(context.Background(), db, "")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	apply := func(ctx context.Context, change webhook.Change) error {
		users, _ := change.Feature("users")
		_, err := webhook.Tx(ctx).ExecContext(ctx, `INSERT INTO tenant (code, seats) VALUES ($1, $2)
			ON CONFLICT (code) DO UPDATE SET seats = excluded.seats`, change.Tenant.Code, users.Quantity)
		return err
	}
	handler, err := webhook.NewHandler([]string{secret}, store, apply)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}

	fmt.Println(send(handler, body(7, 25), 25))
	var seats int
	_ = db.QueryRow(`SELECT seats FROM tenant WHERE code = 'acme'`).Scan(&seats)
	fmt.Println(seats)
	// Output:
	// 204
	// 25
}
