// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the places of registers in queue descriptors, as the driver has them, with the kernel's v9_structs.h, and the
//! starts of the register spaces that packets count from with soc15d.h.

use registers::{checkout, linux, without_comments};

const AMD: &str = "drivers/gpu/drm/amd";

fn read(path: std::path::PathBuf) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The dwords of a C struct, by their names in capitals; of the structs in a union those of the first.
fn dwords(text: &str, name: &str) -> Vec<String> {
    let (_, body) = text.split_once(&format!("struct {name} {{")).expect("the struct");
    let (body, _) = body.split_once("\n};").expect("its end");
    let mut names = Vec::new();
    let (mut structs, mut inside) = (0, false);
    for line in body.lines().map(str::trim) {
        match line {
            "struct {" => (structs, inside) = (structs + 1, true),
            "};" if inside => inside = false,
            // the end of a union
            "};" => structs = 0,
            _ if structs > 1 => {}
            _ => {
                let member = line.strip_prefix("uint32_t ").map(|m| m.trim_end_matches(';'));
                names.extend(member.map(str::to_ascii_uppercase));
            }
        }
    }
    names
}

/// `DWORD NAME` in the `fields!` of a module.
fn fields(text: &str, module: &str) -> Vec<(usize, String)> {
    let (_, body) = text.split_once(&format!("mod {module} {{")).expect("the module");
    let (_, body) = body.split_once("fields! {").expect("its fields");
    let (body, _) = body.split_once('}').expect("their end");
    let words: Vec<_> = body.split_whitespace().collect();
    assert_eq!(words.len() % 2, 0, "{words:?}");
    words
        .chunks(2)
        .map(|w| (w[0].parse().expect("a number"), w[1].to_owned()))
        .collect()
}

#[test]
fn descriptors_match() {
    let structs = read(linux().join(AMD).join("include/v9_structs.h"));
    let ours = without_comments(&read(checkout().join("drivers/logic/src/mqd/field.rs")));
    let mut compared = 0;
    for (module, name, prefixes) in [
        ("cp", "v9_mqd", &[""][..]),
        ("sdma", "v9_sdma_mqd", &["SDMAX_RLCX_", "SDMA_"]),
    ] {
        let dwords = dwords(&structs, name);
        assert_eq!(dwords.len(), if module == "cp" { 512 } else { 128 }, "{name}");
        for (dword, field) in fields(&ours, module) {
            let there = dwords.get(dword).map_or("nothing", String::as_str);
            let right = prefixes.iter().any(|prefix| there == format!("{prefix}{field}"));
            assert!(right, "{field} is dword {dword}, where {name} has {there}");
            compared += 1;
        }
    }
    let words: Vec<_> = ours.split_whitespace().collect();
    let declares =
        |w: &[&str]| w[0].parse::<usize>().is_ok() && w[1].starts_with(|c: char| c.is_ascii_uppercase());
    let declared = words.windows(2).filter(|w| declares(w)).count();
    assert_eq!(compared, declared, "all of the file");
}

#[test]
fn register_spaces_match() {
    let header = read(linux().join(AMD).join("amdgpu/soc15d.h"));
    for (file, constant, name) in [
        ("drivers/logic/src/pm4/register.rs", "START", "UCONFIG_REG_START"),
        ("drivers/logic/src/pm4/register.rs", "END", "UCONFIG_REG_END"),
        (
            "tests/vgpu/src/model/cp/pm4/set_reg.rs",
            "CONFIG",
            "CONFIG_REG_START",
        ),
        ("tests/vgpu/src/model/cp/pm4/set_reg.rs", "SH", "SH_REG_START"),
        (
            "tests/vgpu/src/model/cp/pm4/set_reg.rs",
            "UCONFIG",
            "UCONFIG_REG_START",
        ),
    ] {
        let number = |text: &str, before: &str| {
            let (_, after) = text.split_once(before)?;
            let digits = after.trim_start().strip_prefix("0x")?;
            let end = digits.find(|c: char| !c.is_ascii_hexdigit())?;
            u32::from_str_radix(digits.get(..end)?, 16).ok()
        };
        let ours = number(&read(checkout().join(file)), &format!("const {constant}: u32 ="));
        let theirs = number(&header, &format!("PACKET3_SET_{name}\t"));
        assert!(
            ours.is_some() && ours == theirs,
            "{file}: {constant} is {ours:x?}, PACKET3_SET_{name} {theirs:x?}"
        );
    }
}
