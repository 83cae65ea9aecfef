//! Whether the kernel ended a process for lack of memory: its own counters say so.

use std::fs;
use std::path::PathBuf;

/// The kernel's counters of processes that it ended for lack of memory, and their earlier values.
#[derive(Clone, Debug, Default)]
pub(crate) struct OomKills(Vec<(PathBuf, u64)>);

impl OomKills {
    /// The counters as they stand: of the control group that this process is in, and of the whole
    /// machine.
    pub(crate) fn now() -> Self {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let files = counter_files(&own).into_iter();
        let read = |path: PathBuf| {
            let count = count_in(&fs::read_to_string(&path).ok()?)?;
            Some((path, count))
        };
        Self(files.filter_map(read).collect())
    }

    /// Returns the change until `now`, in words, for people whose process was killed; `None`
    /// without a change.
    pub(crate) fn hint(&self, now: &Self) -> Option<String> {
        let risen = self.0.iter().find_map(|(path, before)| {
            let after = now.0.iter().find(|(other, _)| other == path)?.1;
            (after > *before).then_some((path, *before, after))
        });
        let (path, before, after) = risen?;
        Some(format!(
            "the kernel ended a process for lack of memory meanwhile (oom_kill in {} rose from {before} to {after}): give the run \
             more memory, or lower selfplay.parallel_games, search.nodes_max or training.batch",
            path.display()
        ))
    }
}

/// Where the counters are, the nearest first. `cgroups` is `/proc/self/cgroup`: `0::/user.slice` of
/// version 2, and lines such as `4:memory:/docker/0123` of version 1.
fn counter_files(cgroups: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in cgroups.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let path = path.trim_start_matches('/');
        if controllers.is_empty() {
            files.push(PathBuf::from("/sys/fs/cgroup").join(path).join("memory.events"));
        } else if controllers.split(',').any(|name| name == "memory") {
            // In a container the group's own folder is often the root that is seen.
            let root = PathBuf::from("/sys/fs/cgroup/memory");
            files.push(root.join(path).join("memory.oom_control"));
            files.push(root.join("memory.oom_control"));
        }
    }
    files.push(PathBuf::from("/sys/fs/cgroup/memory.events"));
    files.push(PathBuf::from("/proc/vmstat"));
    files
}

/// The counter in a file of lines `name count`.
fn count_in(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_rose_is_a_hint() {
        let events = "low 0\nhigh 0\nmax 17\noom 2\noom_kill 2\noom_group_kill 0\n";
        assert_eq!(count_in(events), Some(2));
        assert_eq!(count_in("oom_kill_disable 0\nunder_oom 0\noom_kill 5\n"), Some(5));
        assert_eq!(count_in("nr_free_pages 3\n"), None);
        let at = |count| OomKills(vec![("/sys/fs/cgroup/x/memory.events".into(), count)]);
        assert_eq!(at(2).hint(&at(2)), None);
        let hint = at(2).hint(&at(3)).unwrap();
        assert!(hint.contains("lack of memory") && hint.contains("rose from 2 to 3"), "{hint}");
    }

    #[test]
    fn the_counters_of_both_versions_are_found() {
        let shown = |text: &str| -> Vec<String> {
            counter_files(text).iter().map(|path| path.display().to_string()).collect()
        };
        let second = shown("0::/user.slice/run.service\n");
        assert_eq!(second[0], "/sys/fs/cgroup/user.slice/run.service/memory.events");
        let first = shown("5:cpu,cpuacct:/a\n4:memory:/docker/01\n");
        assert_eq!(first[0], "/sys/fs/cgroup/memory/docker/01/memory.oom_control");
        assert_eq!(first.last().unwrap(), "/proc/vmstat");
    }
}
