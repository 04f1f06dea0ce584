// Every part of the custom syntax, printed as written; defaults are left out.
// RUN: tile-opt %s | filecheck %s
// RUN: tile-opt %s --print-op-generic | tile-opt | filecheck %s

tile.func @parts magic(8) ins(%x: !tile.tensor<128x?xf32, ddr> {tensor_magic = 14}) outs(%y: !tile.tensor<128x64xf32, ddr>) attributes {pass_options = {pg_lower_bound = 100}} {
  %sum = tile.buffer {tensor_magic = 5} : !tile.tensor<64x64xf32, ub>
  %0 = tile.view %x[0, 64] dyn ["s0 * 64", 64] {valid = [64, "s1"]} : !tile.tensor<64x64xf32, ub>
  %1 = tile.exp %0 {scope_id = 1, allow_parallel_merge, semantic_label = "标\22签"} : !tile.tensor<64x64xf32, ub>
  %2 = tile.index_add %0, %1 into %sum, _ {params = {SCALAR = #tile.scalar<ui64, 9223372036854775808>}} : !tile.tensor<64x64x!tile.float<fp8e4m3>, ub>
  %3 = tile.convert %1 from ub to l1 : !tile.tensor<64x64xf32, l1>
  tile.assemble %sum into %y[0, 0]
}

// CHECK-LABEL: tile.func @parts magic(8) ins(%x: !tile.tensor<128x?xf32, ddr> {tensor_magic = 14}) outs(%y: !tile.tensor<128x64xf32, ddr>) attributes {pass_options = {pg_lower_bound = 100}} {
// CHECK-NEXT:    %sum = tile.buffer {tensor_magic = 5} : !tile.tensor<64x64xf32, ub>
// CHECK-NEXT:    %0 = tile.view %x[0, 64] dyn ["s0 * 64", 64] {valid = [64, "s1"]} : !tile.tensor<64x64xf32, ub>
// CHECK-NEXT:    %1 = tile.exp %0 {scope_id = 1, allow_parallel_merge, semantic_label = "标\22签"} : !tile.tensor<64x64xf32, ub>
// CHECK-NEXT:    %2 = tile.index_add %0, %1 into %sum, _ {params = {SCALAR = #tile.scalar<ui64, 9223372036854775808>}} : !tile.tensor<64x64x!tile.float<fp8e4m3>, ub>
// CHECK-NEXT:    %3 = tile.convert %1 from ub to l1 : !tile.tensor<64x64xf32, l1>
// CHECK-NEXT:    tile.assemble %sum into %y[0, 0]

tile.func @unusual ins(%x: !tile.tensor<4xf32, ub> {my.note = "an argument"}) outs(%y: !tile.tensor<4xf32, ddr>) {
  tile.nop
  %0 = tile.assemble into _[2] : !tile.tensor<4xf32, ub>
  tile.assemble %x into
    %y[0] {params = {half = 0.5 : f16, infinite = 0x7F800000 : f32, "\E5\8D\8A" = "\FF", index = 1 : index}}
}

// CHECK-LABEL: tile.func @unusual ins(%x: !tile.tensor<4xf32, ub> {my.note = "an argument"}) outs(%y: !tile.tensor<4xf32, ddr>) {
// CHECK-NEXT:    tile.nop
// CHECK-NEXT:    %0 = tile.assemble into _[2] : !tile.tensor<4xf32, ub>
// CHECK-NEXT:    tile.assemble %x into %y[0] {params = {half = 0.5 : f16, infinite = 0x7f800000 : f32, "半" = "\FF", index = 1 : index}}
