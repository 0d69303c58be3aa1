module github.com/sayso-dev/sayso

go 1.26.0

require mvdan.cc/sh/v3 v3.14.1

require (
	github.com/rogpeppe/go-internal v1.15.0
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/tools v0.38.0 // indirect
)
