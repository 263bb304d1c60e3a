// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The distribution's firmware files. An image begins with a header of its own, which has `$PS1` and the image's size: it
//! says whether a parser has found the image and nothing else.

use amdgpu_logic::{
    discovery::{Discovery, DiscoveryError},
    firmware::{FirmwareError, HostLink, Image, Mec, Rlc, Sdma, Smc, Sos, Ta, TaKind},
};
use images::{damage, firmware, inside};
use proptest::prelude::*;

type Result<T> = std::result::Result<T, FirmwareError>;

/// The images of a file, by name.
type Parse = for<'a> fn(&'a [u8]) -> Result<Vec<(&'static str, Image<'a>)>>;

fn sos(bytes: &[u8], link: HostLink) -> Result<Vec<(&'static str, Image<'_>)>> {
    let sos = Sos::parse(bytes, link)?;
    let optional = [
        ("KDB", sos.key_database),
        ("SPL", sos.spl),
        ("TOC", sos.toc),
        ("RL", sos.register_list),
    ];
    let there = optional
        .into_iter()
        .filter_map(|(name, image)| Some((name, image?)));
    Ok(there
        .chain([("SYSDRV", sos.system_driver), ("SOS", sos.secure_os)])
        .collect())
}

const FILES: [(&str, Parse); 7] = [
    ("aldebaran_sos.bin", |b| sos(b, HostLink::Pcie)),
    ("aldebaran_sos.bin", |b| sos(b, HostLink::Xgmi)),
    ("aldebaran_mec.bin", |b| {
        let mec = Mec::parse(b)?;
        Ok(vec![("code", mec.code), ("jump table", mec.jump_table)])
    }),
    ("aldebaran_rlc.bin", |b| {
        let rlc = Rlc::parse(b)?;
        Ok(vec![
            ("code", rlc.code),
            ("CNTL", rlc.restore_cntl),
            ("GPM", rlc.restore_gpm),
            ("SRM", rlc.restore_srm),
        ])
    }),
    ("aldebaran_sdma.bin", |b| Ok(vec![("code", Sdma::parse(b)?.code)])),
    ("aldebaran_smc.bin", |b| Ok(vec![("code", Smc::parse(b)?.code)])),
    ("aldebaran_ta.bin", |b| {
        let ta = Ta::parse(b)?;
        let kinds = [("XGMI", TaKind::Xgmi), ("RAS", TaKind::Ras), ("RAP", TaKind::Rap)];
        Ok(kinds
            .into_iter()
            .filter_map(|(name, kind)| Some((name, ta.find(kind)?)))
            .collect())
    }),
];

