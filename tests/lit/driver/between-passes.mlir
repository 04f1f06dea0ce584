// The IR between passes and the timings go to stderr, so that stdout stays a module.
// RUN: tile-opt %s -p 'dce,canonicalize' --print-between-passes --time-passes 2>%t.err | filecheck %s
// RUN: filecheck %s --check-prefix STDERR --input-file %t.err
// RUN: tile-opt %s -p 'dce,canonicalize' --print-between-passes --time-passes 2>/dev/null | tile-opt | filecheck %s

// CHECK: builtin.module {
// CHECK-NEXT: "test.op"() : () -> ()
// CHECK-NEXT: }
"test.op"() : () -> ()

// STDERR: Pass dce took {{[0-9.]+}} seconds
// STDERR: IR after dce:
// STDERR-NEXT: builtin.module {
// STDERR: Pass canonicalize took {{[0-9.]+}} seconds
