# The kernels of arm64, emulated.
need qemu-aarch64 qemu-user
export GOARCH=arm64
go test -exec qemu-aarch64 ./engine/native/kernel
go test -exec qemu-aarch64 -run 'TestFormatConformance|TestLowHeadInColumns' ./engine/native
