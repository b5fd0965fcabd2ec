DROP TABLE risks;
DROP TABLE receipts;
