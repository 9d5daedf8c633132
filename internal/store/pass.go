package store

import (
	"context"
	"strconv"
	"time"
)

// The settings that say how far the lifecycle has come: when it last did all that
// was due, and when somebody last said that the time is right.
const (
	lastPassSetting = "lifecycle_last_pass"
	resumedSetting  = "lifecycle_resumed"
)

// LastPass returns when all was done that was due by then, and whether it ever
// was.
func LastPass(ctx context.Context, q Queries) (at time.Time, found bool, err error) {
	return momentOf(ctx, q, lastPassSetting)
}

// Resumed returns the time that somebody last said is right, if anybody did.
func Resumed(ctx context.Context, q Queries) (at time.Time, found bool, err error) {
	return momentOf(ctx, q, resumedSetting)
}

func momentOf(ctx context.Context, q Queries, name string) (time.Time, bool, error) {
	text, set, err := Setting(ctx, q, name)
	if err != nil || !set {
		return time.Time{}, false, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return time.UnixMilli(n).UTC(), err == nil, err
}

// RecordPass notes that all is done that was due at a time, unless that is known
// of a later one.
func RecordPass(ctx context.Context, tx *Tx, at time.Time) error {
	const text = `INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
		WHERE CAST(setting.value AS BIGINT) < CAST(excluded.value AS BIGINT)`
	_, err := tx.Exec(ctx, text, lastPassSetting, millisText(at))
	return err
}

// Resume notes that somebody says that the time is right: the lifecycle goes on
// from there, whatever was known of it.
func Resume(ctx context.Context, tx *Tx, at time.Time) error {
	if err := SetSetting(ctx, tx, lastPassSetting, millisText(at)); err != nil {
		return err
	}
	return SetSetting(ctx, tx, resumedSetting, millisText(at))
}

func millisText(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }
