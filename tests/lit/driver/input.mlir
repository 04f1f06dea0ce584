// The input is a file, or stdin when it is `-` or absent; gzip data is read as well; nothing is an empty module.
// RUN: tile-opt %s | filecheck %s
// RUN: tile-opt - < %s | filecheck %s
// RUN: tile-opt < %s | filecheck %s
// RUN: gzip -c %s | tile-opt | filecheck %s
// RUN: cp %s %t.data
// RUN: tile-opt -f mlir %t.data | filecheck %s
// RUN: tile-opt - < /dev/null | filecheck %s --check-prefix EMPTY
// RUN: not tile-opt %S 2>&1 | filecheck %s --check-prefix NO-EXTENSION
// RUN: not tile-opt -f mlir %S 2>&1 | filecheck %s --check-prefix DIRECTORY
// RUN: not tile-opt %S/inptu.mlir 2>&1 | filecheck %s --check-prefix MISSING
// RUN: head -c 30 %s | gzip -c | head -c 20 | not tile-opt - 2>&1 | filecheck %s --check-prefix TRUNCATED

// CHECK: builtin.module {
// CHECK-NEXT: "test.op"() : () -> ()
"test.op"() : () -> ()

// EMPTY: builtin.module {
// EMPTY-NEXT: }
// NO-EXTENSION: the file name has no extension; expected .mlir
// DIRECTORY: tile-opt: error: '{{.*}}': is a directory, expected a file
// MISSING: inptu.mlir': no such file, did you mean 'input.mlir'
// TRUNCATED: tile-opt: error: '<stdin>': the gzip data is truncated
