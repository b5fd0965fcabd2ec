DROP FUNCTION installation_renew_v1(uuid, text);
DROP TABLE installation;
