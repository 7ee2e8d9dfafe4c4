"""Concepts: topics, tones and genres of texts that no single word carries, found without a language model.

    texts  ->  sentence vectors (`vectors`)  ->  directions: clusters (`kmeans`), fields of words (`fields`)
           ->  `Concepts` (`concepts`): a text has concept i if direction i times its centred vector is at least bound i
           ->  `ConceptDetector` (`detector`): counted in rows that the concepts were not made from
           ->  the test that a concept predicts the label beyond the words found (`beyond`), names (`names`)

`jobs.audit.concept_level` makes one detector for each column. Attributes that pages and other measures use:

    detector.concepts          Concepts: mean (width,), directions (k, width), bounds (k,), encoder, column, sources ("clusters of 32", "words of 100")
    detector.places            places in the reading of the sampled rows, ascending (n,)
    detector.units             centred unit vectors of the sampled rows, in that order (n, width)
    detector.members           which sampled row has which concept: csr_matrix (n, k)
    detector.is_tested         which sampled rows the concepts were not made from (n,)
    detector.describe(key)     the pattern with its name; key is the number of a concept, also `Chosen.key` of a finding
    detector.typical_rows(key) numbers of the rows with the concept, the most typical first

A pattern of the level "concept" names its concept as `place` ("FINGERPRINT:NUMBER"). `where` takes the concepts as an argument:
`jobs.audit.concept_level.load_concepts(run folder)` reads those of a run (concepts-text.safetensors).
"""
