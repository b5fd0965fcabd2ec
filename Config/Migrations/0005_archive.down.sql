DROP INDEX intake_open_of_device;
DROP INDEX intake_open_newest;
DROP INDEX captures_by_photo;
DROP INDEX captures_by_reason;
DROP INDEX captures_by_device;
DROP INDEX captures_by_confidence;
