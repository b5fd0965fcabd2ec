-- What operators page through and search: newest first by the time of receipt, each filter by an index of its own, so that
-- the first page and the ten thousandth cost the same, however many results there are.

-- A list by verdict is one by confidence: rejected ones have 'none', verified ones one of the other three.
CREATE INDEX captures_by_confidence ON captures (confidence, received_at DESC, id DESC);
CREATE INDEX captures_by_device ON captures (device_id, confidence, received_at DESC, id DESC);
CREATE INDEX captures_by_reason ON captures (reason, received_at DESC, id DESC) WHERE reason IS NOT NULL;
-- Four bytes a row whatever the digest: searched for as a whole only.
CREATE INDEX captures_by_photo ON captures USING hash (photo_digest);

-- Those without a result are few, and so are these entries.
CREATE INDEX intake_open_newest ON intake (received_at DESC, capture_id DESC) WHERE closed_at IS NULL;
CREATE INDEX intake_open_of_device ON intake (device_id, received_at DESC, capture_id DESC) WHERE closed_at IS NULL;
