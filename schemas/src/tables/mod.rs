//! The table declarations, one file per table. A new table needs a file and a line here.

use crate::spec::Table;

macro_rules! tables {
    ($($name:ident,)*) => {
        $(mod $name;)*

        /// Every table, in the order of the reference page.
        pub static ALL: &[&Table] = &[$(&$name::TABLE,)*];
    };
}

tables! {
    bundles,
    problems,
    runs,
    dispatch_runs,
    tune_runs,
    tune_dispatches,
    tune_candidates,
    tune_trials,
    history_runs,
    history_functions,
    history_samples,
    history_accepted,
    sessions,
    records,
    devices,
    queues,
    executables,
    executable_code_objects,
    executable_code_object_loads,
    executable_functions,
    command_buffers,
    command_operations,
    clock_correlations,
    dispatch_events,
    queue_events,
    queue_device_events,
    host_execution_events,
    command_region_events,
    memory_events,
    event_relationships,
    counter_sets,
    counters,
    counter_samples,
    counter_values,
    device_metric_sources,
    device_metric_descriptors,
    device_metric_samples,
    device_metric_values,
    executable_traces,
    att_traces,
    att_instructions,
    att_waves,
    att_wave_states,
    att_occupancy,
    att_info,
    att_clocks,
    att_executions,
}
