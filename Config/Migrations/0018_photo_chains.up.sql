-- Each photo's captures are found by captures_of_photo now.
DROP INDEX captures_by_photo;
