"""Everything that knows English, once.

document, pipeline        analysed texts and the pipeline that makes them
inflection, articles      forms of words, "a" and "an"
verb_agreement            pronouns exchanged, with their verbs
listed_words              the word lists of all modules (listed_words.toml)
negation_words, denials   negation words; how a clause denies something
opposites                 words with the opposite meaning
wordnet_file, wordnet     WordNet: its file; senses, frequencies and related words
replacements              words that may replace a word in its sentence
people/                   mentions, chains, pronouns, names, demographic words
rules/, triples/          rewriting rules; texts as triples
"""
