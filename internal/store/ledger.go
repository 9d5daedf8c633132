package store

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

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
	var k LedgerKey
	into := direct(k.fields())
	return func(rows scanner) error {
		err := rows.Scan(into...)
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
	pieces, err := readPieces(text)
	*c = pieces
	return err
}

// readPieces reads what Value writes: JSON of which nothing is escaped. A parser of
// any JSON would be most of the time that it takes to read a ledger.
func readPieces(text string) ([]ledger.Piece, error) {
	if text == "[]" {
		return []ledger.Piece{}, nil
	}
	list, begins := strings.CutPrefix(text, `[["`)
	list, ends := strings.CutSuffix(list, `"]]`)
	if !begins || !ends {
		return nil, fmt.Errorf("%q are not pieces", text)
	}
	pieces := make([]ledger.Piece, 0, 1)
	for kept := range strings.SplitSeq(list, `"],["`) {
		from, rest, _ := strings.Cut(kept, `","`)
		to, price, _ := strings.Cut(rest, `","`)
		value, ok := new(big.Rat).SetString(price)
		if !ok {
			return nil, fmt.Errorf("%q is not a price", price)
		}
		p := ledger.Piece{Value: value}
		var err error
		if p.From, err = billing.ParseDate(from); err != nil {
			return nil, err
		}
		if p.To, err = billing.ParseDate(to); err != nil {
			return nil, err
		}
		pieces = append(pieces, p)
	}
	return pieces, nil
}

func (c *piecesColumn) Value() (driver.Value, error) {
	kept := make([][3]string, len(*c))
	for n, p := range *c {
		kept[n] = [3]string{p.From.String(), p.To.String(), p.Value.RatString()}
	}
	text, err := json.Marshal(kept)
	return string(text), err
}
