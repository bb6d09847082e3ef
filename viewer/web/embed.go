// Package web holds the page of parley ui as it was built: one HTML file, one script, one style sheet and an icon. The program embeds them, so that it
// needs no network and no other file to show runs.
//
// The sources lie beside it: src in TypeScript, with Preact for the page and uPlot for curves. Building them needs npm and is not needed to
// build parley:
//
//	cd viewer/web && npm ci && npm run build
//
// What comes out lies in dist and is committed. The step web of CI builds it again and compares every byte. dist/LICENSES.txt has the licenses of
// the libraries that are part of the script.
package web

import "embed"

// Dist is the built page; its files are below dist.
//
//go:embed all:dist
var Dist embed.FS
