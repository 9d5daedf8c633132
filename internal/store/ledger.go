package store

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// LedgerRef names what the ledger counts: a key of a subscription.
type LedgerRef struct {
	SubscriptionID billing.SubscriptionID
	Key            ledger.Key
}

// LedgerKey is what the ledger keeps of a key.
type LedgerKey struct {
	SubscriptionID billing.SubscriptionID
	ledger.Billed
}

// Ref names the key.
func (k *LedgerKey) Ref() LedgerRef { return LedgerRef{k.SubscriptionID, k.Key} }

func (k *LedgerKey) fields() []any {
	return []any{
		&k.SubscriptionID, column.Day(&k.Period.To), &k.Charge, column.Day(&k.Period.From), column.Currency(&k.Currency),
		(*piecesColumn)(&k.Pieces), &k.Net, &k.Forgiven,
	}
}

const ledgerColumns = "ledger_key.subscription_id, ledger_key.period_to, charge_id, period_from, currency_id, pieces, net, forgiven"

// LedgerFrom says from which day on the keys of a subscription are needed.
type LedgerFrom struct {
	SubscriptionID billing.SubscriptionID
	From           billing.Date
}

var ledgerKeys = &db.Batch{
	Columns:   []db.Column{{"of", "BIGINT"}, {"first", "TEXT"}},
	Statement: `SELECT ` + ledgerColumns + ` FROM new JOIN ledger_key ON ledger_key.subscription_id = new.of AND ledger_key.period_to >= new.first`,
}

// LedgerKeys returns what was billed of subscriptions in periods that end on a
// day or later.
func LedgerKeys(ctx context.Context, tx *Tx, from []LedgerFrom) (keys []LedgerKey, err error) {
	err = ledgerKeys.Run(ctx, tx, len(from), func(n int) []any {
		return []any{int64(from[n].SubscriptionID), from[n].From.String()}
	}, scanKeys(&keys))
	return keys, err
}

func scanKeys(keys *[]LedgerKey) func(scanner) error {
	return func(rows scanner) error {
		var k LedgerKey
		err := rows.Scan(k.fields()...)
		*keys = append(*keys, k)
		return err
	}
}

// LedgerOf returns everything that was billed of a subscription.
func LedgerOf(ctx context.Context, q Queries, id billing.SubscriptionID) (keys []LedgerKey, err error) {
	err = q.Each(ctx, `SELECT `+ledgerColumns+` FROM ledger_key WHERE subscription_id = $1 ORDER BY period_from, charge_id, period_to`, []any{int64(id)}, scanKeys(&keys))
	return keys, err
}

var saveLedger = &db.Batch{
	Columns: []db.Column{
		{"subscription_id", "BIGINT"}, {"period_to", "TEXT"}, {"charge_id", "BIGINT"}, {"period_from", "TEXT"}, {"currency_id", "TEXT"}, {"pieces", "TEXT"},
		{"net", "BIGINT"}, {"forgiven", "BIGINT"},
	},
	Statement: `INSERT INTO ledger_key (subscription_id, period_to, charge_id, period_from, currency_id, pieces, net, forgiven)
		SELECT subscription_id, period_to, charge_id, period_from, currency_id, pieces, net, forgiven FROM new WHERE true
		ON CONFLICT (subscription_id, period_to, charge_id, period_from) DO UPDATE SET pieces = excluded.pieces, net = excluded.net, forgiven = excluded.forgiven`,
	Unasked: true,
}

// SaveLedger writes what is billed of keys now.
func SaveLedger(ctx context.Context, tx *Tx, keys []LedgerKey) error {
	return saveLedger.Run(ctx, tx, len(keys), func(n int) []any { return keys[n].fields() }, nil)
}

// piecesColumn keeps pieces as JSON: first day, last day, price of a whole period.
type piecesColumn []ledger.Piece

func (c *piecesColumn) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("pieces are stored as %T", src)
	}
	var kept [][3]string
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return err
	}
	*c = make([]ledger.Piece, len(kept))
	for n, k := range kept {
		from, err := billing.ParseDate(k[0])
		if err != nil {
			return err
		}
		to, err := billing.ParseDate(k[1])
		if err != nil {
			return err
		}
		value, ok := new(big.Rat).SetString(k[2])
		if !ok {
			return fmt.Errorf("%q is not a price", k[2])
		}
		(*c)[n] = ledger.Piece{Period: ledger.Period{From: from, To: to}, Value: value}
	}
	return nil
}

func (c *piecesColumn) Value() (driver.Value, error) {
	kept := make([][3]string, len(*c))
	for n, p := range *c {
		kept[n] = [3]string{p.From.String(), p.To.String(), p.Value.RatString()}
	}
	text, err := json.Marshal(kept)
	return string(text), err
}
