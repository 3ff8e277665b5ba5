"""Positions, whole moments of a game, and plays as text: a module a format, each an encode/decode pair."""
