-- One track of a timeline. Slices, instants and counters refer to their track by its path; the name of a track without
-- a row is the last part of its path. If a track has several rows, the first is used.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track.
-- @column name: Name.
-- @column sort_order: Position among its siblings.
-- @column description: Description of the track, with annotations that are the same for all its events as lines
--   `annotation=value`.
-- @column unit: Unit of a counter.
-- @column is_counter: True if the track is a counter.
-- @column is_shown: True if the track is shown even without events.
SELECT bundle, track, name, sort_order, description, unit, is_counter, is_shown
FROM usual_tracks()
