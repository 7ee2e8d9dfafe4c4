"""People in English texts: who is mentioned, and what the words say about them.

words                 axes (gender, race, age), their attributes and the word lists; kin, titles, roles; widely known people
person_names          first names and surnames of the census; replacement names
pronouns              third-person pronouns and their forms
mentions              mentions of people in a document
chains                which mentions are the same person; discourse holds what the links are based on
unambiguous_words     demographic words that need no context
ages                  ages in numbers
referents             whether a word refers to a person: not to a ship, a title of a work or a place
demographic_mentions  the demographic words of a document, and the person each one describes
doubts                reasons not to change a person
change                one person's gender, race or age is rewritten
"""
