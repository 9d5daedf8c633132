package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// AttendAt tries to prove to others at an address that a process lives.
func AttendAt(ctx context.Context, address string, number int64) error {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return err
	}
	return attendOn(ctx, config, number, func() {})
}
