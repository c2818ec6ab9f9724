-- One profiling mode of `--device_profiling_mode`, as declared by ireescope, independent of bundles.
--
-- @column mode: Name of the mode.
-- @column table: Table with the measurements.
-- @column perturbs: True if the mode perturbs the times that other modes record in the same run.
-- @column flags: Additional flags that the mode requires; empty if there are none.
SELECT mode, "table", perturbs, flags
FROM declared_modes()
