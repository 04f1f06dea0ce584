"""The dialect `tile`, as xDSL loads it."""

from xdsl.ir import Dialect

from dialect.attributes import HashOrderAttr, ScalarAttr, StorageAttr
from dialect.directives import BeginOptionsOp, EndOptionsOp, ResetOptionsOp, SetPassOptionsOp, SetSemanticLabelOp
from dialect.elements import FloatType
from dialect.ops import OPERATION_CLASSES, BufferOp, FuncOp
from dialect.outlined import LaunchOp, LeafOp
from dialect.scopes import KernelOp, LoopOp, OptionsOp
from dialect.types import MemoryAttr, TensorType

TILE = Dialect(
    "tile",
    [
        FuncOp,
        BufferOp,
        LeafOp,
        LaunchOp,
        KernelOp,
        LoopOp,
        OptionsOp,
        SetPassOptionsOp,
        SetSemanticLabelOp,
        BeginOptionsOp,
        EndOptionsOp,
        ResetOptionsOp,
        *OPERATION_CLASSES,
    ],
    [TensorType, FloatType, MemoryAttr, StorageAttr, HashOrderAttr, ScalarAttr],
)
