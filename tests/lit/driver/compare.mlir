// Two results of one function side by side: the same graph partitioned in two ways.
// RUN: tile-opt compare %s %s -p graph-partition | filecheck %s
// RUN: tile-opt compare %s %s -p graph-partition -t report -o %t.html
// RUN: filecheck %s --input-file=%t.html --check-prefix=REPORT
// RUN: not tile-opt compare %s %s 2>&1 | filecheck %s --check-prefix=NO-IDS
// RUN: not tile-opt compare %s 2>&1 | filecheck %s --check-prefix=ONE
// RUN: not tile-opt compare %s %s --pases cse 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not tile-opt compare %s %s -p graph-partition -o %t-none/out.txt 2>&1 | filecheck %s --check-prefix=UNWRITABLE

// CHECK: ### @scale (predicts the reference simulator, not silicon)
// CHECK: | end to end
// CHECK: | subgraphs {{ *}}|      1 |     1 |
// REPORT: <title>before and after</title>
// NO-IDS: error: function @scale: 3 of 3 ops have no subgraph
// NO-IDS-SAME: give them one with -p graph-partition
// ONE: tile-opt compare: error: the following arguments are required: AFTER
// UNKNOWN: tile-opt compare: error: unknown option '--pases', did you mean '--passes'?
// UNWRITABLE: error: cannot write '{{.*}}out.txt': there is no directory
tile.func @scale magic(8) ins(%x : !tile.tensor<64x64xf32, ddr>) outs(%y : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
  tile.assemble %1 into %y[0, 0]
}
