"""CL11x: operators of a program that Paddle reads otherwise, or not at all, or wrote wrongly.

Which operators are concerned is decided where they are rewritten
(``compatload.programs``), so these rules have no condition of their own.
"""

from __future__ import annotations

from compatload.rules.model import Action, Evidence, Rule


def _repair(identity: str, title: str, explanation: str, without: str, *evidence: Evidence) -> Rule:
    return Rule(
        id=identity,
        title=title,
        when=(),
        action=Action.REPAIR,
        explanation=explanation,
        without=without,
        evidence=evidence,
    )


PROGRAM_RULES = (
    _repair(
        "CL110",
        "outputs that a program lacks and 3.x looks for",
        "Clean-up tools and 2.x itself drop outputs that inference does not need (XShape, the "
        "Mask of dropout …). 3.x looks them up when it appends a backward program. They are "
        "declared again; nobody reads them.",
        "crash",
        Evidence("measured", "flatten, reshape2, transpose2, squeeze2 without XShape, all 3.x"),
        Evidence("measured", "dropout without Mask, trained on 3.3.1: SIGSEGV"),
    ),
    _repair(
        "CL111",
        "first-version operators",
        "The translation to PIR has no nearest_interp, reshape, squeeze, lookup_table and the "
        "like. They become their second version, with the first one's results.",
        "error",
        Evidence("measured", "1.x and 2.0 detectors, all 3.x: `should have corresponding OpInfo`"),
    ),
    _repair(
        "CL112",
        "attributes that 2.x did not have",
        "3.x requires attributes that older operators lack (`decimals` of round, for one), or "
        "wants them in another type. They get the value that keeps the older behaviour.",
        "error",
        Evidence("measured", "round saved by 2.6.2, all 3.x: `isa<pir::Int32Attribute>`"),
    ),
    _repair(
        "CL113",
        "slices with a negative step",
        "2.x and 3.x read the bounds of such a slice differently: x[::-1] comes out empty, "
        "without an error. The bounds are rewritten for 3.x.",
        "wrong",
        Evidence("measured", "2.6.2 → 3.0.0 and 3.3.1, layer and predictor"),
    ),
    _repair(
        "CL114",
        "variables declared with another type than they have",
        "2.x recorded some types wrongly and looked at the tensor when it ran; 3.x believes the "
        "declaration. A cast or a corrected declaration makes both agree.",
        "error",
        Evidence("measured", "declared and actual types of 460 models under 2.6.2"),
    ),
    _repair(
        "CL115",
        "attributes and inputs that the translation to PIR ignores",
        "Some attributes and optional inputs are dropped by the translation, and the numbers "
        "change without an error. Operators that say the same are put in.",
        "wrong",
        Evidence("measured", "every attribute of the 2.6.2 registry changed in turn, all 3.x"),
    ),
    _repair(
        "CL116",
        "operators that 3.x no longer has",
        "They are composed of operators that it has.",
        "error",
        Evidence("measured", "pad2d and others, all 3.x: `should have corresponding OpInfo`"),
    ),
    _repair(
        "CL117",
        "kernels that the translation to PIR picks by mistake",
        "Some quantised operators are translated to another kernel than the program means. "
        "Operators that say the same are put in.",
        "wrong",
        Evidence("measured", "dequantize_linear saved by 2.6.2, all 3.x"),
    ),
    _repair(
        "CL118",
        "an addition that paddle.jit.save left out, PIR program",
        "From 3.0 on paddle.jit.save takes an output that is an input plus a constant (`x + 0.5`) "
        "for a renaming: the file returns the input, and holds a sum that nobody reads. Nothing "
        "else that nobody reads is in such files. The output becomes the sum again; where two "
        "outputs might be meant the model is refused.",
        "wrong",
        Evidence("measured", "return x + 0.5, saved and loaded by 3.0.0, 3.1.1, 3.2.2 and 3.3.1"),
        Evidence("measured", "none of 1,152 other files of the zoo holds such a sum"),
    ),
    _repair(
        "CL119",
        "a value of detach() that is overwritten",
        "detach() gives a value the memory of another, and 3.x lets an operator on either compute "
        "in place: of `d = y.detach(); return relu(y), d` both outputs are relu(y), in "
        "paddle.jit.load as in programs and predictors, of PIR programs and of legacy ones that "
        "are translated. Legacy programs themselves go wrong with loops. The value gets memory of "
        "its own where somebody else reads what it was taken from.",
        "wrong",
        Evidence("measured", "relu, exp, cos, softmax … beside detach(), 3.0.0 to 3.3.1"),
        Evidence("measured", "saved by 2.6.2: layers and programs of 3.3.1"),
        Evidence("measured", "legacy programs with a loop: wrong or an error, 2.6.2 and 3.3.1"),
    ),
)
