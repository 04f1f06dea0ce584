// What a function computes does not depend on how its ops are grouped.
// RUN: tile-opt %s -t 'evaluate{symbols="i=1"}' -o %t.ops
// RUN: filecheck %s --input-file %t.ops
// RUN: tile-opt %s -p graph-partition -t 'evaluate{symbols="i=1"}' -o %t.subgraphs
// RUN: diff %t.ops %t.subgraphs
// RUN: tile-opt %s -p graph-partition,outline-subgraphs -t 'evaluate{symbols="i=1"}' -o %t.launches
// RUN: diff %t.ops %t.launches
// RUN: tile-opt %s -t 'evaluate{symbols="i=1" seed=1}' | filecheck %s --check-prefix OTHER-INPUTS
// RUN: not tile-opt %s -t evaluate 2>&1 | filecheck %s --check-prefix NO-SYMBOL
// RUN: not tile-opt %s -t 'evaluate{symbols="i"}' 2>&1 | filecheck %s --check-prefix NO-VALUE
// RUN: not tile-opt %s -t 'evaluate{seed=-1}' 2>&1 | filecheck %s --check-prefix NO-SEED
// RUN: sed 's/tile.exp/tile.isfinite_/; s/isfinite_/cmps/' %s | not tile-opt - -t evaluate 2>&1 | filecheck %s --check-prefix NOT-COVERED

// CHECK:      @f
// CHECK-NEXT:   %y: 64x8xf32, mean 0.843{{[0-9]+}}, checksum {{[0-9a-f]+$}}
// CHECK-NOT:  %x
// OTHER-INPUTS: %y: 64x8xf32, mean 0.8{{[0-9]+}}, checksum

tile.func @f magic(8) ins(%x: !tile.tensor<64x8xf32, ddr>) outs(%y: !tile.tensor<64x8xf32, ddr>) {
  %0 = tile.view %x[0, 0] dyn ["i * 32", 0] : !tile.tensor<32x8xf32, ub>
  %1 = tile.exp %0 : !tile.tensor<32x8xf32, ub>
  tile.assemble %1 into %y[0, 0] dyn ["i * 32", 0]
}

// NO-SYMBOL: error: VIEW 10000 of @f: the symbol 'i' has no value; give it one, as in -t 'evaluate{symbols="i=0"}'
// NO-VALUE: error: option symbols has 'i', expected a name and an integer such as n=64
// NO-SEED: error: option seed is -1, expected 0 or more
// NOT-COVERED: error: not covered by the evaluator: CMPS (1 op); docs/evaluator.md lists what is
