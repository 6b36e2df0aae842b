"""Commands that measure speed, memory and agreement with other systems; README.md explains their output."""
