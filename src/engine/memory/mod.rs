//! Limits the memory of queries. Operators of DataFusion and our passes reserve what they hold; operators that can do so
//! write to the spill folder what does not fit.

mod pool;
mod portion;
mod spill;

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::error::DataFusionError;
use datafusion::execution::disk_manager::DiskManagerBuilder;
use datafusion::execution::memory_pool::{MemoryLimit, MemoryPool};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use read::bundle::limits;
use sysinfo::System;

use self::pool::Limited;
use self::portion::Portion;
use self::spill::Unnamed;

/// Number of spill files that are merged at once. Each needs memory for two batches.
const MERGED_AT_ONCE: usize = 16;

/// The batches of the widest views that the memory holds, and the bytes of a row of those.
const BATCHES: usize = 512;
const ROW: usize = 256;
/// The fewest rows per batch.
const FEWEST_ROWS: usize = 1024;

/// The memory and the spill folder that the engines of a process share.
#[derive(Debug, Clone)]
pub struct Memory(Arc<RuntimeEnv>);

impl Memory {
    /// Limits the memory to `limit` bytes. What does not fit is written to files in `folder` that have no name, so that
    /// none is left behind, however the process ends.
    pub fn limited(limit: usize, folder: PathBuf) -> Result<Self, DataFusionError> {
        let disk = DiskManagerBuilder::default().with_temp_file_factory(Arc::new(Unnamed(folder)));
        let builder = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(Limited::new(limit)))
            .with_disk_manager_builder(disk)
            .with_max_spill_merge_fan_in(MERGED_AT_ONCE);
        Ok(Self(builder.build_arc()?))
    }

    /// Returns a portion of this memory of at most `limit` bytes, for one of those that share it.
    pub fn portion(&self, limit: usize) -> Result<Self, DataFusionError> {
        let pool = Portion::new(limit, self.pool());
        let builder = RuntimeEnvBuilder::from_runtime_env(&self.0);
        Ok(Self(builder.with_memory_pool(Arc::new(pool)).build_arc()?))
    }

    /// Returns the most bytes.
    pub fn limit(&self) -> usize {
        match self.0.memory_pool.memory_limit() {
            MemoryLimit::Finite(limit) => limit,
            _ => usize::MAX,
        }
    }

    /// Returns the memory pool, in which passes reserve what they hold.
    pub fn pool(&self) -> Arc<dyn MemoryPool> {
        Arc::clone(&self.0.memory_pool)
    }

    /// Returns the environment for sessions.
    pub fn runtime(&self) -> Arc<RuntimeEnv> {
        Arc::clone(&self.0)
    }

    /// Whether queries over `bytes` may not fit: rows take up to four times as much memory as in the file, as a sort
    /// holds them twice and tables repeat names.
    pub fn is_scarce(&self, bytes: u64) -> bool {
        self.scarce_batch_rows(bytes).is_some()
    }

    /// Returns the rows per batch of queries over `bytes` if they may not fit: few enough that a sort with a part of the memory
    /// holds many batches, and no fewer, as each batch of its result costs time for all that it holds.
    pub(crate) fn scarce_batch_rows(&self, bytes: u64) -> Option<usize> {
        let MemoryLimit::Finite(limit) = self.0.memory_pool.memory_limit() else { return None };
        let is_scarce = (limit as u64) < bytes.saturating_mul(4);
        is_scarce.then(|| (limit / BATCHES / ROW).clamp(FEWEST_ROWS, limits::BATCH_ROWS))
    }
}

impl Default for Memory {
    /// Without a limit.
    fn default() -> Self {
        Self(Arc::default())
    }
}

/// Returns the default limit in bytes: half of what the machine has, or the control group of the process if that is
/// less. Where the system does not tell, there is no limit.
pub fn default_limit() -> usize {
    let Ok(mut system) = System::new() else { return usize::MAX };
    system.refresh_memory();
    let group = system.cgroup_limits().map(|group| group.total_memory);
    let total = group.into_iter().filter(|bytes| *bytes > 0).fold(system.total_memory(), u64::min);
    usize::try_from(total / 2).unwrap_or(usize::MAX)
}
