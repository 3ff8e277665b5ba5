"""Long and hard use of a real daemon, by hand or, shortly, as tests."""