#[test]
fn every_image_is_found_whole() {
    let mut found = Vec::new();
    for (file, parse) in FILES {
        let bytes = firmware(file);
        let images = parse(&bytes).unwrap_or_else(|e| panic!("{file}: {e}"));
        for (name, image) in images {
            assert_eq!(&image.bytes[0x10..0x14], b"$PS1", "{file}: {name}");
            let size = u32::from_le_bytes(image.bytes[0x6c..0x70].try_into().unwrap());
            assert_eq!(size as usize, image.bytes.len(), "{file}: {name}");
            assert_ne!(image.version | u32::from(name == "KDB"), 0, "{file}: {name}");
            found.push(name);
        }
    }
    let wanted = [
        "KDB",
        "RL",
        "SYSDRV",
        "SOS",
        "KDB",
        "RL",
        "SYSDRV",
        "SOS",
        "code",
        "jump table",
        "code",
        "CNTL",
        "GPM",
        "SRM",
        "code",
        "code",
        "XGMI",
        "RAS",
        "RAP",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn a_card_in_a_slot_has_builds_of_its_own() {
    let bytes = firmware("aldebaran_sos.bin");
    let [pcie, xgmi] = [HostLink::Pcie, HostLink::Xgmi].map(|link| Sos::parse(&bytes, link).unwrap());
    assert_ne!(pcie.secure_os.bytes, xgmi.secure_os.bytes);
    assert_ne!(pcie.system_driver.bytes, xgmi.system_driver.bytes);
    assert_eq!(pcie.key_database, xgmi.key_database);
}

#[test]
fn a_file_cut_off_or_with_something_behind_it() {
    for (file, parse) in FILES {
        let mut bytes = firmware(file);
        for len in [bytes.len() - 1, bytes.len() / 2, 0x100, 32] {
            let error = parse(&bytes[..len]).unwrap_err();
            let size = matches!(error, FirmwareError::FileSize { file, .. } if file == len);
            assert!(size, "{file}: {error}");
        }
        bytes.push(0);
        let error = parse(&bytes).unwrap_err();
        assert!(matches!(error, FirmwareError::FileSize { .. }), "{file}: {error}");
    }
}

#[test]
fn the_discovery_file() {
    let bytes = firmware("aldebaran_ip_discovery.bin");
    let discovery = Discovery::parse(&bytes).unwrap();
    let block = |id, instance| {
        let mut blocks = discovery.blocks();
        blocks.find(|b| (b.id, b.instance) == (id, instance)).unwrap()
    };
    // GC, SDMA, MMHUB, the security processor: what aldebaran_reg_init.c has for them
    assert_eq!(block(11, 0).version, (9, 4, 2));
    assert_eq!([0, 1].map(|n| block(11, 0).base(n)), [Some(0x2000), Some(0xa000)]);
    let engines = [0x1260, 0x1860, 0x1e000, 0x1e400, 0x1e800];
    for (instance, base) in (0..).zip(engines) {
        let engine = block(42, instance);
        assert_eq!(engine.version, (4, 4, 0));
        assert!((0..3).any(|n| engine.base(n) == Some(base)), "SDMA{instance}");
    }
    assert_eq!(block(34, 0).base(0), Some(0x1a000));
    assert_eq!(block(255, 0).version, (13, 0, 2));
    assert_eq!(discovery.harvested().count(), 0);
}

proptest! {
    #[test]
    fn damaged_files(which in 0..FILES.len(), damage in damage(0xc0)) {
        let (file, parse) = FILES[which];
        let bytes = damage.apply(&firmware(file));
        match parse(&bytes) {
            Ok(images) => for (name, image) in images {
                prop_assert!(inside(&bytes, image.bytes), "{file}: {name}");
                prop_assert!(!image.bytes.is_empty(), "{file}: {name}");
            },
            Err(error) => prop_assert!(error.to_string().len() < 120),
        }
    }

    #[test]
    fn a_damaged_discovery_file(damage in damage(0x2dc), sealed: bool) {
        let mut bytes = damage.apply(&firmware("aldebaran_ip_discovery.bin"));
        if sealed && bytes.len() > 0x3c {
            seal(&mut bytes);
        }
        if let Ok(discovery) = Discovery::parse(&bytes) {
            for block in discovery.blocks() {
                let _ = (0..256).filter_map(|n| block.base(n)).count();
            }
            let _ = discovery.harvested().count();
        } else if sealed {
            let _ = Discovery::parse(&bytes).map_err(|e: DiscoveryError| e.to_string());
        }
    }
}

/// Makes the checksums right again, so that damage reaches what is behind them.
fn seal(bytes: &mut [u8]) {
    let half = |bytes: &[u8], at: usize| usize::from(bytes[at]) | usize::from(bytes[at + 1]) << 8;
    let sum = |bytes: Option<&[u8]>| {
        let bytes = bytes.unwrap_or_default().iter();
        bytes.fold(0u16, |sum, byte| sum.wrapping_add((*byte).into()))
    };
    for entry in [12, 28] {
        let (offset, size) = (half(bytes, entry), half(bytes, entry + 4));
        let total = sum(bytes.get(offset..offset + size));
        bytes[entry + 2..entry + 4].copy_from_slice(&total.to_le_bytes());
    }
    let size = half(bytes, 10);
    let total = sum(bytes.get(10..size));
    bytes[8..10].copy_from_slice(&total.to_le_bytes());
}
