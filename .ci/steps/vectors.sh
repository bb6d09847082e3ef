# All reference vectors and goldens, instead of the packages' own copies of some.
if have_shared; then
  need bwrap bubblewrap
  [ -d "$shared/vectors" ] && [ -d "$shared/goldens" ] || { echo "no vectors and goldens in $shared"; exit 1; }
  PARLEY_VECTORS="$shared/vectors" PARLEY_GOLDENS="$shared/goldens" go test -count=1 -run 'TestVectors|TestGoldens' $(folders_with "^func Test(Vectors|Goldens)" | sed "s,^,./,")
  # Requests of agent frameworks as they were recorded.
  PARLEY_SHARED="$shared" PARLEY_GOLDENS="$shared/goldens" go test -count=1 -run 'TestRecordings' ./serve/openai
else
  left_out "the whole vectors and goldens; the packages' own copies are checked by the step test"
fi
