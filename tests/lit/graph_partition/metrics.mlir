// The best partition by an objective, why it was chosen, and what partition-metrics says of it.
// RUN: tile-opt %s -p 'graph-partition{algorithm=best objective=cut}' -t partition-metrics --explain 2>&1 | filecheck %s
// RUN: tile-opt %s -p graph-partition -t 'partition-metrics{format=json}' | filecheck %s --check-prefix=JSON
// RUN: not tile-opt %s -t partition-metrics 2>&1 | filecheck %s --check-prefix=UNPARTITIONED

tile.func @chain ins(%x: !tile.tensor<64x64xf32, ddr>) outs(%y: !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
  tile.assemble %1 into %y[0, 0]
}

// CHECK-DAG: iso is best by cut with 0 bytes; osp-sarkar 0, osp-bsp 0, multilevel 0
// CHECK-DAG: | function | subgraphs | work | largest | balance | cut bytes | path +0 | path +100 | path +1000 | makespan |
// CHECK-DAG: | @chain   | 1         | 219  | 219     | 1.00    | 0         | 219     | 219       | 219        | 419      |

// JSON:      "function": "chain",
// JSON-NEXT: "subgraphs": 1,
// JSON:      "bsp": {
// JSON-NEXT:   "value_cost": 1,
// JSON-NEXT:   "step_cost": 8000,
// JSON-NEXT:   "cost": 219,

// UNPARTITIONED: cannot measure @chain: VIEW (magic 10000) has no subgraph; run graph-partition first
