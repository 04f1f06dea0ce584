// tile-atc compiles, checks, converts and displays tile graphs with ATC's command line, codes and exit status.
// RUN: rm -rf %t && mkdir -p %t
// RUN: tile-atc --model=%s --framework=5 --soc_version=Ascend910B2 --output=%t/new/net --input_shape=x:64,64 | filecheck %s --check-prefix LINES
// RUN: filecheck %s --input-file %t/new/net.mlir
// RUN: tile-atc --model=%s --framework=5 --soc_version=Ascend910B2 --output=%t/sorted --input_shape=x:64,64 --oo_level=O1 --oo_dead_code_elimination=false --optimization_switch=L1CopyInReuseMerge:off\;outline-subgraphs:off --display_model_info=1 | filecheck %s --check-prefix INFO
// RUN: filecheck %s --input-file %t/sorted.mlir --check-prefix KEPT
// RUN: not tile-atc --model=%s --framework=5 --soc_version=Ascend910B2 --output=%t/none 2>&1 | filecheck %s --check-prefix DYNAMIC
// RUN: not tile-atc --model=%s --framework=5 --soc_version=Ascend910B2 --output=%t/none --input_shape=q:64,64 2>&1 | filecheck %s --check-prefix NAME
// RUN: not tile-atc --model=%s --framework=5 --soc_version=Ascend910B2 --output=%t/none --input_shape=y:64,64 2>&1 | filecheck %s --check-prefix INPUT
// RUN: not tile-atc --model=%s --framework=5 --soc_version=Ascend910B2 --output=%t/none --input_shape=x:64,63 2>&1 | filecheck %s --check-prefix FIXED
// RUN: not tile-atc --model=%s --framework=5 --soc_version=Ascend910B2 --output=%t/none --input_shape=x:-1,64 --dynamic_batch_size=4 2>&1 | filecheck %s --check-prefix GEARS
// RUN: not tile-atc --model=%s --framework=5 --soc_version=Ascend910B2 --output=%t/none --input_shape=x:64,64 --out_nodes=f:1 2>&1 | filecheck %s --check-prefix OUTPUT
// RUN: not tile-atc --model=%s --framework=5 --soc_version=Ascend910B2 --output=%t/none --input_shape=x:64,64 --core_type=VectorCore --oo_level=O2 2>&1 | filecheck %s --check-prefix LEVEL
// RUN: not ls %t/none.mlir
// RUN: tile-atc --mode=30 --model=%s --framework=5 --soc_version=Ascend035 --output=%t/nano --input_shape=x:64,64
// RUN: filecheck %s --input-file %t/nano.mlir --check-prefix NANO
// RUN: tile-atc --mode=3 --model=%s --framework=5 --soc_version=Ascend910B2 --check_report=%t/report.json --input_shape=x:64,64
// RUN: filecheck %s --input-file %t/report.json --check-prefix REPORT
// RUN: not tile-atc --mode=3 --model=%s --framework=5 --soc_version=Ascend910B2 --check_report=%t/report.json
// RUN: filecheck %s --input-file %t/report.json --check-prefix FAILED
// RUN: tile-atc --mode=1 --om=%t/new/net.mlir --json=%t/net.json
// RUN: filecheck %s --input-file %t/net.json --check-prefix JSON
// RUN: cp %t/new/net.mlir %t/net.txt
// RUN: tile-atc --mode=5 --om=%t/net.txt --json=%t/net.json
// RUN: filecheck %s --input-file %t/net.json --check-prefix SHAPES
// RUN: tile-atc --mode=6 --om=%t/new/net.mlir | filecheck %s --check-prefix INFO
// RUN: cp %s %t/net.pb
// RUN: not tile-atc --model=%t/net.pb --framework=3 --soc_version=Ascend910B2 --output=%t/none 2>&1 | filecheck %s --check-prefix FOREIGN
// RUN: tile-atc --model=%t/net.pb --framework=3 --soc_version=Ascend910B2 --output=%t/none --check-only | filecheck %s --check-prefix LINES
// RUN: not tile-atc --model=%s --framework=5 --soc_version=Ascend910B2 --output=%t/none --check-only 2>&1 | filecheck %s --check-prefix DYNAMIC

tile.func @f ins(%x : !tile.tensor<?x64xf32, ddr>) outs(%y : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  %1 = tile.abs %0 : !tile.tensor<64x64xf32, ub>
  tile.assemble %0 into %y[0, 0]
}

// LINES: tile-atc: run started
// LINES-NEXT: ...
// LINES-NEXT: tile-atc: run succeeded

// CHECK: ge.frameworkType = "5"
// CHECK-SAME: ge.socVersion = "Ascend910B2"
// CHECK-SAME: tile.soc = "Ascend910B2"
// CHECK: tile.func @f
// CHECK: tile.launch @leaf_0
// CHECK: tile.leaf @leaf_0
// CHECK-NOT: tile.abs

// INFO: chip: Ascend910B2
// INFO: ### @f
// INFO: ops, {{.*}} 1 subgraphs

// KEPT: tile.view
// KEPT-NEXT: tile.abs

// DYNAMIC: tile-atc: run failed
// DYNAMIC-NEXT: E10001: --input_shape: invalid value 'NULL': the input 'x' of @f has dynamic dims
// NAME: E10016: --input_shape: the model has no node 'q'
// INPUT: E10017: --input_shape: 'y' is not an input of the model
// FIXED: E10001: --input_shape: invalid value 'x:64,63': 'x' of @f is ?x64, found 64x63: dim 1 is not dynamic
// GEARS: E10035: 1 gears are given, expected at least 2
// OUTPUT: E10003: --out_nodes: invalid value 'f:1': 'f' has 1 outputs
// LEVEL: E10001: --oo_level: invalid value 'O2'
// NANO: ge.socVersion = "Ascend035"
// REPORT: "result": "success"
// REPORT: "f"
// FAILED: "result": "failed"
// FAILED: E10001
// JSON: "ge.socVersion": "Ascend910B2"
// JSON: "name": "f"
// JSON-NOT: "shape"
// SHAPES: "shape"
// FOREIGN: E19999: '{{.*}}net.pb' is no tile graph
