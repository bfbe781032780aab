"""What ``paddle.jit.save`` says when a model cannot be saved, and what that means.

A text that a limitation of dynamic-to-static explains points to its CL4xx rule; the CL45x rules
are failures of saving itself.
"""

from __future__ import annotations

from compatload.faults.model import Evidence, Rule
from compatload.frozen import frozen


@frozen
class Saying:
    """A regular expression over an error's text, and the rules it may stand for, in order."""

    pattern: str
    rules: tuple[str, ...]


EXPORT_RULES = (
    Rule(
        id="CL451",
        title="legacy export through the symbolic tracer",
        explanation="With PIR switched off, 3.x converts a full graph only.",
        advice="Convert with paddle.jit.to_static(…, full_graph=True); safe_save always does.",
        evidence=(Evidence("measured", "3.3.1 with FLAGS_enable_pir_api=0, to_static by default"),),
    ),
    Rule(
        id="CL452",
        title="an input that no output depends on",
        explanation="From 3.0 on every input of a saved program must lead to an output.",
        advice="Leave the input out of input_spec, or make an output depend on it.",
        evidence=(Evidence("measured", "3.0.0 … 3.3.1: feed_var … is not involved"),),
    ),
    Rule(
        id="CL453",
        title="the saved model gives other numbers than the layer",
        explanation="Conversion or saving changed what the model computes, without an error.",
        advice="Compare the layer's forward with `compatload check`, and report the model's code.",
        evidence=(Evidence("measured", "rows 21 and 22 of docs/limitations.md"),),
    ),
    Rule(
        id="CL454",
        title="saving or running it kills the process",
        explanation="Paddle's own code crashes while it converts, saves or runs this model: mostly "
        "of lists that loops fill and take from, or of a Tensor that a branch gives to the layer.",
        advice="Change the line that is named, if one is; concat Tensors in place of lists, and "
        "compute what is kept before it is saved.",
        evidence=(Evidence("measured", "rows 8 and 10 of docs/limitations.md"),),
    ),
    Rule(
        id="CL455",
        title="a Tensor is asked for its truth",
        explanation="While a program is made, no Tensor and no free dimension has a value. An if "
        "on one becomes part of the program; a comparison of lists that hold one "
        "(x.shape != [2, n]), in, max, any and code that is not converted ask for it at once.",
        advice="Compare one by one (x.shape[0] != 2), or leave the line out of the export.",
        evidence=(Evidence("measured", "row 26 of docs/limitations.md, shape"),),
    ),
    Rule(
        id="CL456",
        title="a layer that keeps what it computed",
        explanation="A Tensor that forward assigns (self.weights = softmax(x)) becomes a buffer "
        "when the layer is run. Saved after that, 3.x goes on reading the buffer and loses what "
        "is computed: other numbers, without an error, or an input that leads nowhere; 2.6 stores "
        "a parameter that later releases refuse (CL157).",
        advice="Save with safe_save, which leaves such Tensors out, or before the layer is run.",
        evidence=(
            Evidence("measured", "x * softmax(linear(x)), kept: off by 0.05 on 3.0.0 and 3.3.1"),
            Evidence("measured", "BERT4Rec of PaddleRec on 3.3.1: feed_var … is not involved"),
        ),
    ),
    Rule(
        id="CL457",
        title="a size that is not known, counted with as -1",
        explanation="Paddle counts with -1, its sign for a size that is unknown. rfft of an axis "
        "of any length is said to have one place, and cumsum of all of two free axes as well; a "
        "cut behind it ([:, :6]) is then one of everything, and left out. Functions that are "
        "written in Python read sizes themselves: fft(x, n=8) is of 9 places more, trapezoid, "
        "diff and tensor_split lose places, cov divides by -1, istft and block_diag fail. So "
        "other numbers are saved, or nothing.",
        advice="Save with safe_save, which has the program count with its sizes, or give the "
        "axis a length.",
        evidence=(
            Evidence(
                "measured", "rfft(x)[:, :6] of 32 places of an axis of -1: 17, 3.1.1 to 3.3.1"
            ),
            Evidence("measured", "TFNO with a free length, 3.3.1: an error at run time"),
            Evidence("measured", "fft(x, n), trapezoid of an axis of -1: 2.6.2 and 3.0.0 to 3.3.1"),
            Evidence("measured", "diff, cov, corrcoef of axes of -1: other numbers, 2.6.2"),
            Evidence("measured", "tensor_split, cov, take, signbit of axes of -1: 3.3.1"),
        ),
    ),
    Rule(
        id="CL458",
        title="a function that is there for Tensors only",
        explanation="view, view_as, as_strided, unfold, fill_, fill_diagonal_, zero_ and, on 3.x, "
        "set_value of a Tensor have no counterpart while a program is made: Paddle stops with an "
        "AssertionError or an AttributeError. triu and tril want a diagonal that is a number, and "
        "stft asks a window for its length.",
        advice="Save with safe_save, which writes them as what a program has, or write reshape, "
        "gather and full_like yourself.",
        evidence=(Evidence("measured", "x.view([-1, 1, 3]), x.unfold(0, 2, 1): 2.6.2 to 3.3.1"),),
    ),
    Rule(
        id="CL459",
        title="a result of another type than Paddle declares",
        explanation="all, any and equal_all of numbers are bool, and matrix_rank is int64; while "
        "a program of 3.x is made, they are said to be of their input's type. A cast to that type "
        "is left out as needless, and what computes with the result fails when it is run.",
        advice="Save with safe_save, which declares them as they are, or give all and any bools.",
        evidence=(
            Evidence("measured", "all(x).astype('float32') * 2, matrix_rank(x, tol) * 1: 3.3.1"),
        ),
    ),
    Rule(
        id="CL460",
        title="a size decides what the program is",
        explanation="A free dimension has no size while a program is made. Where the code of a "
        "model looks a size up in a dict, or compares what it computes from one, Paddle decides "
        "once, for all sizes; safe_save compares further sizes (1, odd ones, higher than wide), "
        "and says for which of them the saved model is another.",
        advice="Give that dimension its size in input_spec, save a model for each, or decide with "
        "paddle.where on paddle.shape(x).",
        evidence=(
            Evidence("measured", "{1: 3.0}.get(x.shape[1], 1.0): the default always, 2.6.2, 3.3.1"),
        ),
    ),
    Rule(
        id="CL461",
        title="a name assigned in the condition of a loop",
        explanation="Paddle makes a function of the condition, whose names are its own: what "
        "while (m := x.mean()) > 0 assigns is not known in the loop, and a program that was made "
        "so does not end.",
        advice="Assign it within the loop: while True, and a break.",
        evidence=(Evidence("measured", "while (m := y.mean()) > 0.1: y = y * 0.5: 2.6.2, 3.3.1"),),
    ),
    Rule(
        id="CL462",
        title="a Tensor that is kept outside of the layer",
        explanation="What the program reads is looked for among the layer's parameters and "
        "buffers. A Tensor in an object that is no layer (an anchor generator), in a list, a dict "
        "or a module is not there: KeyError: 'generated_tensor_12'.",
        advice="Save with safe_save, which saves it as a buffer, or call register_buffer.",
        evidence=(Evidence("measured", "in an object, a list, a dict, a module: 2.6.2 to 3.3.1"),),
    ),
    Rule(
        id="CL463",
        title="fewer specifications than forward has inputs",
        explanation="Each parameter of forward without a default is an input of the program, in "
        "their order: forward() requires `y` arguments, but not found in input.",
        advice="Give input_spec an InputSpec, or a value of Python, for each of them.",
        evidence=(Evidence("measured", "2.6.2, 3.0.0, 3.3.1: one for forward(self, x, y)"),),
    ),
)

