"""Which names are one entity, and what a person said of entities and relations over what was read."""
