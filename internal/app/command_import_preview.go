package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/impact"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/transfer"
)

const (
	// copyPrefix begins the names of folders with a copy of the database.
	copyPrefix = ".tenantry-preview-"
	// abandoned is the age at which such a copy belongs to nobody any more.
	abandoned = 24 * time.Hour
)

// preview imports the file, takes all of it back, and prints what would have come of it.
func (i *importing) preview(ctx context.Context, p Process, st *store.Store) error {
	if !i.config.isSQLite() {
		return i.rehearse(ctx, p, st)
	}
	// It is one transaction, however long the file is, and SQLite lets nobody else
	// write meanwhile. On a copy it keeps no server waiting.
	beside := filepath.Dir(i.config.sqlitePath())
	if err := removeLeftCopies(beside, p.Wall().Add(-abandoned)); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(beside, copyPrefix)
	if err != nil {
		return err
	}
	return errors.Join(i.onCopy(ctx, p, st, filepath.Join(dir, "copy.db")), os.RemoveAll(dir))
}

// removeLeftCopies removes copies of the database that were begun before a time: a process
// that was killed leaves its copy behind.
func removeLeftCopies(dir string, before time.Time) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), copyPrefix) {
			continue
		}
		if info, err := e.Info(); err != nil || info.ModTime().After(before) {
			continue // of a preview that runs, or has just ended
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (i *importing) onCopy(ctx context.Context, p Process, st *store.Store, path string) error {
	if err := st.Backup(ctx, path); err != nil {
		return err
	}
	options := p.databaseOptions(i.config)
	options.URL = "sqlite:" + path
	twin, err := store.Open(ctx, options)
	if err != nil {
		return err
	}
	return errors.Join(i.rehearse(ctx, p, twin), twin.Close())
}

func (i *importing) rehearse(ctx context.Context, p Process, st *store.Store) error {
	box, err := i.previewBox(ctx, p, st)
	if err != nil {
		return err
	}
	svc := service.New(st, box, nil)
	var result *transfer.Result
	err = i.flags.show(ctx, p, i.foretell(svc), func(ctx context.Context) (err error) {
		result, err = i.read(ctx, p, st, svc)
		return err
	})
	if err == nil && !bool(*i.flags.machine) {
		printTallies(p.Stderr, result, true)
	}
	return err
}

// foretell finds out what an import would do to tenants, whether they are told or not.
func (i *importing) foretell(svc *service.Service) foretell {
	return func(ctx context.Context, do func(context.Context) error) (*impact.Impact, error) {
		found, err := svc.Impact.ForetellAtLength(ctx, do)
		if err == nil && *i.webhooks == "off" {
			found.Webhooks, found.Seconds = 0, 0
		}
		return found, err
	}
}

// previewBox is what seals the secrets of new platforms. None of them is kept, so a
// preview makes no key.
func (i *importing) previewBox(ctx context.Context, p Process, st *store.Store) (*secret.Box, error) {
	if i.config.secretKey == "" {
		_, err := os.Stat(filepath.Join(filepath.Dir(i.config.sqlitePath()), "secret.key"))
		if errors.Is(err, fs.ErrNotExist) {
			return secret.NewBox(secret.RandomText(40))
		}
	}
	var box *secret.Box
	err := st.Rehearse(ctx, func(ctx context.Context) (err error) {
		box, err = openBox(ctx, i.config, st, p.Stderr)
		return err
	})
	return box, err
}
