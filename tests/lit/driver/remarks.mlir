// Without remarks, --explain says so on stderr and --remarks writes an empty list.
// RUN: tile-opt %s --explain --remarks=%t.json 2>%t.err | filecheck %s
// RUN: filecheck %s --check-prefix EXPLAIN --input-file %t.err
// RUN: filecheck %s --check-prefix JSON --input-file %t.json --match-full-lines

// CHECK: builtin.module
builtin.module {
}

// EXPLAIN: no remarks
// JSON: []
