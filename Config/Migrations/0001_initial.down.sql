-- Takes the whole record away, evidence and counters included.
DROP TABLE audit;
DROP TABLE captures;
DROP TABLE devices;
DROP TABLE counters;
DROP FUNCTION counters_refuse_decrease();
