-- capture_intake_v1 waits only for a moment for a row that another transaction is changing.
--
-- A group of uploads waits as a whole. A claim of a gateway that stands still, or an operator in an open transaction, may
-- keep the earlier row of one bundle for long, and all uploads of its group would fail with it. After a short wait the
-- gateway divides the group, so that only the uploads of this bundle are refused.
ALTER FUNCTION capture_intake_v1 SET lock_timeout = '250ms';
