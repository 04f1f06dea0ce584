// The output file is complete or unchanged, may be the input, and an impossible one is refused before work starts.
// RUN: tile-opt %s -o %t.mlir | not grep .
// RUN: filecheck %s --input-file %t.mlir
// RUN: not tile-opt --split-input-file %S/parse-errors.mlir -o %t.mlir
// RUN: filecheck %s --input-file %t.mlir
// RUN: tile-opt %t.mlir -o %t.mlir
// RUN: filecheck %s --input-file %t.mlir
// RUN: tile-opt %s -o - | filecheck %s
// RUN: tile-opt %s -o /dev/null
// RUN: not tile-opt %s -o %t.none/out.mlir 2>&1 | filecheck %s --check-prefix NO-DIRECTORY
// RUN: not tile-opt missing.mlir -o %S 2>&1 | filecheck %s --check-prefix DIRECTORY
// RUN: not tile-opt %s -o %t.same --remarks=%t.same 2>&1 | filecheck %s --check-prefix SAME

// CHECK: "test.op"() : () -> ()
"test.op"() : () -> ()

// NO-DIRECTORY: tile-opt: error: cannot write '{{.*}}out.mlir': there is no directory '{{.*}}.none'
// DIRECTORY: tile-opt: error: cannot write '{{.*}}': it is a directory
// SAME: tile-opt: error: two outputs go to the file
