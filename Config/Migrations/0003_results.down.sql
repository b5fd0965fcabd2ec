DROP TABLE captures;
