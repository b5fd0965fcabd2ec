CREATE INDEX captures_by_photo ON captures USING hash (photo_digest);
