DROP TABLE risks;
DROP TABLE receipts;
DROP FUNCTION risks_keep_time;
