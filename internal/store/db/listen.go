package db

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Notify sends a message to the other processes that listen on a channel. On
// SQLite, and behind a pooler, nobody does.
func (d *DB) Notify(ctx context.Context, channel, message string) error {
	if d.listen == nil {
		return nil
	}
	_, err := d.read.ExecContext(ctx, `SELECT pg_notify($1, $2)`, channel, d.name+":"+message)
	return err
}

// Listen calls heard with the messages of other processes on a channel, until
// ctx ends or the connection breaks. It begins with an empty one: messages from
// before are lost.
func (d *DB) Listen(ctx context.Context, channel string, heard func(string)) error {
	if d.listen == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	return d.listen(ctx, channel, func(text string) {
		who, message, named := strings.Cut(text, ":")
		switch {
		case !named:
			heard(text)
		case who != d.name:
			heard(message)
		}
	})
}

// listenOn waits for announcements on a connection of its own.
func listenOn(ctx context.Context, config *pgx.ConnConfig, channel string, heard func(string)) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, `LISTEN `+pgx.Identifier{channel}.Sanitize()); err != nil {
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
