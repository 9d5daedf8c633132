package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// DocumentFile is a file of a document: the same bytes for ever.
type DocumentFile struct {
	UUID      string // of the document
	MediaType string
	SHA256    string
	Content   []byte
	CreatedAt time.Time
}

// FindDocumentFile returns a file of a document, nil if nobody has asked for it yet.
func FindDocumentFile(ctx context.Context, q Queries, uuid, mediaType string) (*DocumentFile, error) {
	f := DocumentFile{UUID: uuid, MediaType: mediaType}
	found, err := q.One(ctx, `SELECT sha256, content, created_at FROM document_file WHERE uuid = $1 AND media_type = $2`, []any{uuid, mediaType}, &f.SHA256, &f.Content, column.Millis(&f.CreatedAt))
	if err != nil || !found {
		return nil, err
	}
	return &f, nil
}

// InsertDocumentFile keeps a file, unless there is one already.
func InsertDocumentFile(ctx context.Context, tx *Tx, f *DocumentFile) error {
	f.CreatedAt = tx.Now
	_, err := tx.Exec(ctx, `INSERT INTO document_file (uuid, media_type, sha256, content, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (uuid, media_type) DO NOTHING`,
		f.UUID, f.MediaType, f.SHA256, f.Content, tx.Now.UnixMilli())
	return err
}

// FilesOfInvoices returns the files that have been made of invoices, without their
// content.
func FilesOfInvoices(ctx context.Context, q Queries, ids []billing.InvoiceID) ([]DocumentFile, error) {
	return filesOf(ctx, q, "invoice", db.JSONList(ids))
}

// FilesOfCreditNotes returns the files that have been made of credit notes, without
// their content.
func FilesOfCreditNotes(ctx context.Context, q Queries, ids []billing.CreditNoteID) ([]DocumentFile, error) {
	return filesOf(ctx, q, "credit_note", db.JSONList(ids))
}

func filesOf(ctx context.Context, q Queries, table, ids string) (files []DocumentFile, err error) {
	text := `SELECT file.uuid, file.media_type, file.sha256, file.created_at FROM ` + table + ` AS document JOIN document_file AS file ON file.uuid = document.uuid
		WHERE document.id IN (SELECT value FROM json_each($1)) ORDER BY document.id, file.media_type`
	err = q.Each(ctx, text, []any{ids}, func(rows scanner) error {
		var f DocumentFile
		err := rows.Scan(&f.UUID, &f.MediaType, &f.SHA256, column.Millis(&f.CreatedAt))
		files = append(files, f)
		return err
	})
	return files, err
}
