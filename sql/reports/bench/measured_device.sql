-- The device of a capture, as `ireescope bench peaks` names it.
--
-- @column driver: Name of the driver.
-- @column physical_device_uuid: UUID of the physical device; NULL if the driver reports none.
-- @column cpu: Model of the processor; NULL if unknown.
SELECT DISTINCT s.name AS driver, d.physical_device_uuid, r.cpu
FROM sessions AS s
LEFT JOIN devices AS d ON d.bundle = s.bundle AND d.session_id = s.session_id
LEFT JOIN runs AS r ON r.bundle = s.bundle
ORDER BY driver, physical_device_uuid, cpu
