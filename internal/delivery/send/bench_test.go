package send

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// The overhead of the sender over a bare client: compare the two.
//
//	go test -bench . -cpu 2 -run xxx ./internal/delivery/send
func BenchmarkSender(b *testing.B) {
	url, s := benchReceiver(b), newSender(b, Options{})
	request := hook(url)
	request.Body = bytes.Repeat([]byte("a"), 1024)
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if result := s.Do(b.Context(), request); result.Err != nil || result.Status != 200 {
				b.Errorf("%+v", result)
			}
		}
	})
}

func BenchmarkBareClient(b *testing.B) {
	url, body := benchReceiver(b), bytes.Repeat([]byte("a"), 1024)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: long}
	b.Cleanup(client.CloseIdleConnections)
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			response, err := client.Post(url, "application/json", bytes.NewReader(body))
			if err != nil {
				b.Error(err)
				continue
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
	})
}

func benchReceiver(b *testing.B) string {
	return receiver(b, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"ok":true}`)
	})
}
