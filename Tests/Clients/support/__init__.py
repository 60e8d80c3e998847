"""What the trials of the service share."""
