-- The header of the bundle file.
--
-- @column bundle: Label of the file.
-- @column magic: Magic number of the format.
-- @column version_major: Major version of the format.
-- @column version_minor: Minor version.
-- @column header_length [bytes]: Size of the header.
-- @column flags: Always 0.
SELECT bundle, 'IRPF' AS magic, version_major, version_minor, header_bytes AS header_length, 0 AS flags
FROM bundles
ORDER BY bundle
