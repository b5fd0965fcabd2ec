DROP INDEX devices_of_key;
