package console

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestOutagesPass: only what passes is to be tried again.
func TestOutagesPass(t *testing.T) {
	for code, status := range map[string]int{"57P01": http.StatusServiceUnavailable, "53300": http.StatusServiceUnavailable, "42P01": http.StatusInternalServerError} {
		if shown := (&call{}).explain(&pgconn.PgError{Code: code}); shown.status != status {
			t.Errorf("%s is shown as %d", code, shown.status)
		}
	}
}
