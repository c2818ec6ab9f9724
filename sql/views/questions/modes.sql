-- One mode that a tool records where `--device_profiling_mode` names it, as declared; bundles have no part in it.
--
-- @column mode: The mode.
-- @column table: The table that holds what it measures.
-- @column perturbs: True if the mode perturbs the times that other modes record in the same run.
-- @column flags: Flags that it needs besides; empty where it needs none.
SELECT mode, "table", perturbs, flags
FROM declared_modes()
