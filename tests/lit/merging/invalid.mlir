// What the merge passes refuse, and how they say it.
// RUN: not tile-opt %s -p l1-copy-in-reuse-merge 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not tile-opt %s -p 'n-buffer-merge{vec-nbuffer-setting="DEFAULT=2,v1=3"}' 2>&1 | filecheck %s --check-prefix=LABEL
// RUN: not tile-opt %s --strict-keys -p 'n-buffer-merge{vec-nbuffer-setting="DEFAULT=2,func7_0=3"}' 2>&1 | filecheck %s --check-prefix=STRICT
// RUN: not tile-opt %s -p 'n-buffer-merge{vec-nbuffer-setting="DEFAULT=0"}' 2>&1 | filecheck %s --check-prefix=RANGE
// RUN: not tile-opt %s -p 'n-buffer-merge{mg-vec-parallel-lb=49}' 2>&1 | filecheck %s --check-prefix=BOUND
// RUN: not tile-opt %s -p block-graph,n-buffer-merge 2>&1 | filecheck %s --check-prefix=OUTLINED

tile.func @one magic(8) ins(%x: !tile.tensor<64x64xf32, ub>) outs(%y: !tile.tensor<64x64xf32, ddr>) {
  tile.exp %x into %y {semantic_label = "V1"}
}

// MISSING: error: l1-copy-in-reuse-merge: @one: EXP (magic 10000) has no subgraph; every op needs one (run graph-partition first)
// LABEL: error: n-buffer-merge: vec_nbuffer_setting: no op carries the label 'v1', did you mean 'V1'?
// STRICT: error: n-buffer-merge: vec_nbuffer_setting: func7_0: there is no function with magic 7
// RANGE: vec_nbuffer_setting: key 'DEFAULT': 0 is not in the range 1..2147483647
// BOUND: error: pass 'n-buffer-merge': mg_vec_parallel_lb: 49 is not in the range 1..48
// OUTLINED: error: n-buffer-merge: @one is outlined: run inline-subgraphs first
