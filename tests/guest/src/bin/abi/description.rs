// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How the driver describes itself and the GPU: the topology, sysfs, and the render node's answers.

use amdgpu_uapi::abi::Abi;
use amdgpu_uapi::drm::info::{query, Info};
use amdgpu_uapi::drm::{amdgpu_request, core::Version, request};
use guest_tests::gpu::{Description, Gpu};
use guest_tests::queue::{Kind, Queue};
use guest_tests::record;
use guest_tests::runner::Case;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) const CASES: &[Case] = &[
    ("described: topology", topology),
    ("described: module", module),
    ("described: PCI device", device),
    ("described: sensors", sensors),
    ("described: DRM devices", drm_devices),
    ("described: a process with queues", process),
    ("described: DRM version", version),
    ("described: answers of the render node", answers),
];

/// Where the KFD describes the machine and processes.
const KFD: &str = "/sys/devices/virtual/kfd/kfd";

/// For texts that do not name the GPU.
const NO_GPU: u32 = u32::MAX;

/// Parts of the names of files whose numbers are never the same twice.
const VARYING: [&str; 8] = [
    "generation_id",
    "_used",
    // half of what the machine has, whose kernel takes more or less of it
    "gtt_total",
    "busy",
    "input",
    "average",
    "pasid",
    "nodes/0/mem_banks",
];

/// Values that vary, by the start of their line.
const VARYING_LINES: [&str; 1] = ["drm_render_minor "];

/// Names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Records the text of a file as `name`, line by line.
fn text(name: &str, path: &Path, gpu: u32) {
    let text = match fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            let code = guest_tests::errno::Errno::from(error);
            return record::line(name, &code.to_string());
        }
    };
    let varies = VARYING.iter().any(|part| name.contains(part));
    for (at, line) in text.lines().enumerate() {
        // `NAME VALUE` lines are known by name
        let (call, value) = match line.split_once(' ') {
            Some((word, rest)) if text.lines().count() > 1 && !rest.contains(' ') => {
                (format!("{name} {word}"), rest)
            }
            _ => (format!("{name}:{at}"), line),
        };
        let varies = varies || VARYING_LINES.iter().any(|start| line.starts_with(start));
        let value = match value.parse::<f64>() {
            Ok(_) if varies => "a number",
            _ if value == gpu.to_string() => "gpu",
            _ => value,
        };
        record::line(&call, value);
    }
    if text.is_empty() {
        record::line(name, "empty");
    }
}

/// Records all files below a folder as `name/...`.
fn tree(name: &str, folder: &Path, gpu: u32) {
    for entry in names(folder) {
        let path = folder.join(&entry);
        let name = format!("{name}/{}", entry.replace(&gpu.to_string(), "gpu"));
        match path.symlink_metadata() {
            Ok(data) if data.is_dir() => tree(&name, &path, gpu),
            Ok(data) if data.is_file() => text(&name, &path, gpu),
            _ => record::line(&name, "link"),
        }
    }
}

fn gpu() -> Description {
    Description::all().unwrap().remove(0)
}

fn topology() {
    let id = gpu().id;
    assert!(id != 0 && id <= 0xffff, "{id:#x}");
    // with the number of the GPU, which is the same for every driver
    tree("topology", &Path::new(KFD).join("topology"), NO_GPU);
}

fn module() {
    let module = Path::new("/sys/module/amdgpu");
    text("initstate", &module.join("initstate"), NO_GPU);
    record::line(
        "version",
        if module.join("version").exists() {
            "there"
        } else {
            "not there"
        },
    );
    tree("parameters", &module.join("parameters"), NO_GPU);
}

/// The GPU's folder among the PCI devices.
fn pci() -> PathBuf {
    let name = Gpu::open().unwrap().pci_name().unwrap();
    Path::new("/sys/bus/pci/devices").join(name)
}

