"""Languages: which one a text is in, and small word tables of some of them."""
