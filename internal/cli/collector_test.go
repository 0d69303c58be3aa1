package cli_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
)

// collector is a program that takes what an OpenTelemetry collector does: collector
// URLFILE. It writes where it listens to the file, and prints each request in a line:
// its path, the header X-Key and the body. Where there is a file busy or picky, it takes
// that away, and does not take the next request, or not all of it.
func collector() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(os.Args[1]+".new", []byte("http://"+l.Addr().String()), 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(os.Args[1]+".new", os.Args[1]); err != nil {
		panic(err)
	}
	var mu sync.Mutex
	panic(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if os.Remove("busy") == nil {
			w.Header().Set("Retry-After", "0")
			http.Error(w, `{"message":"not now"}`, http.StatusServiceUnavailable)
			return
		}
		in, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body, err := io.ReadAll(in)
		if err != nil || r.Header.Get("Content-Type") != "application/json" {
			http.Error(w, "it is no request", http.StatusBadRequest)
			return
		}
		fmt.Printf("%s %s %s\n", r.URL.Path, r.Header.Get("X-Key"), body)
		answer := "{}"
		if os.Remove("picky") == nil {
			answer = `{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"it is too old"}}`
		}
		if _, err := io.WriteString(w, answer); err != nil {
			panic(err)
		}
	})))
}
