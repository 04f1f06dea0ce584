// The pieces of the input are processed one by one and stay apart in the output.
// RUN: tile-opt --split-input-file %s | filecheck %s

// CHECK: {name = "first"}
"test.op"() {name = "first"} : () -> ()
// -----
// CHECK: // -----
// CHECK: {name = "second"}
"test.op"() {name = "second"} : () -> ()
