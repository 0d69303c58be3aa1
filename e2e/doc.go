// Package e2e has the real clients obey sayso: they are installed from npm at pinned
// versions (clients.txt, scripts/clients), run where there is no network but loopback,
// with a home of their own, wired by sayso init, and driven by a model that says what
// the test tells it (internal/scripted).
//
//	go test ./e2e                      the lightest of them, as in make test
//	go test ./e2e -clients claude,codex
//	make e2e                           all of them
package e2e
