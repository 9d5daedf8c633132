package invoicing_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// TestFullDiskDuringBilling lets the disk run full at different points of a batch.
// The batch is not written at all, nobody is set aside for it, and when there is
// room again everybody is billed, once.
func TestFullDiskDuringBilling(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		o := openOffice(w)
		o.crowd(100)
		before, failed := o.written(), 0
		for _, full := range o.fullDisks() {
			full.begin()
			_, _, err := o.Invoicing.RunDue(o.Ctx, o.Clock.Now())
			full.end()
			if err == nil && o.DB.Engine == "sqlite" {
				break // it was enough
			}
			if failed++; !store.IsFull(err) {
				o.T.Errorf("%s: %v", full.name, err)
			}
			o.Equal(full.name, o.written(), before)
		}
		if failed < 3 {
			o.T.Errorf("the disk was full %d times", failed)
		}
		o.run()
		o.billedOnce(100)
		o.Equal("accounts that were set aside", o.QueryText(`SELECT count(*) FROM account WHERE billing_problem IS NOT NULL`), "0")
	})
}

// written says how much billing has written.
func (o *office) written() string {
	o.T.Helper()
	text := ""
	for _, table := range []string{"invoice", "invoice_item", "credit_note", "account_entry", "ledger_key", "billing_event", "number_series"} {
		text += table + " " + o.QueryText("SELECT count(*) FROM "+table) + ", "
	}
	return text + "to bill " + o.QueryText(`SELECT count(*) || ' ' || COALESCE(min(bill_on), '') FROM subscription WHERE billed_on IS NULL`)
}

// fullDisk is a disk that runs full between begin and end.
type fullDisk struct {
	name       string
	begin, end func()
}

// fullDisks are disks with more and more room. The disk of a PostgreSQL server is
// not ours to fill: there, what the server says then is said by each table that is
// written to.
func (o *office) fullDisks() (disks []fullDisk) {
	if o.DB.Engine == "postgres" {
		for _, table := range []string{"number_series", "invoice", "invoice_item", "account_entry", "ledger_key", "subscription", "account_billing", "billing_event"} {
			disks = append(disks, fullDisk{"no room for " + table, func() {
				o.statement(`CREATE OR REPLACE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
					RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`)
				o.statement(`CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON ` + table + ` EXECUTE FUNCTION no_room()`)
			}, func() { o.statement(`DROP TRIGGER no_room ON ` + table) }})
		}
		return disks
	}
	for room := 0; room < 10_000; room += 1 + room/2 {
		disks = append(disks, fullDisk{fmt.Sprintf("room for %d pages", room), func() { o.leaveRoom(room) }, func() { o.leaveRoom(1 << 30) }})
	}
	return disks
}

func (o *office) statement(text string) {
	o.T.Helper()
	o.OnConnection(func(db *sql.Conn) error {
		_, err := db.ExecContext(o.Ctx, text)
		return err
	})
}

// leaveRoom lets the file of the database grow by so many pages at most.
func (o *office) leaveRoom(pages int) {
	o.T.Helper()
	o.OK(o.Store.Write(o.Ctx, func(ctx context.Context, tx *store.Tx) error {
		var used int
		if _, err := tx.One(ctx, "PRAGMA page_count", nil, &used); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", used+pages))
		return err
	}))
}
