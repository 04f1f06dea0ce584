// What GE and ATC options do to a graph and to the pipeline of tile-opt.
// RUN: tile-opt %s --optimization_switch='NBufferMerge:off;sort-operations:off;Typo:on;AddNPass:off;forbidden_close_pass:off;A:ON' -p graph-partition,n-buffer-merge,sort-operations --explain 2>&1 | filecheck %s --check-prefix SWITCH
// RUN: tile-opt %s --oo_dead_code_elimination=true --oo_constant_folding= | filecheck %s --check-prefix CLEAN
// RUN: tile-opt %s --oo_level=O1 | filecheck %s --check-prefix CLEAN
// RUN: tile-opt %s --oo_level=O1 --oo_dead_code_elimination=false --oo_constant_folding=false | filecheck %s --check-prefix KEPT
// RUN: tile-opt %s --jit_compile=2 | filecheck %s --check-prefix KEPT
// RUN: tile-opt %s --oo_dead_code_elimination=false -p eliminate-dead-operations,fold-constants --explain 2>&1 | filecheck %s --check-prefix OFF
// RUN: tile-opt %s --oo_dead_code_elimination=false --optimization_switch=eliminate-dead-operations:on | filecheck %s --check-prefix FORCED
// RUN: tile-opt %s --topo_sorting_mode=1 | filecheck %s --check-prefix DEPTH
// RUN: tile-opt %s --topo_sorting_mode=3 | filecheck %s --check-prefix KEPT
// RUN: tile-opt %s --input_shape='x:128,64' | filecheck %s --check-prefix SHAPE
// RUN: tile-opt %s --input_shape='x:-1,64' --dynamic_batch_size=1,2 | filecheck %s --check-prefix GEARS
// RUN: tile-opt %s --input_shape='64~64,64' | filecheck %s --check-prefix RANGE
// RUN: tile-opt %s --out_nodes=y --output_type=FP16 --input_fp16_nodes=x | filecheck %s --check-prefix HALF
// RUN: tile-opt %s --out_nodes=f:1 --output_type=f:1:INT8 | filecheck %s --check-prefix SECOND

tile.func @f ins(%x : !tile.tensor<?x64xf32, ddr>) outs(%y : !tile.tensor<64x64xf32, ddr>, %z : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  %1 = tile.vec_dup {params = {SCALAR = #tile.scalar<f32, 2.0>}} : !tile.tensor<64x64xf32, ub>
  %2 = tile.neg %1 : !tile.tensor<64x64xf32, ub>
  %3 = tile.abs %0 : !tile.tensor<64x64xf32, ub>
  %4 = tile.add %0, %2 : !tile.tensor<64x64xf32, ub>
  tile.assemble %4 into %y[0, 0]
  tile.assemble %0 into %z[0, 0]
}

// SWITCH: subgraph = 0
// SWITCH-NOT: hashorder
// SWITCH: 'A:ON' is ignored: 'ON' is neither on nor off
// SWITCH: 'Typo:on' names no pass of tile-opt
// SWITCH: 'AddNPass:off' switches a pass of GE
// SWITCH: 'forbidden_close_pass:off' is for GE's engines
// SWITCH: n-buffer-merge does not run: ge.optimizationSwitch turns it off
// SWITCH: sort-operations does not run

// CLEAN: tile.view
// CLEAN-NEXT: tile.vec_dup {{.*}}<f32, -2.0>
// CLEAN-NEXT: tile.add
// CLEAN-NOT: tile.abs

// KEPT: tile.view
// KEPT-NEXT: tile.vec_dup
// KEPT-NEXT: tile.neg
// KEPT-NEXT: tile.abs
// KEPT-NEXT: tile.add
// KEPT-NEXT: tile.assemble {{.*}} into %y
// KEPT-NEXT: tile.assemble {{.*}} into %z

// OFF: tile.vec_dup {{.*}}<f32, -2.0>
// OFF-NEXT: tile.abs
// OFF: eliminate-dead-operations does not run: ge.oo.deadCodeElimination is 'false' (command line)

// FORCED: tile.neg
// FORCED-NOT: tile.abs
// FORCED: tile.add

// DEPTH: tile.view
// DEPTH-NEXT: tile.abs
// DEPTH-NEXT: tile.assemble {{.*}} into %z
// DEPTH-NEXT: tile.vec_dup

// SHAPE: @f ins(%x: !tile.tensor<128x64xf32, ddr>)
// GEARS: @f_gear0 magic(1) ins(%x: !tile.tensor<1x64xf32, ddr>)
// GEARS: @f_gear1 magic(2) ins(%x: !tile.tensor<2x64xf32, ddr>)
// RANGE: @f ins(%x: !tile.tensor<64x64xf32, ddr>)

// HALF: ge.INPUT_NODES_SET_FP16 = "x"
// HALF: @f ins(%x: !tile.tensor<?x64xf16, ddr>) outs(%y: !tile.tensor<64x64xf16, ddr>) {
// HALF-NEXT: tile.view {{.*}} : !tile.tensor<64x64xf16, ub>
// HALF-NEXT: tile.cast {{.*}} : !tile.tensor<64x64xf32, ub>
// HALF: tile.cast {{.*}} : !tile.tensor<64x64xf16, ub>
// HALF-NEXT: tile.assemble

// SECOND: outs(%z: !tile.tensor<64x64xi8, ddr>) {
// SECOND-NEXT: tile.view
// SECOND-NEXT: tile.cast
// SECOND-NEXT: tile.assemble {{.*}} into %z
