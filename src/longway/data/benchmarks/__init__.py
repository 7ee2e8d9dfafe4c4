"""Published collections of sentences and words that measure what models make of people, read from files that the user has.

crows_pairs.py          pairs of sentences, one more stereotyping than the other       nyu-mll/crows-pairs
stereoset.py            stereotype, anti-stereotype and unrelated                      moinnadeem/StereoSet
association_tests.py    targets and attributes of WEAT and SEAT                        W4ngatang/sent-bias
holistic_bias.py        descriptors, nouns and templates, and sentences made of them   facebookresearch/ResponsibleNLP
reading.py              rows of CSV, JSON and JSON Lines; what is wrong with one is told with its place

None of them comes with Longway: their licences differ, and most are no data to train on.
"""
