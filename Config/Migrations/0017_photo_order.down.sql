DROP INDEX captures_of_photo;
