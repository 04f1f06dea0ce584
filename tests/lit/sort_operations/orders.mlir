// Ops are put into another topological order; their magics stay, also those that no text states.
// RUN: tile-opt %s -p 'sort-operations{order=breadth-first}' | filecheck %s --check-prefix BREADTH
// RUN: tile-opt %s -p 'sort-operations{order=depth-first}' | filecheck %s --check-prefix DEPTH
// RUN: tile-opt %s -p 'sort-operations{order=reverse-depth-first}' | filecheck %s --check-prefix REVERSE
// RUN: tile-opt %s -p sort-operations | filecheck %s --check-prefix STABLE
// RUN: tile-opt %s -p 'sort-operations{order=depth-first}' --explain 2>&1 | filecheck %s --check-prefix EXPLAIN
// RUN: tile-opt %s -p 'sort-operations{order=depth-first},graph-partition,check-partition'
// RUN: not tile-opt %s -p 'sort-operations{order=random}' 2>&1 | filecheck %s --check-prefix WRONG

tile.func @fork ins(%x : !tile.tensor<64x64xf32, ddr>, %w : !tile.tensor<64x64xf32, ddr>)
                outs(%y : !tile.tensor<64x64xf32, ddr>, %z : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  %1 = tile.view %w[0, 0] : !tile.tensor<64x64xf32, ub>
  %2 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
  %3 = tile.abs %0 : !tile.tensor<64x64xf32, ub>
  %4 = tile.add %2, %1 : !tile.tensor<64x64xf32, ub>
  tile.assemble %4 into %y[0, 0]
  tile.assemble %3 into %z[0, 0]
}

// BREADTH-LABEL: @fork
// BREADTH-NEXT: tile.view %x[0, 0] {magic = 10000}
// BREADTH-NEXT: tile.view %w[0, 0] {magic = 10001}
// BREADTH-NEXT: tile.exp %{{.*}} {magic = 10002}
// BREADTH-NEXT: tile.abs %{{.*}} {magic = 10003}
// BREADTH-NEXT: tile.add {{.*}} {magic = 10004}
// BREADTH-NEXT: tile.assemble %{{.*}} into %z[0, 0] {magic = 10006}
// BREADTH-NEXT: tile.assemble %{{.*}} into %y[0, 0] {magic = 10005}

// DEPTH-LABEL: @fork
// DEPTH-NEXT: tile.view %x[0, 0] {magic = 10000}
// DEPTH-NEXT: tile.exp
// DEPTH-NEXT: tile.abs
// DEPTH-NEXT: tile.assemble %{{.*}} into %z
// DEPTH-NEXT: tile.view %w[0, 0] {magic = 10001}
// DEPTH-NEXT: tile.add
// DEPTH-NEXT: tile.assemble %{{.*}} into %y

// REVERSE-LABEL: @fork
// REVERSE-NEXT: tile.view %x
// REVERSE-NEXT: tile.exp
// REVERSE-NEXT: tile.view %w
// REVERSE-NEXT: tile.add
// REVERSE-NEXT: tile.assemble %{{.*}} into %y
// REVERSE-NEXT: tile.abs
// REVERSE-NEXT: tile.assemble %{{.*}} into %z

// STABLE-LABEL: @fork
// STABLE-NEXT: tile.view %x[0, 0] : !tile
// STABLE-NEXT: tile.view %w
// STABLE-NEXT: tile.exp
// STABLE-NEXT: tile.abs
// STABLE-NEXT: tile.add
// STABLE-NEXT: tile.assemble %{{.*}} into %y
// STABLE-NEXT: tile.assemble %{{.*}} into %z

// EXPLAIN: depth-first order: 6 of 7 ops stand elsewhere
// WRONG: error: {{.*}}random
