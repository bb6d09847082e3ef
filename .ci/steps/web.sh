# The page of parley ui: its types, the same bytes from its sources, and its tests in a browser over kept runs and one that trains. It needs Node 20.19.
need node nodejs
need npm npm
need chromium chromium
need zstd zstd
rm -rf "$work/web"
mkdir "$work/web"
(cd viewer/web && cp -r dist index.html package.json package-lock.json public src test tsconfig.json vite.config.mjs "$work/web")
(
  cd "$work/web"
  npm ci --no-audit --no-fund --loglevel=error
  npm run --silent check
  mv dist committed
  npx vite build --logLevel warn
  diff -r committed dist || { echo 'viewer/web/dist is not what viewer/web/src makes: cd viewer/web && npm ci && npm run build' >&2; exit 1; }
  size="$(tar cf - dist | gzip -9 | wc -c)"
  [ "$size" -le 600000 ] || { echo "the page has $size bytes, gzipped; it may have 600,000" >&2; exit 1; }
)
parley="$(parley)"
FIXTURES="$PWD/viewer/testdata/runs" PARLEY="$parley" node "$work/web/test/run.mjs"
