// Each unknown name ends with one message that has the nearest or all known names.
// RUN: not tile-opt %s -p cannonicalize 2>&1 | filecheck %s --check-prefix PASS
// RUN: not tile-opt %s -p 'dce{fast=true}' 2>&1 | filecheck %s --check-prefix OPTION
// RUN: not tile-opt %s -p 'apply-eqsat-pdl-interp{max-iteration=3}' 2>&1 | filecheck %s --check-prefix NEAR-OPTION
// RUN: not tile-opt %s -p 'apply-eqsat-pdl-interp{max-iterations=many}' 2>&1 | filecheck %s --check-prefix TYPE
// RUN: not tile-opt %s -p convert-ptr-to-x86 2>&1 | filecheck %s --check-prefix MISSING
// RUN: not tile-opt %s -t mlr 2>&1 | filecheck %s --check-prefix TARGET
// RUN: not tile-opt %s -f text 2>&1 | filecheck %s --check-prefix FRONTEND
// RUN: not tile-opt graph.txt 2>&1 | filecheck %s --check-prefix EXTENSION
// RUN: not tile-opt %s --explian 2>&1 | filecheck %s --check-prefix ARGUMENT
// RUN: not tile-opt %s --split 2>&1 | filecheck %s --check-prefix ABBREVIATION
// RUN: not tile-opt %s --compat=legacy 2>&1 | filecheck %s --check-prefix COMPAT
// RUN: not tile-opt %s --soc-version=Ascend910X2 2>&1 | filecheck %s --check-prefix CHIP
// RUN: not tile-opt %s second.mlir 2>&1 | filecheck %s --check-prefix SECOND

// PASS: tile-opt: error: unknown pass 'cannonicalize', did you mean 'canonicalize'
// OPTION: tile-opt: error: pass 'dce' has no option 'fast'; it has none
// NEAR-OPTION: pass 'apply-eqsat-pdl-interp' has no option 'max-iteration', did you mean 'max-iterations'?
// TYPE: pass 'apply-eqsat-pdl-interp': option 'max-iterations' expects an integer, found 'many'
// MISSING: pass 'convert-ptr-to-x86' needs the option 'arch'
// TARGET: unknown target 'mlr', did you mean 'mlir'? There are: {{.*}}mlir
// FRONTEND: unknown frontend 'text'{{.*}} There are: mlir
// EXTENSION: 'graph.txt': the extension '.txt' is unknown; expected .mlir, .json, .json.gz, or -f
// ARGUMENT: tile-opt: error: unknown option '--explian', did you mean '--explain'?
// ARGUMENT-NEXT: usage: tile-opt [option ...] [input file]
// ABBREVIATION: unknown option '--split', did you mean --split-input-file?
// COMPAT: --compat: invalid choice: 'legacy' (choose from {{.*}}published{{.*}}pypto
// CHIP: --soc-version: unknown SoC 'Ascend910X2', did you mean
// SECOND: unexpected argument 'second.mlir', one input file is read
