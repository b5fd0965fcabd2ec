-- The captures of one photo, oldest first. The hash index of migration 5 has all of them in one chain of pages, which
-- each further one has to walk: who sends the same photo over and over makes every result of it dearer.
--
-- A migration of its own: while it builds, no result is written, and nothing but that is held up. The old index goes
-- with the next one, as that has to keep readers away for a moment, too: in one transaction with this, it would wait
-- for whoever has read and waits to write.
CREATE INDEX captures_of_photo ON captures (photo_digest, received_at, id);
