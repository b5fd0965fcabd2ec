DROP TRIGGER audit_id_given ON audit;
DROP TRIGGER attestations_id_given ON attestations;
DROP FUNCTION refuse_chosen_id;
