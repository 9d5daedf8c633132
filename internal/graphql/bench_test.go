package graphql

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/oauth"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// The two benchmarks answer the same hundred accounts: one through GraphQL,
// one by hand. Compare them with each other only.

func BenchmarkAccounts(b *testing.B) {
	st, _ := benchStore(b)
	box, err := secret.NewBox("a key for the benchmark")
	if err != nil {
		b.Fatal(err)
	}
	h := NewHandler(service.New(st, box, nil), MaxAnswer, slog.New(slog.DiscardHandler))
	ctx := oauth.WithPrincipal(context.Background(), oauth.Principal{ClientID: "c", Scopes: []string{billing.StandardRead}})
	body := `{"query":"{ accounts(limit: 100) { id name code billingDay createdAt } }"}`
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "errors") {
				b.Fatal(w.Body.String())
			}
		}
	})
}

func BenchmarkAccountsByHand(b *testing.B) {
	_, path := benchStore(b)
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=query_only(1)&_pragma=mmap_size(268435456)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(4)
	stmt, err := db.Prepare("SELECT id, name, code, billing_day, created_at FROM account ORDER BY id LIMIT $1")
	if err != nil {
		b.Fatal(err)
	}
	type row struct {
		ID         int64   `json:"id"`
		Name       string  `json:"name"`
		Code       *string `json:"code"`
		BillingDay int     `json:"billingDay"`
		CreatedAt  string  `json:"createdAt"`
	}
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			rows, err := stmt.Query(100)
			if err != nil {
				b.Fatal(err)
			}
			list := make([]row, 0, 100)
			for rows.Next() {
				var r row
				var created int64
				if err := rows.Scan(&r.ID, &r.Name, &r.Code, &r.BillingDay, &created); err != nil {
					b.Fatal(err)
				}
				r.CreatedAt = time.UnixMilli(created).UTC().Format(time.RFC3339)
				list = append(list, r)
			}
			rows.Close()
			w := httptest.NewRecorder()
			if err := json.NewEncoder(w).Encode(list); err != nil || len(list) != 100 {
				b.Fatal(err, len(list))
			}
		}
	})
}

func benchStore(b *testing.B) (*store.Store, string) {
	path := filepath.Join(b.TempDir(), "bench.db")
	st, err := store.Open(context.Background(), store.Options{URL: "sqlite:" + path, Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { st.Close() })
	err = st.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		for i := range 1000 {
			code := fmt.Sprintf("account-%d", i)
			if err := store.Accounts.Insert(ctx, tx, &billing.Account{Name: "Account number " + code, Code: &code, BillingDay: 1 + i%31}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return st, path
}
