"""People in English texts: who is mentioned, and what the words say about them.

person_words          kinship terms, titles, roles, place names
person_names          first names and surnames of the census; replacement names
pronouns              third-person pronouns and their forms
mentions              mentions of people in a document
chains                which mentions are the same person; discourse and antecedent_rules hold what the links are based on
demographics          axes (gender, race, age), their attributes and the word lists
unambiguous_words     demographic words that need no context
ages                  ages in numbers
referents             whether a word refers to a person: not to a ship, a title of a work or a place
demographic_mentions  the demographic words of a document, and the person each one describes
"""
