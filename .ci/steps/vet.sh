# With every tag, and without one where a file asks for that.
tags=real,sandbox,portable,reference,long,cluster,torch
go vet -tags "$tags" ./... ./tools/makebase/...
go vet $(git grep -l -E "^//go:build !(${tags//,/|})\$" -- '*.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,')
