// What a subgraph computes twice is computed once, and what no outcast depends on goes; magics stay.
// RUN: tile-opt %s -p eliminate-common-operations | filecheck %s
// RUN: tile-opt %s -p eliminate-dead-operations | filecheck %s --check-prefix=DEAD
// RUN: tile-opt %s --compat=pypto -p eliminate-dead-operations | filecheck %s --check-prefix=PYPTO

tile.func @twice magic(8) ins(%x: !tile.tensor<64x64xf32, ub>) outs(%y: !tile.tensor<128x64xf32, ddr>) {
  %0 = tile.exp %x {subgraph = 0} : !tile.tensor<64x64xf32, ub>
  %1 = tile.exp %x {subgraph = 0} : !tile.tensor<64x64xf32, ub>
  %2 = tile.abs %x {subgraph = 0} : !tile.tensor<64x64xf32, ub>
  tile.assemble %0 into %y[0, 0] {subgraph = 0}
  tile.assemble %1 into %y[64, 0] {subgraph = 0}
  tile.nop {subgraph = 0}
}

// CHECK-LABEL: tile.func @twice
// CHECK-NEXT:    [[KEPT:%[0-9]+]] = tile.exp %x {magic = 1000{{[01]}}, subgraph = 0}
// CHECK-NOT:     tile.exp
// CHECK-NOT:     tile.abs
// CHECK:         tile.assemble [[KEPT]] into %y[0, 0] {magic = 10003, subgraph = 0}
// CHECK:         tile.assemble [[KEPT]] into %y[64, 0] {magic = 10004, subgraph = 0}
// CHECK:         tile.nop {magic = 10005, subgraph = 0}

// DEAD-LABEL: tile.func @twice
// DEAD-COUNT-2: tile.exp %x
// DEAD-NOT:     tile.abs
// DEAD:         tile.nop
// PYPTO-NOT:    tile.nop

// Other subgraphs, other attributes, views, outcasts and DONT_TOUCH keep what they compute.
tile.func @apart magic(9) ins(%x: !tile.tensor<64x64xf32, ub>) outs(%y: !tile.tensor<64x64xf32, ddr>, %z: !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.muls %x {subgraph = 0, params = {SCALAR = 1}} : !tile.tensor<64x64xf32, ub>
  %1 = tile.muls %x {subgraph = 0, params = {SCALAR = 2}} : !tile.tensor<64x64xf32, ub>
  %2 = tile.muls %x {subgraph = 1, params = {SCALAR = 1}} : !tile.tensor<64x64xf32, ub>
  %3 = tile.exp %x {subgraph = 0, params = {DONT_TOUCH = true}} : !tile.tensor<64x64xf32, ub>
  %4 = tile.exp %x {subgraph = 0, params = {DONT_TOUCH = true}} : !tile.tensor<64x64xf32, ub>
  %5 = tile.view %x[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, ub>
  %6 = tile.view %x[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, ub>
  tile.concat %0, %1, %2, %3, %4, %5, %6 into %y {subgraph = 2}
  tile.exp %x into %z {subgraph = 0}
}

// CHECK-LABEL: tile.func @apart
// CHECK-COUNT-3: tile.muls
// CHECK-COUNT-2: tile.exp
// CHECK-COUNT-2: tile.view
// CHECK:         tile.exp %x into %z
