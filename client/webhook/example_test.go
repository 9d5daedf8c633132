package webhook_test

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"log"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/client"
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

// The store's table is joined with the application's, so that sequence and features of a
// tenant are of one moment.
func ExampleReporter() {
	api, err := client.New("https://billing.example.com", "id", "secret", "standard:write")
	if err != nil {
		log.Fatal(err)
	}
	db, err := sql.Open("postgres", "postgres://app@db.example.com/app")
	if err != nil {
		log.Fatal(err)
	}
	reporter := &webhook.Reporter{
		Client: api, Platform: "cloud",
		Tenants: func(ctx context.Context) iter.Seq2[webhook.TenantState, error] {
			return func(yield func(webhook.TenantState, error) bool) {
				rows, err := db.QueryContext(ctx, `SELECT t.code, t.seats, coalesce(s.sequence, 0)
					FROM tenant t LEFT JOIN tenantry_tenant s ON s.tenant_id = t.tenantry_id`)
				if err != nil {
					yield(webhook.TenantState{}, err)
					return
				}
				defer rows.Close()
				for rows.Next() {
					var state webhook.TenantState
					users := webhook.Feature{Code: "users"}
					err := rows.Scan(&state.Code, &users.Quantity, &state.Sequence)
					state.Features = []webhook.Feature{users}
					if !yield(state, err) {
						return
					}
				}
				if err := rows.Err(); err != nil {
					yield(webhook.TenantState{}, err)
				}
			}
		},
		OnReport: func(report *webhook.Report, err error) {
			if err != nil {
				log.Print(err)
				return
			}
			log.Printf("%d tenants, of which %d differ", report.Tenants, report.Outcomes.Drifted)
		},
	}
	reporter.Run(context.Background(), 24*time.Hour)
}

// Any store will do: the features of a tenant are read in its turn, while no webhook
// changes them.
func ExampleReporter_sequences() {
	api, err := client.New("https://billing.example.com", "id", "secret", "standard:write")
	if err != nil {
		log.Fatal(err)
	}
	store := webhook.NewMemoryStore() // the one of the Handler
	tenants := map[string]int64{"acme": 7}
	reporter := &webhook.Reporter{
		Client: api, Platform: "cloud", Sequences: store,
		Tenants: func(context.Context) iter.Seq2[webhook.TenantState, error] {
			return func(yield func(webhook.TenantState, error) bool) {
				for code, id := range tenants {
					if !yield(webhook.TenantState{Code: code, ID: id}, nil) {
						return
					}
				}
			}
		},
		Features: func(_ context.Context, tenant webhook.TenantState) ([]webhook.Feature, error) {
			return []webhook.Feature{{Code: "sso"}}, nil
		},
	}
	report, err := reporter.Report(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, tenant := range report.Differing {
		fmt.Println(tenant.Code, tenant.Outcome, tenant.Features)
	}
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
