"""Commands that measure speed, memory and agreement with other systems; lab/README.md explains their output."""
