"""Chains of one reduction, which node hashes treat as one thing (graph partition, section 7.1, step 1)."""

from __future__ import annotations

from xdsl.utils.exceptions import PassFailedException

from dialect.compat import Compat
from dialect.opcodes import OPCODES, PAIR_REDUCE_NAMES, CalcType
from transforms.graph_partition.core_types import ANY
from transforms.graph_partition.hull_closure import NumberedNodes, close_hulls
from transforms.graph_partition.operation_sets import OperationSets
from transforms.graph_partition.ordered_graph import OrderedGraph

_IS_MATMUL: tuple[bool, ...] = tuple(opcode.calc is CalcType.MATMUL for opcode in OPCODES)
_IS_PAIR_REDUCE: tuple[bool, ...] = tuple(opcode.name in PAIR_REDUCE_NAMES for opcode in OPCODES)


def reduce_nodes(ordered: OrderedGraph, compat: Compat) -> NumberedNodes | None:
    """Matrix multiplies that feed one another, and pair reductions with their only consumer of the same opcode.

    Returns:
        the nodes, or None if each is a single operation.

    Raises:
        PassFailedException: with pypto rules, an operation of another core lies between two of one node, where the
            reference goes on with undefined memory. With published rules core types do not matter here, since these
            nodes only shape hash values.
    """
    published = compat is Compat.PUBLISHED
    cores = [ANY] * ordered.operation_count if published else ordered.cores
    sets = OperationSets(ordered, cores, keeps_sides_apart=False)
    try:
        if not _unite_chains(ordered, sets):
            return None
        return close_hulls(ordered, sets)
    except PassFailedException as failure:
        raise PassFailedException(
            f"the isomorphism hash cannot join the operations of one reduction: {failure}; "
            "the reference reads undefined memory here"
        ) from failure


def _unite_chains(ordered: OrderedGraph, sets: OperationSets) -> bool:
    """Unite the operations of each reduction; returns whether there was any."""
    opcodes, inputs, outputs = ordered.opcodes, ordered.inputs, ordered.outputs
    found = False
    first_of_joined: dict[int, int] = {}
    for index, opcode in enumerate(opcodes):
        if _IS_MATMUL[opcode]:
            for tensor in inputs[index]:
                if tensor in first_of_joined:
                    sets.unite(index, first_of_joined[tensor])
                    continue
                matmuls = [producer for producer in ordered.producers[tensor] if _IS_MATMUL[opcodes[producer]]]
                for matmul in matmuls:
                    sets.unite(index, matmul)
                if matmuls:
                    first_of_joined[tensor] = matmuls[0]
        elif _IS_PAIR_REDUCE[opcode]:
            consumers = {consumer for tensor in outputs[index] for consumer in ordered.consumers[tensor][:2]}
            if len(consumers) == 1:
                (consumer,) = consumers
                if opcodes[consumer] == opcode:
                    found = True
                    sets.unite(index, consumer)
    return found or bool(first_of_joined)
