"""The graph of a job as the JSON API and the web page show it."""
