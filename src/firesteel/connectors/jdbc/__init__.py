"""The connector `jdbc`: tables of databases, accessed through SQLAlchemy."""
