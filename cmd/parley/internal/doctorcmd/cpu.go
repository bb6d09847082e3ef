package doctorcmd

import "golang.org/x/sys/cpu"

// cpuFeatures lists the instruction sets that kernels use or will use, as far as this processor has them.
func cpuFeatures() []string {
	var list []string
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"avx2", cpu.X86.HasAVX2},
		{"fma", cpu.X86.HasFMA},
		{"avx512f", cpu.X86.HasAVX512F},
		{"avx512bw", cpu.X86.HasAVX512BW},
		{"avx512dq", cpu.X86.HasAVX512DQ},
		{"avx512vl", cpu.X86.HasAVX512VL},
		{"avx512bf16", cpu.X86.HasAVX512BF16},
		{"amx-tile", cpu.X86.HasAMXTile},
		{"amx-bf16", cpu.X86.HasAMXBF16},
		{"neon", cpu.ARM64.HasASIMD},
	} {
		if f.has {
			list = append(list, f.name)
		}
	}
	if list == nil {
		return []string{"none that is used"}
	}
	return list
}
