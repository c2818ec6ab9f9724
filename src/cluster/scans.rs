//! How the scan of a dataset is divided among the tasks of a stage.
//!
//! Invariant: each row group is read by one partition of one task. Other leaves are not divided, and their stages have one task.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_distributed::{
    DesiredTaskCountEvent, DesiredTaskCountEventResponse, DistributedLeafExec,
    ScaleUpLeafNodeEvent, ScaleUpLeafNodeEventResponse,
};
use engine::dataset::{DatasetScan, Place};

/// Returns in how many tasks a scan is wanted: one for each row group, of which there are as many as workers at most.
///
/// What reads a single partition may rely on getting all rows, so such a scan is not divided.
pub fn tasks(event: DesiredTaskCountEvent) -> Option<Result<DesiredTaskCountEventResponse>> {
    let scan = event.plan.downcast_ref::<DatasetScan>()?;
    if scan.partitions.len() < 2 {
        return Some(Ok(DesiredTaskCountEventResponse::maximum(1)));
    }
    let groups = scan.partitions.iter().map(Vec::len).sum();
    Some(Ok(DesiredTaskCountEventResponse::desired(groups)))
}

/// Divides a scan among the tasks of its stage.
pub fn divided(event: ScaleUpLeafNodeEvent) -> Option<Result<ScaleUpLeafNodeEventResponse>> {
    let scan = event.plan.downcast_ref::<DatasetScan>()?;
    let of_tasks = parts(&scan.partitions, event.task_count).into_iter().map(|partitions| {
        Arc::new(scan.clone().with_partitions(partitions)) as Arc<dyn ExecutionPlan>
    });
    let leaf = DistributedLeafExec::try_new(Arc::clone(event.plan), of_tasks);
    Some(leaf.map(|leaf| ScaleUpLeafNodeEventResponse::new(Arc::new(leaf))))
}

/// Divides row groups among tasks of as many partitions each. Neighbours stay together, as they are of one file.
fn parts(partitions: &[Vec<Place>], tasks: usize) -> Vec<Vec<Vec<Place>>> {
    let groups: Vec<Place> = partitions.iter().flatten().copied().collect();
    let of_task = partitions.len();
    let begin = |part: usize| part * groups.len() / (tasks * of_task);
    let part = |part: usize| groups.get(begin(part)..begin(part + 1)).unwrap_or_default().to_vec();
    (0..tasks).map(|task| (task * of_task..(task + 1) * of_task).map(part).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_group_is_read_once() {
        for (groups, partitions, tasks) in [(0, 2, 3), (1, 2, 2), (7, 3, 2), (16, 4, 4), (5, 8, 3)]
        {
            let mut given = vec![Vec::new(); partitions];
            for group in 0..groups {
                given[group % partitions].push((0, group));
            }
            let divided = parts(&given, tasks);
            assert!(divided.len() == tasks && divided.iter().all(|it| it.len() == partitions));
            let mut read: Vec<Place> = divided.concat().concat();
            read.sort_unstable();
            let wanted: Vec<Place> = (0..groups).map(|group| (0, group)).collect();
            assert_eq!(read, wanted);
            let sizes = divided.iter().flatten().map(Vec::len);
            let (least, most) = (sizes.clone().min().unwrap(), sizes.max().unwrap());
            assert!(most - least <= 1, "{divided:?}");
        }
    }
}
