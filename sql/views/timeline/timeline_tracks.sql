-- One track of a timeline. Slices, instants and counters name theirs by its path; a track that has no row here is called
-- by the end of its path. Of several rows about one track the first counts.
--
-- @column bundle: Label of the file.
-- @column track: Its path.
-- @column name: Its name.
-- @column sort_order: Its place among its siblings.
-- @column description: What it is; what is the same for all that lies on it, as lines `annotation=value`.
-- @column unit: Unit of a counter.
-- @column is_counter: True if the track is a counter.
-- @column is_shown: True if the track is shown even without events.
SELECT bundle, track, name, sort_order, description, unit, is_counter, is_shown
FROM usual_tracks()
