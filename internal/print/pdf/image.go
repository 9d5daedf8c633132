package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg" // registers its format
	_ "image/png"  // registers its format
)

// ImageID is an image in a file.
type ImageID int

// maxPixels bounds what an image takes in memory while it is read: 4 bytes each.
const maxPixels = 2_000_000

// Errors of images.
var (
	ErrImageFormat = errors.New("the image is neither a PNG nor a JPEG file")
	ErrImageSize   = fmt.Errorf("the image has more than %d pixels", maxPixels)
)

// Image is a PNG or JPEG file that was found to be one.
type Image struct {
	Width, Height int
	Format        string // png or jpeg
	Data          []byte
	model         color.Model
}

// ParseImage looks at an image without reading its pixels.
func ParseImage(data []byte) (*Image, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil || config.Width <= 0 || config.Height <= 0:
		return nil, ErrImageFormat
	case config.Width > maxPixels/config.Height:
		return nil, ErrImageSize
	}
	return &Image{config.Width, config.Height, format, data, config.ColorModel}, nil
}

// Image adds an image to the file. JPEG files are embedded as they are.
func (w *Writer) Image(i *Image) (ImageID, error) {
	object := fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8", i.Width, i.Height)
	if i.Format == "jpeg" && (i.model == color.YCbCrModel || i.model == color.GrayModel) {
		space := "/DeviceRGB"
		if i.model == color.GrayModel {
			space = "/DeviceGray"
		}
		number := w.reserve()
		w.rawStream(number, object+" /ColorSpace "+space+" /Filter /DCTDecode", i.Data)
		return w.addImage(number), nil
	}
	decoded, _, err := image.Decode(bytes.NewReader(i.Data))
	if err != nil {
		return 0, ErrImageFormat
	}
	pixels := image.NewNRGBA(image.Rect(0, 0, i.Width, i.Height))
	draw.Draw(pixels, pixels.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	colors, alphas := make([]byte, 0, 3*i.Width*i.Height), make([]byte, 0, i.Width*i.Height)
	for n := 0; n < len(pixels.Pix); n += 4 {
		colors = append(colors, pixels.Pix[n:n+3]...)
		alphas = append(alphas, pixels.Pix[n+3])
	}
	mask := w.reserve()
	w.stream(mask, object+" /ColorSpace /DeviceGray", alphas)
	number := w.reserve()
	w.stream(number, fmt.Sprintf("%s /ColorSpace /DeviceRGB /SMask %d 0 R", object, mask), colors)
	return w.addImage(number), nil
}

func (w *Writer) addImage(object int) ImageID {
	w.images = append(w.images, object)
	return ImageID(len(w.images) - 1)
}
