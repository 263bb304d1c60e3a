// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The board's identity in an EEPROM on the firmware's I2C bus: requests of the driver (smu13_driver_if_aldebaran.h:
//! SwI2cRequest_t), and the contents by IPMI's rules for such an EEPROM.

use super::tables::SERIAL;

/// sizeof(SwI2cRequest_t).
pub(super) const REQUEST_SIZE: usize = 52;

/// 8-bit bus address of the EEPROM's part with the board's identity (kernel amdgpu_fru_eeprom.c: FRU_EEPROM_MADDR_6).
const DEVICE: u8 = 0xac;
/// CmdConfig: the byte is written.
const WRITE: u8 = 1 << 2;
/// Where the bytes are in a request, two bytes each: data, CmdConfig.
const BYTES: usize = 4;

/// Carries a request out, and leaves what was read in it; why it cannot be otherwise.
pub(super) fn transfer(request: &mut [u8; REQUEST_SIZE]) -> Result<(), String> {
    let [_, _, device, count, bytes @ ..] = request;
    let bytes = bytes
        .get_mut(..usize::from(*count) * 2)
        .ok_or_else(|| format!("{count} bytes in a request"))?;
    debug_assert_eq!(BYTES, 4);
    if *device != DEVICE {
        return Err(format!("nobody has the address {device:#x}"));
    }
    let memory = contents();
    let (mut address, mut address_bytes) = (0usize, 0);
    for pair in bytes.chunks_exact_mut(2) {
        let [data, config] = pair else { continue };
        if *config & WRITE == 0 {
            *data = memory.get(address).copied().unwrap_or(0xff);
            address += 1;
        } else if address_bytes < 2 {
            address = address << 8 | usize::from(*data);
            address_bytes += 1;
        } else {
            return Err("the EEPROM is write-protected".into());
        }
    }
    Ok(())
}

/// Common header, and product information at byte 8: manufacturer, name, part number, version, serial number, asset tag,
/// file (IPMI Platform Management FRU Information Storage Definition, 8 and 12).
fn contents() -> Vec<u8> {
    let mut header = vec![1, 0, 0, 0, 1, 0, 0];
    add_checksum(&mut header);
    // version, length to come, language
    let mut product = vec![1, 0, 25];
    let serial = format!("{SERIAL:016X}");
    for text in [
        "VIRTUAL",
        "Virtual MI210",
        "113-VGPU90A-001",
        "1",
        &serial,
        "",
        "vgpu",
    ] {
        // type 3: ASCII
        product.push(0xc0 | text.len() as u8);
        product.extend(text.as_bytes());
    }
    product.push(0xc1);
    while product.len() % 8 != 7 {
        product.push(0);
    }
    product[1] = (product.len() / 8 + 1) as u8;
    add_checksum(&mut product);
    header.extend(product);
    header
}

fn add_checksum(area: &mut Vec<u8>) {
    let sum = area.iter().fold(0u8, |s, b| s.wrapping_add(*b));
    area.push(sum.wrapping_neg());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(at: u16, n: usize) -> Vec<u8> {
        let mut r = [0; REQUEST_SIZE];
        r[2] = DEVICE;
        r[3] = 2 + n as u8;
        let [hi, lo] = at.to_be_bytes();
        r[4..8].copy_from_slice(&[hi, WRITE, lo, WRITE]);
        transfer(&mut r).unwrap();
        (0..n).map(|i| r[8 + 2 * i]).collect()
    }

    #[test]
    fn the_areas_add_up() {
        let zero = |b: &[u8]| b.iter().fold(0u8, |s, b| s.wrapping_add(*b)) == 0;
        assert!(zero(&read(0, 8)));
        let size = usize::from(read(8, 2)[1]) * 8;
        let product: Vec<u8> = (0..size).map(|i| read(8 + i as u16, 1)[0]).collect();
        assert!(zero(&product));
        assert_eq!(product[3..11], *b"\xc7VIRTUAL");
    }

    proptest! {
        #[test]
        fn any_request_is_survived(r in proptest::collection::vec(any::<u8>(), REQUEST_SIZE)) {
            let mut r: [u8; REQUEST_SIZE] = r.try_into().unwrap();
            let _ = transfer(&mut r);
            r[2] = DEVICE;
            let _ = transfer(&mut r);
        }
    }
}
