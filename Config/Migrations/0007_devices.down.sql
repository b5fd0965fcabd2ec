ALTER TABLE devices DROP COLUMN compromised_since, DROP COLUMN compromised_reason, DROP COLUMN compromised_by;
DROP TABLE attestations;
DROP TABLE device_checks;
