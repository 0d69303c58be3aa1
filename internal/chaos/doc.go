// Package chaos holds the test that kills processes of sayso while they decide,
// grant, answer and record, and checks that nothing is lost or doubled.
//
//	go test ./internal/chaos -chaos.kills 5000 -chaos.seed 42 -timeout 30m
package chaos
