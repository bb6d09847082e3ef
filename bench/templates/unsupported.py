"""What parley's Jinja does not have, by the words of its errors."""

UNSUPPORTED = ["not supported", "not meaningful", "takes one argument here"]
