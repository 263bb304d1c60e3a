// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes a C program that prints what the headers say, compiles and runs it.

use crate::tables;
use amdgpu_uapi::abi::Layout;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name, offset and size of the fields that C knows, views of unions included.
pub(crate) fn named_fields(layout: &Layout) -> Vec<(&'static str, usize, usize)> {
    let mut fields = Vec::new();
    for field in layout.fields {
        if !field.c_name.is_empty() {
            fields.push((field.c_name, field.offset, field.size));
        }
        fields.extend(
            field
                .variants
                .iter()
                .map(|v| (v.c_name, field.offset + v.offset, v.size)),
        );
    }
    fields
}

/// Numbers: `sizeof T`, `alignof T`, `offsetof T f`, `sizeof T f`, `value NAME`.
pub(crate) fn run(linux: &Path) -> BTreeMap<String, u64> {
    let mut c = String::new();
    for layout in tables::structs() {
        let ty = layout.c_name;
        line(&mut c, &format!("sizeof {ty}"), &format!("sizeof({ty})"));
        line(&mut c, &format!("alignof {ty}"), &format!("_Alignof({ty})"));
        for (field, ..) in named_fields(&layout) {
            line(
                &mut c,
                &format!("offsetof {ty} {field}"),
                &format!("offsetof({ty}, {field})"),
            );
            line(
                &mut c,
                &format!("sizeof {ty} {field}"),
                &format!("sizeof((({ty} *)0)->{field})"),
            );
        }
    }
    let names = tables::constants()
        .into_iter()
        .map(|c| c.c_name)
        .chain(tables::requests().into_iter().map(|r| r.c_name));
    for name in names {
        line(&mut c, &format!("value {name}"), name);
    }
    let output = compile_and_run(linux, &c);
    output
        .lines()
        .map(|l| l.rsplit_once(' ').unwrap())
        .map(|(k, v)| (k.into(), v.parse().unwrap()))
        .collect()
}

/// Texts of the events in [`tables::event_lines`], by the name of their macro.
pub(crate) fn lines(linux: &Path) -> BTreeMap<String, String> {
    let mut c = String::new();
    for event in tables::event_lines() {
        writeln!(
            c,
            "fputs(\"{} \", stdout); printf({}({}));",
            event.c_name, event.c_name, event.c_args
        )
        .unwrap();
    }
    let output = compile_and_run(linux, &c);
    output
        .lines()
        .map(|l| l.split_once(' ').unwrap())
        .map(|(k, v)| (k.into(), format!("{v}\n")))
        .collect()
}

fn line(c: &mut String, what: &str, expression: &str) {
    writeln!(
        c,
        "printf(\"{what} %llu\\n\", (unsigned long long)({expression}));"
    )
    .unwrap();
}

fn compile_and_run(linux: &Path, body: &str) -> String {
    let dir = Dir::new();
    let uapi = linux.join("include/uapi");
    // Only these come from the kernel source: its other headers are not meant for programs before they are installed.
    for (folder, file) in [
        ("linux", "kfd_ioctl.h"),
        ("linux", "kfd_sysfs.h"),
        ("drm", "drm.h"),
        ("drm", "drm_mode.h"),
        ("drm", "amdgpu_drm.h"),
    ] {
        std::fs::create_dir_all(dir.0.join(folder)).unwrap();
        symlink(uapi.join(folder).join(file), dir.0.join(folder).join(file)).unwrap();
    }
    let private =
        crate::headers::read(&linux.join("drivers/gpu/drm/amd/amdkfd/kfd_priv.h")).replace("\\\n", " ");
    let private: Vec<_> = private
        .lines()
        .filter(|l| l.starts_with("#define KFD_MMAP_") || l.starts_with("#define KFD_GPU_ID_HASH_WIDTH"))
        .collect();
    let program = format!(
        "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <linux/types.h>\n\
         #define __user\n#include <drm/drm.h>\n#include <drm/amdgpu_drm.h>\n\
         #include <linux/kfd_ioctl.h>\n#include <linux/kfd_sysfs.h>\n{}\n\
         int main(void)\n{{\n{body}return 0;\n}}\n",
        private.join("\n")
    );
    let source = dir.0.join("probe.c");
    let binary = dir.0.join("probe");
    std::fs::write(&source, program).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "gcc".into());
    let built = Command::new(&compiler)
        .arg("-w")
        .arg("-I")
        .arg(&dir.0)
        .arg("-o")
        .arg(&binary)
        .arg(&source)
        .output();
    let built = built.unwrap_or_else(|e| panic!("{compiler}: {e}"));
    assert!(
        built.status.success(),
        "{compiler} refuses:\n{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let ran = Command::new(&binary).output().unwrap();
    assert!(ran.status.success());
    String::from_utf8(ran.stdout).unwrap()
}

/// A folder that goes away.
struct Dir(PathBuf);

impl Dir {
    fn new() -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "uapi-layout-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
