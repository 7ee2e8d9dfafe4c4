"""Language models that tell how likely a text is, token by token.

    asks.py            what is asked, what comes back, and what a model must be able to do
    gguf_weights.py    the weights and the vocabulary of a GGUF file, as numpy arrays
    llama.py           the embedded model on these weights, in numpy: needs neither torch nor llama.cpp
    transformers_lm.py causal and masked models of Hugging Face, in torch

They live in `llm`, beside the engines that write: both run language models, and only here and in `classify` is torch imported.
llama.cpp's server does not tell how likely the tokens of a prompt are, so that the embedded model's file is read here once more. Its arithmetic
is in 32 bits where llama.cpp rounds to 8; the two differ by less than a tenth of a nat a token on average.
"""
