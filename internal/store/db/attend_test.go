package db_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/store/db"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestAttendInVain: a database that takes connections and never says a word is
// tried again soon.
func TestAttendInVain(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = db.AttendAt(ctx, "postgres://nobody@"+silent.Addr().String()+"/none?sslmode=disable", 1)
	if err == nil || ctx.Err() != nil {
		t.Errorf("it ended with %v, the test with %v", err, ctx.Err())
	}
}
