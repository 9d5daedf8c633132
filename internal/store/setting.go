package store

import "context"

// Setting returns a setting of the installation, and whether it is set.
func Setting(ctx context.Context, q Queries, name string) (value string, set bool, err error) {
	set, err = q.One(ctx, `SELECT value FROM setting WHERE name = $1`, []any{name}, &value)
	return value, set, err
}

// InitSetting sets a setting that has no value yet and returns the value it
// has now: of two that set it at once, one wins.
func InitSetting(ctx context.Context, tx *Tx, name, value string) (string, error) {
	if _, err := tx.Exec(ctx, `INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, value); err != nil {
		return "", err
	}
	value, _, err := Setting(ctx, tx.Queries, name)
	return value, err
}

// SetSetting sets a setting, whether it had a value or not.
func SetSetting(ctx context.Context, tx *Tx, name, value string) error {
	const text = `INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
	_, err := tx.Exec(ctx, text, name, value)
	return err
}
