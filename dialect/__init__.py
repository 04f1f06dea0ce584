"""The `tile` dialect: tile graphs of Ascend NPU kernels as MLIR."""
