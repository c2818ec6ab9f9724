-- One mode that a driver never records, as declared by ireescope. Drivers without rows may record any mode.
--
-- @column driver: Name of the driver and of its sessions.
-- @column mode: Name of the mode.
SELECT driver, mode
FROM declared_drivers()
