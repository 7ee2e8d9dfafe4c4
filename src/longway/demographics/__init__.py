"""Words that say who a person is: their gender, their race or ethnicity, their age.

axes.py       the axes and their attributes
words.py      the word lists (gender.tsv, race.tsv, age.tsv) with the counterpart for each other attribute
plain_words.py   those that tell it whatever stands around them
given_names.py   first names and surnames by gender and group
"""
