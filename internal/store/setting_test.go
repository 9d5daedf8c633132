package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testSettings(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	if value, set, err := store.Setting(t.Context(), s.Queries(), "color"); value != "" || set || err != nil {
		t.Errorf("a setting that is not set: %q, %v, %v", value, set, err)
	}
	initialize := func(value, want string) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			now, err := store.InitSetting(ctx, tx, "color", value)
			must(err)
			same(t, "InitSetting", now, want)
		})
	}
	initialize(hard, hard)
	initialize("another", hard) // it has a value already
	value, set, err := store.Setting(t.Context(), s.Queries(), "color")
	if value != hard || !set || err != nil {
		t.Errorf("Setting: %q, %v, %v", value, set, err)
	}
	for _, name := range []string{"color", "shape"} { // one with a value, one without
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.SetSetting(ctx, tx, name, "new "+name)) })
	}
	for _, name := range []string{"color", "shape"} {
		value, set, err := store.Setting(t.Context(), s.Queries(), name)
		if value != "new "+name || !set || err != nil {
			t.Errorf("%s after SetSetting: %q, %v, %v", name, value, set, err)
		}
	}
	if name, set, err := store.TimeZone(t.Context(), s.Queries()); name != "" || set || err != nil {
		t.Errorf("a time zone that is not set: %q, %v, %v", name, set, err)
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.SetSetting(ctx, tx, store.TimeZoneSetting, "Europe/Zurich"))
	})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for range 2 {
			if name, set, err := store.TimeZone(ctx, tx.Queries); name != "Europe/Zurich" || !set || err != nil {
				t.Errorf("the time zone: %q, %v, %v", name, set, err)
			}
		}
	})
}
