"""Least models of what drawn ones found: right, or refused by name, where they were not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.environments import ensure
from matrix.generator.causes import is_refused
from matrix.generator.description import Call, Description
from matrix.generator.searching import Load, Search
from matrix.network import Input
from matrix.versions import entries
from tests.releases import releases

X0, X1 = {"input": "x0"}, {"input": "x1"}
ENDS = ("2.6.2", "3.3.1")
# CL128: 3.0 died of the dots, 3.3 took them for letters.
DOTTED = Description(
    (Call("paddle.einsum", {"equation": "...ij,jk->...ik"}, (X0, X1)),),
    {"x0": Input((None, 3, 4)), "x1": Input((4, 5))},
    (((2, 3, 4), (4, 5)), ((1, 3, 4), (4, 5))),
)
# 2.6 takes six dimensions here, 3.x seven.
SEVEN = Description(
    (Call("paddle.unsqueeze", {"x": X0, "axis": 0}),),
    {"x0": Input((2, 1, 2, 1, 2, 1))},
    (((2, 1, 2, 1, 2, 1),),),
)
# CL127: no kernel of floor for whole numbers before 3.2: written as nothing.
WHOLE = Description(
    (Call("paddle.floor", {"x": X0}),), {"x0": Input((2, 3), "int64", 0, 5)}, (((2, 3),),)
)
# minlength as a tensor is a variable's name where a number stood.
COUNTED = Description(
    (Call("paddle.bincount", {"x": X0, "minlength": X1}),),
    {"x0": Input((7,), "int64", 0, 5), "x1": Input((1,), "int64", 3, 9)},
    (((7,), (1,)),),
)
# CL129, CL130: up to 3.0 the earlier axis is that of the rows, then the first one.
TRACED = Description(
    (Call("paddle.trace", {"x": X0, "offset": 1, "axis1": 1, "axis2": -3}),),
    {"x0": Input((3, 4, 5))},
    (((3, 4, 5),),),
)
# The scale that training kept is neither read nor written in evaluation, and was called damage.
OUT_SCALE = Description(
    (
        Call("paddle.nn.quant.quant_layers.MovingAverageAbsMaxScale", {"name": None}, (X0,)),
        Call("paddle.sin", {"x": {"result": 0}}),
    ),
    {"x0": Input((None, 4), "float32")},
    (((2, 4),), ((3, 4),)),
)
# CL199: `jit.save` declares that what lu tells has no place.
TOLD_OF_ONE = Description(
    (Call("paddle.linalg.lu", {"x": X0, "pivot": True, "get_infos": True}),),
    {"x0": Input((None, 1))},
    (((1, 1),), ((3, 1),)),
    dress="branch",
)
# 3.x makes one stack of a stack of stacks, and does not declare it.
STACKS = Description(
    (Call("paddle.linalg.svdvals", {"x": X0}),),
    {"x0": Input((None, 2, 4, 5))},
    (((2, 2, 4, 5),), ((4, 2, 4, 5),)),
)
# CL136: from 3.1 on there are no residuals but by gels.
RESIDUALS = Description(
    (Call("paddle.linalg.lstsq", {"x": X0, "y": X1, "driver": "gelsy"}),),
    {"x0": Input((4, 2)), "x1": Input((4, 3))},
    (((4, 2), (4, 3)),),
)
# CL165: 3.x has lost the operators on sequences, which are composed of others.
SEQUENCES = Description(
    (
        Call("paddle.static.nn.sequence_unpad", {"x": X0, "length": X1}),
        Call(
            "paddle.static.nn.sequence_pad",
            {"x": {"result": 0}, "pad_value": {"zeros": [1, "float32"]}},
        ),
    ),
    {"x0": Input((2, 4, 1)), "x1": Input((2,), "int64", 1, 5)},
    (((2, 4, 1), (2,)),),
    way="program",
)
# 2.6 wants a place for what a batch normalisation measures as it runs.
MEASURING = Description(
    (Call("paddle.nn.BatchNorm", {"num_channels": 4, "trainable_statistics": True}, (X0,)),),
    {"x0": Input((None, 4, 3))},
    (((2, 4, 3),), ((5, 4, 3),)),
)
# A window that is larger than what it pools.
LARGE_WINDOW = Description(
    (Call("paddle.nn.functional.lp_pool2d", {"x": X0, "norm_type": 2, "kernel_size": 2}),),
    {"x0": Input((None, 1, 2, 1))},
    (((1, 1, 2, 1),), ((3, 1, 2, 1),)),
)
# CL114: 2.6 declares logarithms of whole numbers as whole.
LOGARITHM = Description(
    (
        Call("paddle.argmax", {"x": X0, "axis": 1}),
        Call("paddle.log2", {"x": {"result": 0}}),
        Call("paddle.exp", {"x": {"result": 1}}),
    ),
    {"x0": Input((None, 7))},
    (((2, 7),), ((5, 7),)),
    "twice",
)
# CL122: of a number without dimensions.
ROUNDED = Description(
    (
        Call("paddle.mean", {"x": X0}),
        Call("paddle.round", {"x": {"result": 0}}),
    ),
    {"x0": Input((2, 3), low=-9.0, high=9.0)},
    (((2, 3),),),
)
# 2.6 dies of a division by False, and has another 0 to the -1st.
FLAGS_DIVIDED = Description(
    (Call("paddle.true_divide", {"input": X0, "other": X1}),),
    {"x0": Input((3, 5), "bool"), "x1": Input((2, 3, 5), "bool")},
    (((3, 5), (2, 3, 5)),),
)
WHOLE_POWER = Description(
    (Call("operator.pow", {"a": X0, "b": X1}),),
    {"x0": Input((3, 40), "int32", -2, 3), "x1": Input((3, 40), "int32", -3, 4)},
    (((3, 40), (3, 40)),),
)
# CL132: 3.2 quantises weights of 16 bits in 32.
QUANTISED = Description(
    (Call("paddle.nn.quant.weight_quantize", {"x": X0, "arch": 80}),),
    {"x0": Input((64, 64), "float16", 0.1, 0.9)},
    (((64, 64),),),
)
# CL133: a layer of 2.6 gives outputs that are no bools first.
FLAGS_FIRST = Description(
    (Call("operator.gt", {"a": X0, "b": 0.1}),),
    {"x0": Input((None, 3))},
    (((4, 3),), ((1, 3),)),
    "also inner",
)
# 2.6 fills in the shape of what is filled, which 3.1 broadcasts.
FILLED = Description(
    (Call("paddle.masked_fill", {"x": X0, "mask": X1, "value": {"input": "x2"}}),),
    {"x0": Input((3, 1)), "x1": Input((3,), "bool"), "x2": Input((3,))},
    (((3, 1), (3,), (3,)),),
)
# A number of no dimensions has no axis in 2.6.
NORM_OF_NUMBER = Description(
    (Call("paddle.linalg.norm", {"x": X0, "p": 1}),), {"x0": Input(())}, (((),),)
)
# 2.6 has no kernel for flags; XShape is not to be cast as they are.
FLAGS_IN_A_ROW = Description(
    (
        Call("paddle.logical_not", {"x": X0}),
        Call("paddle.flatten", {"x": {"result": 0}}),
    ),
    {"x0": Input((None, 3))},
    (((2, 3),), ((5, 3),)),
)
NO_POINTS = Description(
    (Call("paddle.fft.irfftn", {"x": X0}),),
    {"x0": Input((2, 4, 1))},
    (((2, 4, 1),),),
    "also inner",
)
# CL114: bincount of 32 bits counts in 64, out of a branch as well.
COUNTED_IN_BRANCH = Description(
    (Call("paddle.bincount", {"x": X0, "minlength": 6}),),
    {"x0": Input((None,), "int32", 0, 4)},
    (((5,),), ((7,),)),
    "branch",
)
# CL117: its weight is an output of it.
HIERARCHY = Description(
    (
        Call(
            "paddle.nn.functional.hsigmoid_loss",
            {"input": X0, "label": X1, "num_classes": 5, "weight": {"weight": [4, 4]}},
        ),
    ),
    {"x0": Input((3, 4)), "x1": Input((3, 1), "int64", 0, 5)},
    (((3, 4), (3, 1)),),
)
# CL127: floor of 16 bits came with 3.2: written in float32.
SHORT = Description(
    (
        Call("paddle.cast", {"x": X0, "dtype": "float16"}),
        Call("paddle.floor", {"x": {"result": 0}}),
    ),
    {"x0": Input((2, 3))},
    (((2, 3),),),
)
# CL262: a vector that is transposed; CL263: a layer of five axes and tanh.
TURNED_VECTOR = Description(
    (
        Call("paddle.matmul", {"x": X0, "y": X1, "transpose_y": True}),
        Call("paddle.multiply", {"x": {"result": 0}, "y": {"weight": [7]}}),
    ),
    {"x0": Input((7, 7)), "x1": Input((7,))},
    (((7, 7), (7,)),),
)
FIVE_AXES = Description(
    (
        Call(
            "paddle.nn.functional.linear",
            {"x": X0, "weight": {"weight": [3, 3]}, "bias": {"weight": [3]}},
        ),
        Call("paddle.tanh", {"x": {"result": 0}}),
    ),
    {"x0": Input((None, 4, 3, 1, 3))},
    (((1, 4, 3, 1, 3),), ((2, 4, 3, 1, 3),)),
)
# CL113: 2.6 writes -1 for an end before the first element, 3.x takes it for the last one.
SET_BACKWARDS = Description(
    (
        Call(
            "operator.setitem",
            {"a": X1, "b": {"slice": [None, None, -1]}, "c": X0},
        ),
    ),
    {"x0": Input((3, 2)), "x1": Input((3, 2))},
    (((3, 2), (3, 2)),),
)
# A permutation of no axes, which 3.x takes and 2.6 does not.
TURNED_BY_NONE = Description(
    (Call("paddle.transpose", {"x": X0, "perm": []}),), {"x0": Input((2, 3))}, (((2, 3),),)
)
# CL135: 3.0 means nothing of no numbers.
MEAN_OF_NONE = Description(
    (Call("paddle.nn.functional.smooth_l1_loss", {"input": X0, "label": X1}),),
    {"x0": Input((0, 2)), "x1": Input((0, 2))},
    (((0, 2), (0, 2)),),
)
# What has no elements is filled on the way to 2.6, which computes no sum of two shapes of it.
SUM_OF_NONE = Description(
    (Call("paddle.add", {"x": X0, "y": X1}),),
    {"x0": Input((0, 3)), "x1": Input((3,))},
    (((0, 3), (3,)),),
    "also inner",
)
SUM_OF_SOME = Description(
    (Call("paddle.add", {"x": X0, "y": X1}),),
    {"x0": Input((None, 3, 0)), "x1": Input(())},
    (((2, 3, 0), ()),),
)
# 2.6 has an epsilon of 0.001 at most.
LARGE_EPSILON = Description(
    (Call("paddle.nn.BatchNorm3D", {"num_features": 6, "epsilon": 0.5}, (X0,)),),
    {"x0": Input((None, 6, 2, 2, 2))},
    (((2, 6, 2, 2, 2),), ((3, 6, 2, 2, 2),)),
)
# What 2.6 has for other numbers, six axes, or as many rows as places.
FILLED_BYTES = Description(
    (Call("paddle.ones_like", {"x": X0, "dtype": "int8"}),), {"x0": Input((2, 3))}, (((2, 3),),)
)
SET_BYTES = Description(
    (Call("paddle.select_scatter", {"x": X0, "values": X1, "axis": 1, "index": 0}),),
    {"x0": Input((None, 4), "uint8", 0, 9), "x1": Input((None,), "uint8", 0, 9)},
    (((3, 4), (3,)), ((5, 4), (5,))),
)
SQUEEZED = Description(
    (Call("paddle.squeeze", {"x": X0, "axis": [0, 2]}),),
    {"x0": Input((1, None, 1, 2, 1, 2, 1))},
    (((1, 2, 1, 2, 1, 2, 1),), ((1, 3, 1, 2, 1, 2, 1),)),
)
COMPLEX_FOUND = Description(
    (Call("paddle.fft.rfftn", {"x": X0}), Call("paddle.nonzero", {"x": {"result": 0}})),
    {"x0": Input((None, 4))},
    (((3, 4),), ((5, 4),)),
)
MORE_ROWS = Description(
    (Call("paddle.scatter", {"x": X0, "index": X1, "updates": {"input": "x2"}}),),
    {"x0": Input((2, 2)), "x1": Input((1,), "int64", 0, 2), "x2": Input((2, 2))},
    (((2, 2), (1,), (2, 2)),),
)
# CL145: before 3.1 it is for two tensors at least.
BROADCAST_ALONE = Description(
    (Call("paddle.broadcast_tensors", {"input": [X0]}),), {"x0": Input((2, 3))}, (((2, 3),),)
)
BROADCAST_ALONE_LEGACY = replace(BROADCAST_ALONE, way="legacy")
# 3.0 and 2.6 want operands of one shape.
NEXT = Description(
    (Call("paddle.nextafter", {"x": X0, "y": X1}),),
    {"x0": Input((None, 4)), "x1": Input((1, 1))},
    (((4, 4), (1, 1)), ((6, 4), (1, 1))),
)
# Before 3.3 the first operand has to have as many axes as the second one.
ALL_EQUAL = Description(
    (Call("paddle.equal_all", {"x": X0, "y": X1}),),
    {"x0": Input((None,)), "x1": Input((3, None))},
    (((2,), (3, 2)), ((4,), (3, 4))),
)
# 2.6 has no kernel for whole numbers here.
CLOSE_NUMBERS = Description(
    (Call("paddle.allclose", {"x": X0, "y": X1, "rtol": 0.0, "atol": 2.0}),),
    {"x0": Input((None,), "int64", 1, 4), "x1": Input((None,), "int64", 1, 4)},
    (((2,), (2,)), ((4,), (4,))),
)
# 3.x gives 0, whatever the number.
NORM_ALONG_NONE = Description(
    (Call("paddle.norm", {"x": X0, "axis": 0}),), {"x0": Input(())}, (((),),)
)
# CL618: of a matrix, oneDNN takes the first of the new sizes for that of its rows.
EXPANDED = Description(
    (
        Call("paddle.exp", {"x": X0}),
        Call("paddle.expand", {"x": {"result": 0}, "shape": [3, -1, -1]}),
    ),
    {"x0": Input((None, 4))},
    (((2, 4),), ((5, 4),)),
)
# CL135: 3.0 transforms to no points, and compares none with some, in an error.
TO_NO_POINTS = Description((Call("paddle.fft.hfftn", {"x": X0}),), {"x0": Input((1,))}, (((1,),),))
CLOSE_TO_NONE = Description(
    (Call("paddle.allclose", {"x": X0, "y": X1}),),
    {"x0": Input((5, 4)), "x1": Input((0, 2, 2))},
    (((5, 4), (0, 2, 2)),),
)
# CL114: what rolls numbers with a point was declared to roll whole ones.
LOGARITHM_ROLLED = Description(
    (
        Call("paddle.log", {"x": X0}),
        Call("paddle.roll", {"x": {"result": 0}, "shifts": 2, "axis": 1}),
    ),
    {"x0": Input((3, 2), "int64", 1, 5)},
    (((3, 2),),),
)
# CL146: an axis that counts from the end, of which predictors of 3.3 hang.
REPEATED = Description(
    (Call("paddle.repeat_interleave", {"x": X0, "repeats": 2, "axis": -2}),),
    {"x0": Input((None, 2, 3))},
    (((3, 2, 3),), ((5, 2, 3),)),
)
# CL226: volumes with channels last, whatever follows.
PADDED = Description(
    (
        Call("paddle.nn.Pad3D", {"padding": 1, "data_format": "NDHWC"}, (X0,)),
        Call("paddle.sin", {"x": {"result": 0}}),
        Call("paddle.nn.functional.relu", {"x": {"result": 1}}),
    ),
    {"x0": Input((None, 2, 2, 2, 4))},
    (((1, 2, 2, 2, 4),), ((3, 2, 2, 2, 4),)),
)
# CL176: kernels that 2.6 lacks, in legacy programs of 3.x.
FLAGS_ADDED = Description(
    (Call("paddle.add", {"x": X0, "y": X0}),),
    {"x0": Input((2, 3), "bool")},
    (((2, 3),),),
    way="legacy",
)
# CL135: nor does 2.6 put anything into what has no elements.
PUT_INTO_NONE = Description(
    (Call("paddle.index_put", {"x": X0, "indices": {"tuple": [X1]}, "value": {"input": "x2"}}),),
    {"x0": Input((None, 0)), "x1": Input((2,), "int64", 0, 3), "x2": Input((1,), "int64", 0, 2)},
    (((4, 0), (2,), (1,)),),
)
# CL238: a number without dimensions, squeezed.
NUMBER = Description(
    (Call("paddle.asin", {"x": X0}), Call("paddle.squeeze", {"x": {"result": 0}})),
    {"x0": Input(())},
    (((),),),
)
X2 = {"input": "x2"}
PLACES = {"x0": Input((None, 3)), "x1": Input((4,), "int64", -2, 2)}
SHAPES = (((4, 3), (4,)), ((6, 3), (4,)))
ROWS = {**PLACES, "x2": Input((4, 3))}
WITH_ROWS = tuple((*one, (4, 3)) for one in SHAPES)
PAIRS = {"x0": Input((None, 3, 2)), "x1": Input((5, 2), "int32", -2, 2)}
TABLE = {"x0": Input((2, None)), "x1": Input((2, 4), "int64", -2, 2)}
# Places below zero, which 2.6 refuses, or takes for what lies before its tensor.
FROM_THE_END = [
    Description((call,), inputs, shapes)
    for call, inputs, shapes in (
        (Call("paddle.gather", {"x": X0, "index": X1}), PLACES, SHAPES),
        (
            Call("paddle.gather", {"x": X0, "index": X1, "axis": 1}),
            {"x0": Input((2, 3)), "x1": Input((4,), "int32", -2, 2)},
            (((2, 3), (4,)),),
        ),
        (
            Call("paddle.gather", {"x": X0, "index": X1}),
            {"x0": Input((None, 3)), "x1": Input((), "int64", -2, 0)},
            (((4, 3), ()), ((6, 3), ())),
        ),
        (
            Call("paddle.gather_nd", {"x": X0, "index": X1}),
            PAIRS,
            (((4, 3, 2), (5, 2)), ((6, 3, 2), (5, 2))),
        ),
        (Call("paddle.index_select", {"x": X0, "index": X1, "axis": 0}), PLACES, SHAPES),
        (
            Call("paddle.index_add", {"x": X0, "index": X1, "axis": 0, "value": X2}),
            ROWS,
            WITH_ROWS,
        ),
        (
            Call("paddle.take_along_axis", {"arr": X0, "indices": X1, "axis": -1}),
            TABLE,
            (((2, 4), (2, 4)), ((2, 6), (2, 4))),
        ),
        (
            Call(
                "paddle.put_along_axis",
                {"arr": X0, "indices": X1, "values": 1.0, "axis": 1, "reduce": "add"},
            ),
            TABLE,
            (((2, 4), (2, 4)), ((2, 6), (2, 4))),
        ),
        (
            Call("paddle.scatter", {"x": X0, "index": X1, "updates": X2, "overwrite": False}),
            ROWS,
            WITH_ROWS,
        ),
        (
            Call("paddle.scatter_nd_add", {"x": X0, "index": X1, "updates": X2}),
            {**PAIRS, "x2": Input((5, 2))},
            (((4, 3, 2), (5, 2), (5, 2)), ((6, 3, 2), (5, 2), (5, 2))),
        ),
        (Call("operator.getitem", {"a": X0, "b": X1}), PLACES, SHAPES),
    )
]
# CL143: 3.3 divides where x lies that oneDNN made, and x is read again.
GAMMA = Description(
    (
        Call("paddle.scale", {"x": X0, "scale": 2.0}),
        Call("paddle.digamma", {"x": {"result": 0}}),
    ),
    {"x0": Input((2, 3))},
    (((2, 3),),),
)
NOTHING = {"x0": Input((None, 4, 0)), "x1": Input((None, 4, 0))}
NO_SHAPES = (((3, 4, 0), (3, 4, 0)), ((5, 4, 0), (5, 4, 0)))
# CL224, CL225: oneDNN and no elements.
OF_NOTHING = [
    Description((call,), NOTHING, NO_SHAPES)
    for call in (
        Call("paddle.add", {"x": X0, "y": X1}),
        Call("paddle.concat", {"x": [X0, X1]}),
        Call("paddle.stack", {"x": [X0, X1]}),
        Call("paddle.add_n", {"inputs": [X0, X1]}),
    )
]
OF_NOTHING += [
    Description((call,), {"x0": NOTHING["x0"]}, tuple(one[:1] for one in NO_SHAPES))
    for call in (
        Call("paddle.tanh", {"x": X0}),
        Call("paddle.clip", {"x": X0, "min": 0.2, "max": 0.5}),
        Call("paddle.round", {"x": X0}),
        Call("paddle.nn.functional.prelu", {"x": X0, "weight": {"weight": [1]}}),
    )
]
# CL135: along another axis than the first 3.0 dies of it.
JOINED_NOTHING = Description(
    (Call("paddle.concat", {"x": [X0, X1], "axis": 2}),), NOTHING, NO_SHAPES
)
# CL142: whole zero to a power below zero.
POWERS_OF_ZERO = [
    Description(
        (Call("paddle.pow", {"x": X0, "y": X1}),),
        {"x0": Input((None, 4), kind, -2, 2), "x1": Input((4,), kind, -2, 2)},
        (((4, 4), (4,)), ((6, 4), (4,))),
        way=way,
    )
    for kind in ("int32", "int64")
    for way in ("layer", "legacy")
]
BYTES = Input((4, 6), "uint8", 100, 250)
# CL248, CL249: oneDNN stays at the largest byte.
BYTES_ADDED = Description(
    (Call("paddle.add", {"x": X0, "y": X1}),), {"x0": BYTES, "x1": BYTES}, (((4, 6), (4, 6)),)
)
BYTES_SCALED = Description(
    (Call("paddle.scale", {"x": X0, "scale": 3.0}),), {"x0": BYTES}, (((4, 6),),)
)
IN_LOOP = (("2.6.2", "2.6.2"), ("2.6.2", "3.3.1"), ("3.3.1", "3.0.0"), ("3.3.1", "3.3.1"))
# CL149: a loop carries what is a part of a list.
LISTED = Description(
    (Call("paddle.split", {"x": X0, "num_or_sections": 2, "axis": 1}),),
    {"x0": Input((None, 2))},
    (((3, 2),), ((5, 2),)),
    dress="loop",
)
# The same of a list of one.
LISTED_ALONE = Description(
    (Call("paddle.tril", {"x": X0}), Call("paddle.chunk", {"x": {"result": 0}, "chunks": 1})),
    {"x0": Input((2, 1))},
    (((2, 1),),),
    dress="loop",
)
# CL149, CL151, CL152: a recurrent network before a loop and in it, which its state goes round.
RECURRENT_IN_LOOP = [
    Description(
        (Call(f"paddle.nn.{kind}", {"input_size": 3, "hidden_size": 4}, (X0,)),),
        {"x0": Input((2, 5, 3))},
        (((2, 5, 3),),),
        dress="loop",
    )
    for kind in ("GRU", "LSTM")
]
# CL152: a list that is made before a loop and in it.
MADE_AGAIN = [
    Description((call,), {"x0": Input((2, 3))}, (((2, 3),),), dress="loop")
    for call in (Call("paddle.concat", {"x": [X0, X0]}), Call("paddle.unbind", {"input": X0}))
]
# A size that nobody knows, and an offset, declared as no size at all.
DIAGONAL = Description(
    (
        Call("paddle.diag", {"x": X0, "offset": -1}),
        Call("paddle.sin", {"x": {"result": 0}}),
    ),
    {"x0": Input((None,))},
    (((2,),), ((4,),)),
)
# And of a transform along an axis of free length, one and none.
TRANSFORMED = Description(
    (
        Call("paddle.fft.rfft", {"x": X0}),
        Call("paddle.fft.irfft", {"x": {"result": 0}}),
        Call("paddle.mean", {"x": {"result": 1}, "axis": 0}),
    ),
    {"x0": Input((2, None))},
    (((2, 4),), ((2, 6),)),
)
# CL606, CL607: a section of the rest that is not the last one.
SECTIONS = Description(
    (Call("paddle.split", {"x": X0, "num_or_sections": [1, -1, 2], "axis": 1}),),
    {"x0": Input((None, 6))},
    (((2, 6),), ((3, 6),)),
)
# 2.6 repeats six axes at most.
AS_SEVEN = Description(
    (Call("paddle.expand_as", {"x": X0, "y": X1}),),
    {"x0": Input((1, 2, 1, 2, 1, 2)), "x1": Input((2, 1, 2, 1, 2, 1, 2))},
    (((1, 2, 1, 2, 1, 2), (2, 1, 2, 1, 2, 1, 2)),),
)


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Search]:
    """Its workers, which fork for every request, are started once for all models."""
    by_id = {entry.id: entry for entry in entries()}
    environments = {release: ensure(by_id[release]) for release in releases()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPATLOAD_MATRIX_HOME", str(tmp_path_factory.mktemp("home")))
        with Search(0, environments, 1) as search:
            yield search


@pytest.mark.parametrize(
    ("one", "saver", "loader", "refused"),
    [
        *((NUMBER, one, other, False) for one in ENDS for other in ENDS),
        *((one, "3.3.1", "2.6.2", False) for one in FROM_THE_END),
        *((one, "3.3.1", "2.6.2", False) for one in POWERS_OF_ZERO),
        *((one, *ENDS, False) for one in POWERS_OF_ZERO if one.way != "legacy"),
        *((LISTED, "2.6.2", loader, False) for loader in ("3.0.0", "3.3.1")),
        *((LISTED_ALONE, "2.6.2", loader, False) for loader in ("3.0.0", "3.3.1")),
        *((one, *ends, False) for one in RECURRENT_IN_LOOP for ends in IN_LOOP),
        *((one, *ends, False) for one in MADE_AGAIN for ends in IN_LOOP[1:]),
        *((BYTES_ADDED, "3.3.1", loader, False) for loader in ("2.6.2", "3.0.0", "3.3.1")),
        *((BYTES_SCALED, "2.6.2", loader, False) for loader in ("2.6.2", "3.0.0", "3.3.1")),
        (GAMMA, "3.0.0", "3.3.1", False),
        *((one, "3.3.1", loader, False) for one in OF_NOTHING for loader in ("3.0.0", "3.3.1")),
        (JOINED_NOTHING, "3.3.1", "3.0.0", True),
        (JOINED_NOTHING, "3.3.1", "3.3.1", False),
        (JOINED_NOTHING, "3.3.1", "2.6.2", True),
        (DIAGONAL, "3.3.1", "2.6.2", False),
        (TRANSFORMED, "3.3.1", "2.6.2", False),
        *((SECTIONS, *ends, False) for ends in (("2.6.2", "2.6.2"), *IN_LOOP)),
        (AS_SEVEN, "3.3.1", "2.6.2", True),
        (BROADCAST_ALONE, "3.3.1", "3.0.0", False),
        (BROADCAST_ALONE_LEGACY, "3.3.1", "3.0.0", False),
        (BROADCAST_ALONE_LEGACY, "3.3.1", "2.6.2", False),
        (NEXT, "3.3.1", "3.0.0", False),
        (NEXT, "3.3.1", "2.6.2", False),
        *((ALL_EQUAL, "3.3.1", loader, False) for loader in ("2.6.2", "3.0.0", "3.3.1")),
        (CLOSE_NUMBERS, "3.3.1", "2.6.2", False),
        (NORM_ALONG_NONE, "3.3.1", "2.6.2", False),
        (EXPANDED, "3.3.1", "2.6.2", False),
        (TO_NO_POINTS, "3.3.1", "3.0.0", True),
        (CLOSE_TO_NONE, "3.3.1", "3.0.0", True),
        (CLOSE_TO_NONE, "3.3.1", "2.6.2", True),
        (LOGARITHM_ROLLED, "2.6.2", "3.3.1", False),
        (REPEATED, "2.6.2", "3.3.1", False),
        (PADDED, "3.3.1", "3.3.1", False),
        (FLAGS_ADDED, "3.3.1", "2.6.2", False),
        (FLAGS_ADDED, "3.3.1", "3.0.0", False),
        (PUT_INTO_NONE, "3.3.1", "2.6.2", True),
        (SUM_OF_NONE, "3.3.1", "2.6.2", False),
        (SUM_OF_SOME, "3.3.1", "2.6.2", True),
        (LARGE_EPSILON, "3.3.1", "2.6.2", False),
        (FILLED_BYTES, "3.3.1", "2.6.2", False),
        (SET_BYTES, "3.3.1", "2.6.2", False),
        (SQUEEZED, "3.3.1", "2.6.2", False),
        (COMPLEX_FOUND, "3.3.1", "2.6.2", False),
        (MORE_ROWS, "3.3.1", "2.6.2", False),
        (SET_BACKWARDS, "2.6.2", "3.0.0", False),
        (SET_BACKWARDS, "2.6.2", "3.3.1", False),
        (TURNED_BY_NONE, "3.3.1", "3.3.1", False),
        (TURNED_BY_NONE, "3.3.1", "2.6.2", False),
        (MEAN_OF_NONE, "3.3.1", "3.0.0", True),
        (MEAN_OF_NONE, "3.3.1", "2.6.2", True),
        (FILLED, "3.3.1", "2.6.2", False),
        (NORM_OF_NUMBER, "3.3.1", "2.6.2", False),
        (FLAGS_IN_A_ROW, "3.3.1", "2.6.2", False),
        (NO_POINTS, "3.3.1", "2.6.2", False),
        (COUNTED_IN_BRANCH, "2.6.2", "3.3.1", False),
        (HIERARCHY, "2.6.2", "3.0.0", False),
        (HIERARCHY, "2.6.2", "3.3.1", False),
        (SHORT, "3.3.1", "3.0.0", False),
        (TURNED_VECTOR, "2.6.2", "2.6.2", False),
        (TURNED_VECTOR, "2.6.2", "3.3.1", False),
        (TURNED_VECTOR, "3.3.1", "3.3.1", False),
        (TURNED_VECTOR, "3.3.1", "3.0.0", False),
        (FIVE_AXES, "2.6.2", "2.6.2", False),
        (FIVE_AXES, "3.3.1", "2.6.2", False),
        (FLAGS_FIRST, "2.6.2", "2.6.2", False),
        (QUANTISED, "2.6.2", "3.0.0", False),
        (QUANTISED, "2.6.2", "3.3.1", True),
        (QUANTISED, "3.3.1", "3.3.1", False),
        (QUANTISED, "3.3.1", "3.0.0", True),
        (LOGARITHM, "2.6.2", "3.3.1", False),
        (ROUNDED, "2.6.2", "3.3.1", False),
        (FLAGS_DIVIDED, "3.3.1", "2.6.2", False),
        (WHOLE_POWER, "3.3.1", "2.6.2", False),
        (SEQUENCES, "2.6.2", "3.0.0", False),
        (SEQUENCES, "2.6.2", "3.3.1", False),
        (MEASURING, "3.3.1", "2.6.2", False),
        (LARGE_WINDOW, "3.3.1", "2.6.2", False),
        (TOLD_OF_ONE, "2.6.2", "3.0.0", False),
        (TOLD_OF_ONE, "3.3.1", "2.6.2", False),
        (STACKS, "3.3.1", "2.6.2", False),
        (RESIDUALS, "2.6.2", "3.3.1", True),
        (RESIDUALS, "3.3.1", "2.6.2", True),
        (OUT_SCALE, "2.6.2", "2.6.2", False),
        (OUT_SCALE, "2.6.2", "3.0.0", False),
        (OUT_SCALE, "2.6.2", "3.3.1", False),
        (DOTTED, "2.6.2", "3.0.0", False),
        (DOTTED, "2.6.2", "3.3.1", False),
        (SEVEN, "3.3.1", "2.6.2", True),
        (WHOLE, "3.3.1", "3.0.0", False),
        (COUNTED, "2.6.2", "2.6.2", False),
        (TRACED, "2.6.2", "3.3.1", False),
        (TRACED, "3.0.0", "3.3.1", False),
        (TRACED, "3.3.1", "3.0.0", False),
        (TRACED, "3.3.1", "2.6.2", False),
    ],
)
def test_is_right_or_refused(
    one: Description,
    saver: str,
    loader: str,
    refused: bool,
    tmp_path: Path,
    search: Search,
) -> None:
    if not {saver, loader} <= {*releases()}:
        pytest.skip("not among the releases of this run")
    assert search.saved(saver, one, tmp_path / "one")
    for api in ("jit", "predictor"):
        load = Load(saver, 0, loader, api)
        result = search.alone(loader, "compatload", search.request(load, tmp_path / "one"))
        assert is_refused(result) if refused else result.outcome == "ok", result
