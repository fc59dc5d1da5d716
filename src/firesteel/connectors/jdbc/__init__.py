"""The connector `jdbc`: tables of databases, by way of SQLAlchemy."""
