"""Window aggregates that process rows one by one."""
