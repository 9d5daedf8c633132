package app

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/service/access"
)

// command is one thing the program can do.
type command struct {
	name, arguments string
	summary         string // a line in the list of commands
	about           string // what there is to know before it is run
	example         string // command lines to start from
	run             func(ctx context.Context, p Process, args []string) error
}

// groups are the first words of commands of two, with what they are about.
var groups = []struct{ name, about string }{
	{"client", "Manages the API clients, which applications get their access tokens with. No tenant is told of them, so there is nothing to preview."},
	{"user", "Manages the users of the console. No tenant is told of them, so there is nothing to preview."},
	{"events", "Shows the webhook log and sends events again."},
	{"documents", "Verifies invoices and credit notes."},
}

func commands() []command {
	return slices.Concat(serverCommands(), accessCommands(), webhookCommands(), dataCommands(), []command{
		{"version", "", "print the version", "Prints the version, and what it was built with.", "tenantry version", printVersion},
		{"help", "[COMMAND]", "list the commands, or describe one", "Lists the commands, or describes one with its flags and an example.",
			"tenantry help client create", help},
	})
}

func serverCommands() []command {
	return []command{
		{"demo", "", "run a server with sample customers, and a sample application",
			"Runs a server with sample customers and a year of their history, and beside it a sample application that follows their\n" +
				"webhooks. It leaves nothing behind unless --keep says so.",
			"tenantry demo --keep ./demo-data", runDemo},
		{"serve", "", "run the server",
			"Runs the server: the API, the console and the webhooks, until it is told to stop. Without flags it keeps its data in\n" +
				"./tenantry-data and listens on 127.0.0.1:8080. The first start prints a user of the console and an API client.",
			"tenantry serve --listen 0.0.0.0:8080 --base-url https://billing.example.com", serve},
		{"migrate", "", "bring the database's schema up to date and stop",
			"Brings the schema of the database up to date and stops. The server does that by itself when it starts; this is for those who\n" +
				"want it done before.",
			"tenantry migrate --db postgres://tenantry@db.example.com/tenantry", migrate},
		{"timezone", "[ZONE]", "show or set the time zone in which days begin",
			"Shows the time zone in which days begin, or sets it to one such as Europe/Berlin. Subscriptions start, renew and end at its\n" +
				"midnight.",
			"tenantry timezone Europe/Zurich", timezone},
		{"doctor", "", "examine an installation and say what to do about each finding",
			"Examines configuration, database, clock, keys, disk and endpoints, and data that needs a decision, and says what to do about\n" +
				"each finding. It changes nothing and can run beside the server; give it the flags of the server.",
			"tenantry doctor --base-url https://billing.example.com\ntenantry doctor --json", runDoctor},
		{"resume", "", "resume renewals after a long downtime or a wrong clock",
			"Resumes the lifecycle. A server whose clock is far from the last time it renewed and ended subscriptions holds\n" +
				"renewals, endings and scheduled changes until somebody confirms the time. It prints for how many subscriptions something is\n" +
				"due; with --dry-run or --preview it changes nothing.",
			"tenantry resume --dry-run\ntenantry resume", resume},
		{"health", "", "ask a server on this machine whether it is ready",
			"Asks a server on this machine whether it is ready, and fails if it is not. It is for the health checks of containers.",
			"tenantry health --listen 127.0.0.1:8080", askHealth},
	}
}

func accessCommands() []command {
	return []command{
		{"client create", "", "make an API client and print its secret", "Makes an API client and prints its id and its secret, which is not shown again.",
			`tenantry client create --name "Order system" --scopes "standard:read standard:write"`, clientCreate},
		{"client list", "", "list the API clients", "Lists the API clients with their scopes and when they were last used. Secrets are not shown.",
			"tenantry client list", clientList},
		{"client limits", "CLIENT_ID", "set what an API client may take",
			"Sets the limits of an API client: concurrent requests, and CPU time and bytes per minute, in each server process. 0 is the server's default.",
			"tenantry client limits 8f3kq0v2m5 --max-requests 20 --max-cpu-seconds 10 --max-megabytes 500", clientLimits},
		{"client delete", "CLIENT_ID", "delete an API client and end its tokens", "Deletes an API client. Its tokens end within a second, everywhere. This cannot be undone.",
			"tenantry client delete 8f3kq0v2m5", clientDelete},
		{"client renew-secret", "CLIENT_ID", "give an API client a new secret",
			"Gives an API client a new secret and prints it. The old one stays good for a while, so that nobody is locked out.",
			"tenantry client renew-secret 8f3kq0v2m5 --overlap-hours 48", clientRenewSecret},
		{"user create", "EMAIL", "make a user of the console and print the password", "Makes a user of the console and prints the password, which is not shown again.",
			"tenantry user create ann@example.com --role admin", userCreate},
		{"user list", "", "list the users of the console", "Lists the users of the console with their roles and when they last signed in.",
			"tenantry user list", userList},
		{"user password", "EMAIL", "give a user a new password and print it", "Gives a user of the console a new password, prints it, and ends the user's sessions.",
			"tenantry user password ann@example.com", userPassword},
		{"user disable", "EMAIL", "keep a user out and end the user's sessions",
			"Keeps a user of the console out until \"tenantry user enable\", and ends the user's sessions within a second, everywhere.",
			"tenantry user disable ann@example.com", userChange("user disable", "disabled", (*access.Service).UserDisable)},
		{"user enable", "EMAIL", "let a disabled user in again", "Lets a user of the console in again who was disabled, with the same password and role.",
			"tenantry user enable ann@example.com", userChange("user enable", "enabled", (*access.Service).UserEnable)},
		{"user delete", "EMAIL", "delete a user and end the user's sessions", "Deletes a user of the console and ends the user's sessions. The audit log keeps what the user did.",
			"tenantry user delete ann@example.com", userChange("user delete", "deleted", (*access.Service).UserDelete)},
	}
}

