-- One mode of which a driver is known never to record anything, as declared; drivers that are not named may record
-- anything.
--
-- @column driver: The driver, as its sessions are named.
-- @column mode: The mode.
SELECT driver, mode
FROM declared_drivers()
