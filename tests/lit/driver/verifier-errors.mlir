// A verifier error shows the line of the one operation that is wrong, not the module.
// RUN: not tile-opt --split-input-file %s 2>&1 | filecheck %s
// RUN: not tile-opt --split-input-file %s 2>&1 | not grep 'builtin.module"'

"test.op"() {name = "first"} : () -> ()
// -----
func.func @f() {
  "test.op"() {name = "last"} : () -> ()
}

// CHECK:      verifier-errors.mlir:8:3: error: 'test.op' does not verify: Operation test.op terminates block
// CHECK-NEXT:   "test.op"() {name = "last"} : () -> ()
// CHECK-NEXT:   ^
