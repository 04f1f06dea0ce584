// Launches written by hand: magics are made up, a tensor that two ops fill becomes a buffer, offsets add up.
// RUN: tile-opt %s -p inline-subgraphs | filecheck %s
// RUN: sed 's/%%0\[32/%%0[0] dyn ["k"/' %s | not tile-opt -p inline-subgraphs - 2>&1 | filecheck %s --check-prefix SYMBOLIC
// RUN: sed 's/tile.view %%0\[32\]/tile.neg %%0/' %s | not tile-opt -p inline-subgraphs - 2>&1 | filecheck %s --check-prefix WHOLE

// CHECK-LABEL: tile.func @by_hand
// CHECK-NEXT:    %0 = tile.buffer : !tile.tensor<64xf32, ddr>
// CHECK-NEXT:    %1 = tile.view %x[160] {magic = 10001, subgraph = 0} : !tile.tensor<32xf32, ub>
// CHECK-NEXT:    tile.assemble %1 into %0[0] {magic = 10002, subgraph = 0}
// CHECK-NEXT:    tile.assemble %1 into %0[32] {magic = 10003, subgraph = 0}
// CHECK-NEXT:    %2 = tile.view %0[0] {magic = 10000} : !tile.tensor<64xf32, ub>
// CHECK-NOT:   tile.leaf
tile.func @by_hand magic(8) ins(%x: !tile.tensor<256xf32, ddr>) {
  %0 = tile.launch @leaf(%x[128]) {subgraph = 0} : !tile.tensor<64xf32, ddr>
  %1 = tile.view %0[0] : !tile.tensor<64xf32, ub>
}
tile.leaf @leaf ins(%0: !tile.tensor<64xf32, ddr>) outs(%1: !tile.tensor<64xf32, ddr>) {
  %2 = tile.view %0[32] : !tile.tensor<32xf32, ub>
  tile.assemble %2 into %1[0]
  tile.assemble %2 into %1[32]
}

// SYMBOLIC: @by_hand: VIEW of leaf @leaf has offsets in a window: these cannot be added to offsets that are symbolic
// WHOLE: @by_hand: NEG of leaf @leaf uses operand 0 as a whole, but a launch gives a window
