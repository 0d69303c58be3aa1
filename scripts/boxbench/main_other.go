//go:build !linux

// Boxbench measures what a sandbox costs, on Linux.
package main

import "fmt"

func main() { fmt.Println("there is no sandbox to measure here") }