SAYINGS = (
    Saying(r"Can't call \w+ when full_graph=False", ("CL420",)),
    Saying(r"'shape' in reshape must not be negative", ("CL419",)),
    Saying(r"\[DictVariable\]: received .* as key", ("CL418",)),
    Saying(r"SOT is only supported when running in PIR mode", ("CL451",)),
    Saying(r"while pred change from bool to", ("CL403",)),
    Saying(r"[Rr]ank inconsistency", ("CL401", "CL402")),
    Saying(r"does not match the type of data .* contained in the container", ("CL401",)),
    Saying(r"initialized_list` should be Variable", ("CL406",)),
    Saying(r"return the same arity .* as loop_vars", ("CL407", "CL409")),
    Saying(r"called numpy API|unexpected keyword argument '(out|dtype)'", ("CL412",)),
    Saying(r"zero-dimensional arrays|array of dimension 0|array is 0-dimensional", ("CL412",)),
    Saying(r"setting an array element with a sequence", ("CL412",)),
    Saying(r"no callable \w+ method|attribute 'tolist'|bad operand type for abs", ("CL412",)),
    Saying(r"set_state_dict' dynami", ("CL413",)),
    Saying(r"__class__ cell not found", ("CL415",)),
    Saying(r"iteration over a Tensor of a program", ("CL433",)),
    Saying(r"is a viewed Tensor in dygraph|has no attribute '(fill|zero)_'", ("CL438",)),
    Saying(r"We only support '\w+\(\)' in dynamic graph mode", ("CL458",)),
    Saying(
        r"bool\(Tensor\) is not supported in static graph mode",
        ("CL424", "CL426", "CL429", "CL412", "CL440", "CL455"),
    ),
    Saying(r"doesn't define __round__ method|for divmod\(\)", ("CL440",)),
    Saying(r"missing \d+ required keyword-only argument", ("CL423",)),
    Saying(r"'register_hook' only can be called", ("CL417",)),
    Saying(r"'(tolist|numpy)' only can be called", ("CL412",)),
    Saying(r"is not involved in the target_vars", ("CL404", "CL407", "CL410", "CL431", "CL452")),
    Saying(r"not in this block", ("CL410",)),
    Saying(r"doesn't exist in pruned inference program", ("CL412", "CL431", "CL452")),
    Saying(r"Your if/else have different return type", ("CL427", "CL401")),
    Saying(r"different number of return value|dtype in output\[\d+\] of true_block", ("CL401",)),
    Saying(r"'UndefinedVar'", ("CL425", "CL427")),
    Saying(r"Not support zip\(tensor", ("CL437",)),
    Saying(r"must be real number, not Variable|float\(Tensor\) is not supported", ("CL429",)),
    Saying(r"requires 0 arguments: \[\], but received", ("CL430",)),
    Saying(r"should be of type Parameter or None, but got", ("CL434",)),
    Saying(r"not allowed to be set to Variable when", ("CL456",)),
    Saying(r"KeyError: 'generated_(tensor|var)", ("CL462",)),
    Saying(r"requires `\w+` arguments, but not found in input", ("CL441", "CL463")),
)
