"""The parts of check_evidence.py, one subject each."""
