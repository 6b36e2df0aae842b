"""Commands that measure speed, memory and agreement with others; README.md says how to read what they print."""
