-- Every registration of a key, for whoever notes that it was in other hands: by index, however many devices there are.
-- While it builds, which takes a second for some million devices, no device is registered or revoked.
CREATE INDEX devices_of_key ON devices (key_id);
