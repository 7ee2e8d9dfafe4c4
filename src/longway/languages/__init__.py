"""Everything that knows languages other than English: which one a text is in, and where its words begin and end."""
