package console

import (
	"embed"
	"io/fs"

	"github.com/tenantry/tenantry/internal/assets"
)

//go:embed assets
var assetFiles embed.FS

func loadAssets() (*assets.Server, error) {
	files, err := fs.Sub(assetFiles, "assets")
	if err != nil {
		return nil, err
	}
	return assets.New(files, "/assets/")
}
