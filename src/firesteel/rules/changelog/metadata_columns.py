"""Check of metadata columns of a source of changes, which may differ between an update and its retraction."""

from __future__ import annotations

from firesteel.plan.nodes.physical import TableSourceScan
from firesteel.plan.properties.changelog_modes import source_mode
from firesteel.rules.changelog.update_risk import SOURCE_NODE, UpdateRiskError


def refuse_metadata_columns(scan: TableSourceScan, demanded: frozenset[int]) -> None:
    """Raise UpdateRiskError if the scan of a source of changes reads metadata columns in `demanded`.

    An update and its retraction come in different messages, so their metadata may differ.

    Args:
        scan: The scan.
        demanded: Positions of the columns that must have the same values in a row and in its retraction.
    """
    if source_mode(scan.table).is_insert_only:
        return
    metadata = {column.name for column in scan.table.columns if column.metadata is not None}
    found = [field.name for i, field in enumerate(scan.schema) if i in demanded and field.name in metadata]
    if found:
        raise UpdateRiskError(
            f"The metadata column(s): '{', '.join(found)}' in cdc source may cause wrong result or error on "
            "downstream operators, please consider removing these columns or use a non-cdc source that only "
            "has insert messages.",
            scan,
            SOURCE_NODE,
        )
