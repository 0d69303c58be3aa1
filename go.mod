module github.com/sayso-dev/sayso

go 1.26.0

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4
	github.com/google/jsonschema-go v0.4.3
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/text v0.31.0
	mvdan.cc/sh/v3 v3.14.1
	pgregory.net/rapid v1.3.0
)

require go.starlark.net v0.0.0-20260908191801-89a6a09411d5

require (
	github.com/rogpeppe/go-internal v1.15.0
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/tools v0.38.0 // indirect
)
