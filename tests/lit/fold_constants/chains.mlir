// What depends on constants only is computed; what is not exact, not finite or not understood stays.
// RUN: tile-opt %s -p fold-constants | filecheck %s
// RUN: tile-opt %s -p fold-constants --explain 2>&1 | filecheck %s --check-prefix EXPLAIN

tile.func @chain ins(%x : !tile.tensor<64x64xf32, ddr>) outs(%y : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.vec_dup {params = {SCALAR = #tile.scalar<f32, 2.0>}} : !tile.tensor<64x64xf32, ub>
  %1 = tile.muls %0 {params = {SCALAR = #tile.scalar<f32, 0.25>}} : !tile.tensor<64x64xf32, ub>
  %2 = tile.add %0, %1 : !tile.tensor<64x64xf32, ub>
  %3 = tile.subs %2 {semantic_label = "V", params = {SCALAR = #tile.scalar<f32, 1.0>, op_attr_reverseOperand = true}} : !tile.tensor<64x64xf32, ub>
  %4 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  %5 = tile.mul %4, %3 : !tile.tensor<64x64xf32, ub>
  tile.assemble %5 into %y[0, 0]
}
tile.func @kept ins() outs(%y : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.vec_dup {params = {SCALAR = #tile.scalar<f32, 2.0>}} : !tile.tensor<64x64xf32, ub>
  %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
  %2 = tile.divs %0 {params = {SCALAR = #tile.scalar<f32, 0.0>}} : !tile.tensor<64x64xf32, ub>
  %3 = tile.neg %0 {params = {DONT_TOUCH = true}} : !tile.tensor<64x64xf32, ub>
  %4 = tile.add %1, %2 : !tile.tensor<64x64xf32, ub>
  %5 = tile.add %3, %4 : !tile.tensor<64x64xf32, ub>
  tile.assemble %5 into %y[0, 0]
}
tile.func @integers ins() outs(%y : !tile.tensor<64x64xi32, ddr>) {
  %0 = tile.vec_dup {params = {SCALAR = #tile.scalar<i32, 2147483647>}} : !tile.tensor<64x64xi32, ub>
  %1 = tile.adds %0 {params = {SCALAR = #tile.scalar<i32, 1>}} : !tile.tensor<64x64xi32, ub>
  tile.assemble %1 into %y[0, 0]
}

// CHECK-LABEL: @chain
// CHECK-NEXT: %0 = tile.vec_dup {magic = 10003, semantic_label = "V", params = {SCALAR = #tile.scalar<f32, -1.5>}}
// CHECK-NEXT: tile.view
// CHECK-NEXT: tile.mul %{{.*}}, %0
// CHECK-LABEL: @kept
// CHECK-NEXT: tile.vec_dup {params
// CHECK-NEXT: tile.exp
// CHECK-NEXT: tile.divs
// CHECK-NEXT: tile.neg
// CHECK-LABEL: @integers
// CHECK-NEXT: tile.vec_dup {magic = 10001, params = {SCALAR = #tile.scalar<i32, -2147483648>}}
// CHECK-NEXT: tile.assemble

// EXPLAIN: ops on constants that are computed: 3; constants that are not needed any more: 3
