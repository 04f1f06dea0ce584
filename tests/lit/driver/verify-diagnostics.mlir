// With --verify-diagnostics a verifier error goes to stdout, the next piece is processed, and the exit status is 0.
// RUN: tile-opt --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK: Operation test.op terminates block in single-block region but is not a terminator
func.func @f() {
  "test.op"() : () -> ()
}
// -----
// CHECK: builtin.module {
// CHECK-NEXT: "test.op"() {name = "second"} : () -> ()
"test.op"() {name = "second"} : () -> ()
