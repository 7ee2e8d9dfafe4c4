"""Everything that knows English, once.

document, pipeline        analysed texts and the pipeline that makes them
inflection, articles      forms of words, "a" and "an"
verb_agreement            pronouns exchanged, with their verbs
words                     the word lists of all modules (listed_words.toml), negations, words that judge
denials, contradict       how a clause denies something; statements that contradict a statement
parts                     parts that can be left out; numbers and names
opposites                 words with the opposite meaning
wordnet                   senses, frequencies and related words
replacements              words that may replace a word in its sentence
people/                   mentions, chains, pronouns, names, demographic words
rules/, triples/          rewriting rules; texts as triples
"""
