"""Published fairness benchmarks, read from files that the user has.

    stereotype_sets.py      CrowS-Pairs: pairs of sentences, one more stereotyping         nyu-mll/crows-pairs
                            StereoSet: stereotype, anti-stereotype and unrelated           moinnadeem/StereoSet
    association_tests.py    targets and attributes of WEAT and SEAT                        W4ngatang/sent-bias
    holistic_bias.py        descriptors, nouns and templates, and sentences made of them   facebookresearch/ResponsibleNLP
    benchmark_file.py       rows of CSV, JSON and JSON Lines; errors name the row

None of them is part of Longway: their licences differ, and most must not be used as training data.
"""
