package main

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const accountsSQL = `SELECT id, name, code, billing_day, created_at FROM account ORDER BY id LIMIT 100`

// bareSQLite reads with the settings of the server's reading connections.
func bareSQLite(database string) (*sql.DB, error) {
	settings := "_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_dqs=0" +
		"&_pragma=query_only(1)&_pragma=busy_timeout(10000)&_pragma=mmap_size(268435456)"
	address := url.URL{Scheme: "file", Opaque: url.PathEscape(strings.TrimPrefix(database, "sqlite:")), RawQuery: settings}
	return openBare("sqlite", address.String(), 4)
}

// barePostgres reads with as many connections as the server.
func barePostgres(database string) (*sql.DB, error) { return openBare("pgx", database, 16) }

func openBare(driver, address string, connections int) (*sql.DB, error) {
	db, err := sql.Open(driver, address)
	if err == nil {
		db.SetMaxOpenConns(connections)
		db.SetMaxIdleConns(connections)
	}
	return db, err
}

// bareAccount is an account as the API shows it.
type bareAccount struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Code       *string `json:"code"`
	BillingDay int     `json:"billingDay"`
	CreatedAt  string  `json:"createdAt"`
}

type bareAnswer struct {
	Data struct {
		Accounts []bareAccount `json:"accounts"`
	} `json:"data"`
}

// bareAccounts answers the accounts query with as little as possible.
func (r *run) bareAccounts(database string) http.HandlerFunc {
	db := must(r.engine.bare(database))
	r.closing(db.Close)
	stmt := must(db.Prepare(accountsSQL))
	r.closing(stmt.Close)
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := readBare(r, stmt)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer(w, body)
	}
}

func readBare(r *http.Request, stmt *sql.Stmt) ([]byte, error) {
	rows, err := stmt.QueryContext(r.Context())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out bareAnswer
	out.Data.Accounts = make([]bareAccount, 0, pageSize)
	for rows.Next() {
		var a bareAccount
		var id, created int64
		if err := rows.Scan(&id, &a.Name, &a.Code, &a.BillingDay, &created); err != nil {
			return nil, err
		}
		a.ID = strconv.FormatInt(id, 10)
		a.CreatedAt = time.UnixMilli(created).UTC().Format("2006-01-02T15:04:05.000Z")
		out.Data.Accounts = append(out.Data.Accounts, a)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return json.Marshal(out)
}
