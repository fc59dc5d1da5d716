"""Parts that formats share: messages as bytes, text and JSON."""