/// Attributes of the PCI device that rocm-smi reads.
const READ_BY_ROCM_SMI: [&str; 31] = [
    "vendor",
    "device",
    "revision",
    "class",
    "subsystem_vendor",
    "subsystem_device",
    "unique_id",
    "serial_number",
    "numa_node",
    "product_name",
    "product_number",
    "fru_id",
    "vbios_version",
    "current_link_speed",
    "current_link_width",
    "max_link_speed",
    "max_link_width",
    "gpu_busy_percent",
    "mem_busy_percent",
    "mem_info_vram_total",
    "mem_info_vram_used",
    "mem_info_vis_vram_total",
    "mem_info_gtt_total",
    "mem_info_vram_vendor",
    "pp_dpm_sclk",
    "pp_dpm_mclk",
    "pp_dpm_fclk",
    "pp_dpm_socclk",
    "power_dpm_force_performance_level",
    "pcie_replay_count",
    "thermal_throttling_logging",
];

fn device() {
    let folder = pci();
    for name in names(&folder) {
        record::line(&format!("{name} (entry)"), "there");
    }
    for name in READ_BY_ROCM_SMI {
        text(name, &folder.join(name), NO_GPU);
    }
}

fn sensors() {
    let folder = pci().join("hwmon");
    if !folder.exists() {
        return record::line("hwmon", "not there");
    }
    for entry in names(&folder) {
        for name in names(&folder.join(&entry)) {
            let path = folder.join(&entry).join(&name);
            if path.is_file() {
                text(&format!("hwmon/{name}"), &path, NO_GPU);
            }
        }
    }
}

fn drm_devices() {
    for entry in names(&pci().join("drm")) {
        let kind = entry.trim_end_matches(|c: char| c.is_ascii_digit());
        for name in names(&pci().join("drm").join(&entry)) {
            record::line(&format!("{kind}/{name} (entry)"), "there");
        }
    }
}

fn process() {
    let gpu = Gpu::acquire().unwrap();
    let _queues = [Kind::Aql, Kind::Sdma].map(|kind| Queue::new(&gpu, kind).unwrap());
    let folder = Path::new(KFD).join("proc").join(std::process::id().to_string());
    if !folder.exists() {
        return record::line("proc", "not there");
    }
    tree("proc", &folder, gpu.id());
}

fn version() {
    let gpu = Gpu::open().unwrap();
    let mut args = Version::zeroed();
    gpu.render.call(request::VERSION, &mut args).unwrap();
    let mut name = [0u8; 64];
    args.name = name.as_mut_ptr() as u64;
    gpu.render.call(request::VERSION, &mut args).unwrap();
    let name = String::from_utf8_lossy(&name[..args.name_len.min(64) as usize]).into_owned();
    record::line("name", &name);
    assert_eq!(name, "amdgpu");
}

/// Questions whose answers are never the same twice.
const VARYING_ANSWERS: [&str; 6] = [
    "TIMESTAMP",
    "USAGE",
    "NUM_BYTES_MOVED",
    "EVICTIONS",
    "SENSOR",
    "MEMORY",
];

fn answers() {
    let gpu = Gpu::open().unwrap();
    for question in query::TABLE {
        let mut answer = [0u8; 1024];
        let mut info = Info {
            return_pointer: answer.as_mut_ptr() as u64,
            return_size: answer.len() as u32,
            query: question.value as u32,
            ..Info::zeroed()
        };
        let given = gpu.render.call(amdgpu_request::INFO, &mut info);
        let name = question.c_name.trim_start_matches("AMDGPU_INFO_");
        if given.is_ok() && !VARYING_ANSWERS.iter().any(|part| name.contains(part)) {
            for (at, word) in answer.chunks(4).enumerate() {
                let value = word
                    .iter()
                    .rev()
                    .fold(0u32, |sum, byte| sum << 8 | u32::from(*byte));
                if value != 0 {
                    record::line(&format!("{name}[{:#x}]", at * 4), &format!("{value:#x}"));
                }
            }
        }
    }
}
