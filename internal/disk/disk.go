// Package disk says how much room file systems have.
package disk
