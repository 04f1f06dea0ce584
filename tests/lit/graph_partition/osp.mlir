// OspSarkar and OspBsp: what is short becomes one subgraph, a scope is honoured by published rules, and --explain says why.
// RUN: tile-opt %s -p 'graph-partition{algorithm=osp-sarkar},check-partition' | filecheck %s
// RUN: tile-opt %s -p 'graph-partition{algorithm=osp-bsp},check-partition' | filecheck %s
// RUN: tile-opt %s --compat=pypto -p 'graph-partition{algorithm=osp-sarkar}' | filecheck %s --check-prefix=PYPTO
// RUN: tile-opt %s -p 'graph-partition{algorithm=osp-sarkar}' --explain 2>&1 >%t | filecheck %s --check-prefix=EXPLAIN

tile.func @chain ins(%x: !tile.tensor<64x64xf32, ddr>) outs(%y: !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
  %2 = tile.abs %1 {scope_id = 1} : !tile.tensor<64x64xf32, ub>
  tile.assemble %2 into %y[0, 0]
}

// CHECK-LABEL: tile.func @chain
// CHECK:         tile.exp %{{.*}} {subgraph = 0, is_cube = false}
// CHECK-NEXT:    tile.abs %{{.*}} {subgraph = 1, scope_id = 1, is_cube = false}

// PYPTO-LABEL: tile.func @chain
// PYPTO:         tile.exp %{{.*}} {subgraph = 0, is_cube = false}
// PYPTO-NEXT:    tile.abs %{{.*}} {subgraph = 0, scope_id = 1, is_cube = false}

// EXPLAIN: 2 subgraphs from 2 super nodes by osp-sarkar; the longest path takes {{.*}} cycles
// EXPLAIN: subgraphs 0 and 1 were not fused: alone
