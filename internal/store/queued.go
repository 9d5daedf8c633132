package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/tenantry/tenantry/internal/billing"
)

const queuedChannel = "tenantry_queued"

// Announce tells other processes on the same database that something was
// queued for those platforms. On SQLite there are none that send.
func (s *Store) Announce(ctx context.Context, platforms []billing.PlatformID) error {
	if s.listen == nil {
		return nil
	}
	ids := make([]string, len(platforms))
	for i, id := range platforms {
		ids[i] = strconv.FormatInt(int64(id), 10)
	}
	_, err := s.read.ExecContext(ctx, `SELECT pg_notify($1, $2)`, queuedChannel, s.name+":"+strings.Join(ids, ","))
	return err
}

// Listen calls heard with what other processes announce, until ctx ends or the
// connection breaks.
func (s *Store) Listen(ctx context.Context, heard func([]billing.PlatformID)) error {
	if s.listen == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.listen(ctx, func(text string) {
		who, list, named := strings.Cut(text, ":")
		if named && who == s.name {
			return
		}
		if named {
			text = list
		}
		var platforms []billing.PlatformID
		for part := range strings.SplitSeq(text, ",") {
			if id, err := strconv.ParseInt(part, 10, 64); err == nil {
				platforms = append(platforms, billing.PlatformID(id))
			}
		}
		heard(platforms)
	})
}

// listenOn waits for announcements on a connection of its own.
func listenOn(ctx context.Context, config *pgx.ConnConfig, heard func(string)) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, `LISTEN `+queuedChannel); err != nil {
		return err
	}
	heard("") // what was announced before is not told: look for it
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		heard(n.Payload)
	}
}
