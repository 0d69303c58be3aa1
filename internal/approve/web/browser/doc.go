// Package browser tests the web page in a real browser: Chromium, without a
// screen, against a sayso serve of its own, with processes that really wait.
package browser
