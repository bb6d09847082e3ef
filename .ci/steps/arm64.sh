# The kernels of arm64, emulated.
need qemu-aarch64 qemu-user
export GOARCH=arm64
names=()
for name in $(sed -n 's/^func \(Test[A-Za-z0-9]*\)(.*/\1/p' engine/native/kernel/*_test.go); do
  if turn; then names+=("$name"); fi
done
go test -exec qemu-aarch64 -run "^($(IFS='|' && echo "${names[*]}"))\$" ./engine/native/kernel
go test -exec qemu-aarch64 -run 'TestFormatConformance|TestLowHeadInColumns' ./engine/native
