package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/store/column"
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
