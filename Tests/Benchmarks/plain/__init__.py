"""The parts of generate_events.py: who lives how, and how an event becomes a line of a file."""
