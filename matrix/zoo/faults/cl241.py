"""Loops that count in place: nn.RNN over cells."""

from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("sequence")
FIVE_STEPS = Input((None, 5, 6))

family.layer("rnn_of_gru_cells", lambda: nn.RNN(nn.GRUCell(6, 4)), FIVE_STEPS)
family.layer("reversed_rnn", lambda: nn.RNN(nn.LSTMCell(6, 4), is_reverse=True), FIVE_STEPS)
family.layer("birnn", lambda: nn.BiRNN(nn.GRUCell(6, 4), nn.SimpleRNNCell(6, 4)), FIVE_STEPS)
