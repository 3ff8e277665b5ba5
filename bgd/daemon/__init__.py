"""The daemon: bytes, threads, clocks and signals. It knows nothing of backgammon; the service says what words mean."""
