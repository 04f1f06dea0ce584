// A parse error has file, line and column, in characters and across the pieces of a split input, and the line itself.
// RUN: not tile-opt --split-input-file %s 2>&1 | filecheck %s --strict-whitespace
// RUN: tile-opt --split-input-file --parsing-diagnostics %s | filecheck %s --check-prefix PRINTED

"test.op"() {name = "first"} : () -> ()
// -----
"test.op"() {name = "ééé", place = } : () -> ()

// CHECK:      {{.*}}parse-errors.mlir:7:36: error: attribute expected
// CHECK-NEXT:   "test.op"() {name = "ééé", place = } : () -> ()
// CHECK-NEXT:                                      ^{{$}}
// PRINTED: parse-errors.mlir:7:36
// PRINTED: attribute expected
