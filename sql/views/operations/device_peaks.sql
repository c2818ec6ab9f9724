-- Peak rates of a device for an element type: measured by `ireescope bench peaks` on this machine, or from the data
-- sheet of a GPU. docs/operations.md says how.
--
-- @column device: Model of the device.
-- @column driver: Driver of the measurement, as sessions are named; NULL for data sheets.
-- @column physical_device_uuid: UUID of the measured device in profiles; NULL for data sheets, and if the driver reports
--   none.
-- @column cpu: Model of the processor of the machine that measured; NULL for data sheets, and if unknown.
-- @column dtype: Element type of the operands.
-- @column flops_per_s: Arithmetic operations per second.
-- @column bytes_per_s [bytes]: Bytes per second of the device's memory, reads and writes together.
-- @column launch_ns [ns]: Duration of a dispatch that does next to nothing; NULL for data sheets.
-- @column measured: Time of the measurement (RFC 3339); NULL for data sheets.
-- @column source: Dispatches that were measured and versions of the tools, or title of the data sheet.
-- @column is_given: True if the flag `--peaks` names the device.
SELECT
    device, driver, physical_device_uuid, cpu, dtype, flops_per_s, bytes_per_s, launch_ns, measured, source, is_given
FROM known_peaks()
