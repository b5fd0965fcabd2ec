DROP TABLE audit;
DROP FUNCTION refuse_change;
