-- What the examples of docs and tests may use.
CREATE MACRO us(ns) AS round(ns / 1e3, 1);
CREATE VIEW steady AS SELECT * FROM device_times WHERE NOT is_warmup;
