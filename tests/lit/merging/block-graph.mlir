// The pipeline block-graph gives its options to the passes that have them; an option that none has is refused.
// RUN: tile-opt %s -p 'block-graph{vec-nbuffer-setting="DEFAULT=2"}' | filecheck %s
// RUN: not tile-opt %s -p 'block-graph{vec-setting="DEFAULT=2"}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not tile-opt %s -p blok-graph 2>&1 | filecheck %s --check-prefix=NEAREST
// RUN: tile-opt --help-pass block-graph | filecheck %s --check-prefix=HELP
// RUN: tile-opt --list-passes | filecheck %s --check-prefix=LIST

tile.kernel @k {
  tile.func @rows ins(%x: !tile.tensor<128x64xf32, ddr>) outs(%y: !tile.tensor<128x64xf32, ddr>) {
    %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
    %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
    tile.assemble %1 into %y[0, 0]
    %2 = tile.view %x[64, 0] : !tile.tensor<64x64xf32, ub>
    %3 = tile.exp %2 : !tile.tensor<64x64xf32, ub>
    tile.assemble %3 into %y[64, 0]
  }
}

// CHECK: tile.launch @[[LEAF:.*]](
// CHECK-NOT: tile.launch
// CHECK: tile.leaf @[[LEAF]]

// UNKNOWN: no pass of pipeline 'block-graph' has an option 'vec-setting', did you mean 'vec-nbuffer-setting'?
// NEAREST: unknown pass 'blok-graph', did you mean 'block-graph'?
// HELP: block-graph: a pipeline of 6 passes
// HELP: vec-nbuffer-setting: n-buffer-merge
// LIST: Pipelines of tile-opt:
// LIST-NEXT: block-graph
