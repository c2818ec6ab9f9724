-- One function in the capture of a dispatch of `ireescope bench`: the results of the benchmark next to the times in the
-- profile. The profile includes the warm-up, `run_median_ns` does not.
--
-- @column dispatch: Name of the dispatch: an operation with a configuration.
-- @column bundle: Label of the file.
-- @column operation: Name of the operation: what is computed.
-- @column configuration: How it is compiled.
-- @column target: Back end and target of the compiler.
-- @column device: The tools' `--device`.
-- @column verification: Result of the verification: `SUCCESS`, `FAILED` or `Not verified`.
-- @column run_median_ns [ns]: Median time of one run of the dispatch.
-- @column gflops: Billions of operations per second.
-- @column gbps: Billions of bytes per second.
-- @column timing_source: `device` or `host`.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column dispatch_count: Number of dispatches in the profile, including the warm-up.
-- @column total_ns [ns]: Total.
-- @column median_ns [ns]: Median duration in the profile.
-- @column min_ns [ns]: Minimum duration in the profile.
-- @column max_ns [ns]: Maximum.
SELECT
    r.dispatch, r.bundle, r.operation, r.configuration, r.target, r.device, r.verification,
    r.median_ns AS run_median_ns, r.gflops, r.gbps,
    d.timing_source, d.key, count(*) AS dispatch_count, sum(d.duration_ns) AS total_ns,
    quantiles(d.duration_ns, 0.5)[1] AS median_ns, min(d.duration_ns) AS min_ns, max(d.duration_ns) AS max_ns
FROM dispatch_runs AS r
JOIN dispatches AS d ON d.bundle = r.bundle
GROUP BY
    r.bundle, r.dispatch, r.operation, r.configuration, r.target, r.device, r.verification,
    r.median_ns, r.gflops, r.gbps, d.timing_source, d.key
