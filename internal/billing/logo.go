package billing

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
)

// The largest picture that documents have: its bytes, the pixels of a side, and those
// of all. A few bytes can be very many pixels, all of which are in memory when a
// document is printed.
const (
	MaxLogoBytes  = 200_000
	maxLogoSide   = 2000
	maxLogoPixels = 2_000_000
)

// logoKinds are the pictures that a document can have, by how their data URL
// begins.
var logoKinds = map[string]func(io.Reader) (image.Config, error){
	"data:image/png;base64,":  png.DecodeConfig,
	"data:image/jpeg;base64,": jpeg.DecodeConfig,
}

// checkLogo refuses what is not a data URL of a picture.
func checkLogo(field, value string) *Error {
	for prefix, decode := range logoKinds {
		text, found := strings.CutPrefix(value, prefix)
		if !found {
			continue
		}
		if n := base64.StdEncoding.DecodedLen(len(text)); n > MaxLogoBytes+2 {
			return Invalidf(field, "A logo has up to %d bytes; this has %d. Make the picture smaller.", MaxLogoBytes, n)
		}
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return Invalidf(field, "The logo is not valid base64.")
		}
		picture, err := decode(bytes.NewReader(data))
		switch {
		case err != nil:
			return Invalidf(field, "The logo is not the picture that it says it is: %v.", err)
		case picture.Width > maxLogoSide || picture.Height > maxLogoSide:
			return Invalidf(field, "A logo has up to %d pixels in each direction, not %d by %d. Make the picture smaller.", maxLogoSide, picture.Width, picture.Height)
		case picture.Width*picture.Height > maxLogoPixels:
			return Invalidf(field, "A logo has up to %d pixels, such as 2000 by 1000, not %d by %d. Make the picture smaller.", maxLogoPixels, picture.Width, picture.Height)
		}
		return nil
	}
	return Invalidf(field, "A logo is a PNG or JPEG picture as a data URL, which begins with data:image/png;base64, or data:image/jpeg;base64,.")
}
