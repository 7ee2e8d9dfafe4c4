"""Words that say who a person is: their gender, their race or ethnicity, their age.

axes.py       the axes and their attributes
words.py      the word lists (gender.tsv, race.tsv, age.tsv) with the counterpart for each other attribute
plain_words.py   those that tell it whatever stands around them
given_names.py   first names and surnames by gender and group
ages.py       ages in numbers, and what they become

found.py      the words of a text that tell something about a person, with the help of
    meant.py      whether a listed word means a person          works.py    titles of works
    told_ages.py  whether a number is somebody's age            things.py   ships, countries, animals
    parted.py     which mentions cannot be one person
persons.py    those words, person by person
"""
