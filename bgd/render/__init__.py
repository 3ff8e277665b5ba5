"""Boards drawn for people: as lines of text and as SVG."""
