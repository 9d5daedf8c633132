package demo

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math"
)

// logo draws a lighthouse, as a data URL.
func logo() (string, error) {
	const size = 192
	blue, light := color.RGBA{0x1d, 0x4e, 0x89, 0xff}, color.RGBA{0xff, 0xc8, 0x3d, 0xff}
	white := color.RGBA{0xff, 0xff, 0xff, 0xff}
	palette := color.Palette{white, blue, light}
	picture := image.NewPaletted(image.Rect(0, 0, size, size), palette)
	for y := range size {
		for x := range size {
			// From -1 to 1, with y upwards.
			right, up := (2*float64(x)+1)/size-1, 1-(2*float64(y)+1)/size
			switch tower := 0.16 - 0.08*up; {
			case math.Hypot(right, up) > 0.98:
				picture.Set(x, y, white)
			case up > -0.7 && up < 0.3 && math.Abs(right) < tower && math.Mod(up+1, 0.4) < 0.26:
				picture.Set(x, y, white)
			case math.Hypot(right, up-0.45) < 0.13, right > 0.1 && math.Abs(up-0.45) < 0.28*right:
				picture.Set(x, y, light)
			default:
				picture.Set(x, y, blue)
			}
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		return "", err
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(file.Bytes()), nil
}
