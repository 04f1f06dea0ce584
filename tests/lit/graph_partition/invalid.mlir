// What graph-partition and check-partition refuse, and how they say it.
// RUN: not tile-opt %s -p 'graph-partition{algorithm=sarkar}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not tile-opt %s -p 'graph-partition{algorithm=iso objective=cut}' 2>&1 | filecheck %s --check-prefix=OBJECTIVE
// RUN: not tile-opt %s -p check-partition 2>&1 | filecheck %s --check-prefix=UNPARTITIONED

tile.func @one ins(%x: !tile.tensor<64x64xf32, ub>) {
  %0 = tile.exp %x : !tile.tensor<64x64xf32, ub>
}

// UNKNOWN: option 'algorithm' expects iso | osp-sarkar | osp-bsp | best, found 'sarkar'
// UNPARTITIONED: check-partition of @one: {{.*}}has no subgraph
// OBJECTIVE: objective is an option of algorithm=best