func webhookCommands() []command {
	return []command{
		{"events list", "", "list the webhook log", "Lists the events of the webhook log, oldest first, each with its state.",
			`tenantry events list --filter "platform:cloud state:exhausted"`, eventsList},
		{"events show", "EVENT", "show an event with its body, requests and difference",
			"Shows an event: its body, how that differs from the one before, and every request with its response.",
			"tenantry events show 12", eventsShow},
		{"events resend", "[EVENT]", "send one event again, or all that match --filter",
			"Queues an event to be sent again with the same id and body, or those that match --filter. A running server sends them.\n" +
				"With --preview it only says how many webhooks that would be.",
			"tenantry events resend 12\ntenantry events resend --filter \"state:exhausted\" --dry-run", eventsResend},
		{"drift", "", "show what applications have instead of what they were told",
			"Shows for each platform its policy, the last full report of its application, and the tenants that differ from what it was\n" +
				"told, with both sides of each feature. It fails if a tenant differs. See docs/drift.md.",
			"tenantry drift\ntenantry drift --platform cloud --json", showDrift},
		{"drift repair", "[TENANT_CODE...]", "tell tenants that differ their state again",
			"Tells tenants that differ their state again: those that are named, or all of a platform. A running server sends the events, at\n" +
				"most as many a minute as the platform allows; it prints how many are left.",
			"tenantry drift repair --platform cloud\ntenantry drift repair acme globex", repairDrift},
		{"listen", "", "print the webhooks that come in, for developers",
			"Receives webhooks and prints each with what is new in it. With --platform it stands in for the platform's application for\n" +
				"as long as it runs. See docs/listen.md.",
			"tenantry listen --platform cloud", runListen},
	}
}

func dataCommands() []command {
	return []command{
		{"import", "FILE", "import customers, catalog and subscriptions from JSON lines (- is standard input)",
			"Imports customers, catalog, tenants and subscriptions from a file of JSON lines, or from standard input if FILE is -. What is there\n" +
				"already is changed, not doubled, so that a file can be imported again. See docs/import.md.",
			"tenantry import customers.jsonl --check\ntenantry import customers.jsonl --webhooks on --preview\ntenantry import customers.jsonl", importLines},
		{"export", "[FILE]", "write all that as JSON lines",
			"Writes customers, catalog, tenants and subscriptions as JSON lines that import reads, to a file or to standard output. Secrets,\n" +
				"users, API clients and workflows are not part of it.",
			"tenantry export customers.jsonl", exportLines},
		{"documents verify", "", "recompute all invoices and credit notes",
			"Recomputes every invoice and credit note from its explanation: its number, its place in the chain of hashes, its items, its\n" +
				"totals and taxes. Then it compares what was billed with every subscription. It changes nothing, and fails if it finds an error.",
			"tenantry documents verify\ntenantry documents verify --entity main --from 2026-01-01", documentsVerify},
		{"backup", "FILE", "write a consistent copy of a live SQLite database",
			"Writes a copy of the SQLite database into a new file while the server runs. The key of its secrets (secret.key) is kept apart.\n" +
				"For PostgreSQL use pg_dump.",
			"tenantry backup tenantry-backup.db", backup},
		{"restore", "FILE", "put a backup of a SQLite database in its place",
			"Checks a backup that \"tenantry backup\" wrote and puts a copy of it where the database is, with nothing else beside it.\n" +
				"It refuses to overwrite a database, and to work while a server runs. For PostgreSQL use pg_restore.",
			"tenantry restore tenantry-backup.db --data-dir ./restored", restore},
	}
}

// commandOf finds a command by its name, nil if there is none.
func commandOf(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return &c
		}
	}
	return nil
}
