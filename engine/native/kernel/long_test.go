//go:build long

package kernel

import "testing"

// TestLongTwins tests what stands in for the sets of other processors as those of this one.
func TestLongTwins(t *testing.T) {
	own := tested
	tested = func(name string) bool { return !own(name) }
	defer func() { tested = own }()
	for name, test := range map[string]func(*testing.T){
		"AliasedRows":                        TestAliasedRows,
		"AnyCut":                             TestAnyCut,
		"AnyCutOfFormats":                    TestAnyCutOfFormats,
		"AttentionBlocks":                    TestAttentionBlocks,
		"Columns":                            TestColumns,
		"CopyStored":                         TestCopyStored,
		"Exp":                                TestExp,
		"ExpOfExtremes":                      TestExpOfExtremes,
		"Formats":                            TestFormats,
		"FormatsDoNotDependOnBatch":          TestFormatsDoNotDependOnBatch,
		"FusedRowFunctionsAgree":             TestFusedRowFunctionsAgree,
		"KindsAreTheSameEverywhere":          TestKindsAreTheSameEverywhere,
		"LHSInBlocks":                        TestLHSInBlocks,
		"LogSumExpOfExtremes":                TestLogSumExpOfExtremes,
		"LongLogSumExp":                      TestLongLogSumExp,
		"LongRows":                           TestLongRows,
		"LowRank":                            TestLowRank,
		"LowSetsRoundBeforeTheyFlush":        TestLowSetsRoundBeforeTheyFlush,
		"Measures":                           TestMeasures,
		"Mul":                                TestMul,
		"MulAllPrefetch":                     TestMulAllPrefetch,
		"MulGrad":                            TestMulGrad,
		"MulPanelsContinues":                 TestMulPanelsContinues,
		"MulSmall":                           TestMulSmall,
		"MulStored":                          TestMulStored,
		"MulStoredFloats":                    TestMulStoredFloats,
		"MulT":                               TestMulT,
		"MulTDepthBlocked":                   TestMulTDepthBlocked,
		"NF4WithAnyScale":                    TestNF4WithAnyScale,
		"NaNStaysInItsRow":                   TestNaNStaysInItsRow,
		"PacedPrefetch":                      TestPacedPrefetch,
		"PackPads":                           TestPackPads,
		"Pairs":                              TestPairs,
		"ProductsDoNotDependOnThreads":       TestProductsDoNotDependOnThreads,
		"RoundBF16":                          TestRoundBF16,
		"RowFunctionsDoNotDependOnAlignment": TestRowFunctionsDoNotDependOnAlignment,
		"Rows":                               TestRows,
		"RowsDoNotDependOnBatch":             TestRowsDoNotDependOnBatch,
		"SmallMGradients":                    TestSmallMGradients,
		"SoftmaxOfExtremes":                  TestSoftmaxOfExtremes,
		"TilesSumInTheirOrder":               TestTilesSumInTheirOrder,
		"TransposeRows":                      TestTransposeRows,
	} {
		t.Run(name, test)
	}
}
