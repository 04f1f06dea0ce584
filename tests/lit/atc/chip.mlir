// The chip and its core counts follow the options, and automatic merge numbers follow the core counts.
// RUN: tile-opt %s --soc_version=Ascend910B3 --aicore_num='10|2' | filecheck %s --check-prefix COUNTS
// RUN: tile-opt %s --soc_version=a5 --jit_compile=1 | filecheck %s --check-prefix FAMILY
// RUN: tile-opt %s --core_type=VectorCore | filecheck %s --check-prefix VECTOR
// RUN: tile-opt %s -p 'graph-partition,n-buffer-merge{grouping=wide}' -t summary | filecheck %s --check-prefix MANY
// RUN: tile-opt %s --aicore_num='0|2' -p 'graph-partition,n-buffer-merge{grouping=wide}' -t summary | filecheck %s --check-prefix FEW
// RUN: not tile-opt %s --aicore_num='25' 2>&1 | filecheck %s --check-prefix TOO-MANY
// RUN: not tile-opt %s --aicore_num='1|02' 2>&1 | filecheck %s --check-prefix DIGITS
// RUN: not tile-opt %s --jit_compile=1 --soc_version=Ascend310P3 2>&1 | filecheck %s --check-prefix UNKNOWN

tile.func @f ins(%x : !tile.tensor<256x64xf32, ddr>) outs(%y : !tile.tensor<256x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  tile.assemble %0 into %y[0, 0]
  %1 = tile.view %x[64, 0] : !tile.tensor<64x64xf32, ub>
  tile.assemble %1 into %y[64, 0]
  %2 = tile.view %x[128, 0] : !tile.tensor<64x64xf32, ub>
  tile.assemble %2 into %y[128, 0]
  %3 = tile.view %x[192, 0] : !tile.tensor<64x64xf32, ub>
  tile.assemble %3 into %y[192, 0]
}

// COUNTS: tile.soc = "Ascend910B3", tile.aic_cores = 10 : i64, tile.aiv_cores = 2 : i64}
// FAMILY: ge.socVersion = "a5"
// FAMILY-SAME: tile.soc = "a5"}
// VECTOR: tile.aic_cores = 0 : i64}
// MANY: 4 subgraphs
// FEW: 2 subgraphs
// TOO-MANY: E10060: --aicore_num: the chip has 24 cube cores, found 25
// DIGITS: E10001: --aicore_num: invalid value '1|02'
// UNKNOWN: E19999: --soc_version: unknown SoC 'Ascend310P3'
