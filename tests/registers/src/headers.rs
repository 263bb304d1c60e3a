// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads the three kinds of `#define` that AMD's headers consist of, and the table of block bases.

use std::collections::HashMap;

/// The bits of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask(pub u32);

impl Mask {
    /// The field `high:low`; `None` if that is no field of 32 bits.
    pub fn of(high: u32, low: u32) -> Option<Self> {
        (low <= high && high < 32).then(|| Self(u32::MAX >> (31 - (high - low)) << low))
    }

    /// The smallest field that has all bits of both.
    pub fn span(self, other: Self) -> Self {
        let bits = self.0 | other.0;
        Self::of(31 - bits.leading_zeros(), bits.trailing_zeros()).unwrap_or(self)
    }
}

/// The two definitions of a field.
#[derive(Debug, Default)]
struct Field {
    mask: Option<u32>,
    shift: Option<u32>,
}

/// What some headers define of the registers of a block.
#[derive(Debug, Default)]
pub struct Defines {
    /// Dword offset and base index by register name.
    pub registers: HashMap<String, (u32, usize)>,
    /// Addresses on the system management network by register name.
    pub smn: HashMap<String, u32>,
    /// Fields by register and field name, both in capitals.
    fields: HashMap<String, HashMap<String, Field>>,
    /// The names of [`registers`](Self::registers) without base index.
    dwords: HashMap<String, u32>,
}

impl Defines {
    /// Adds the definitions in the text of a header or C file. Of two definitions of a name, the earlier one holds.
    pub fn read(&mut self, text: &str) {
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let (Some("#define"), Some(name), Some(value)) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            let Some(value) = number(value) else { continue };
            if let Some(name) = name.strip_prefix("smn") {
                self.smn.entry(name.into()).or_insert(value);
            } else if let Some(key) = name.strip_suffix("__SHIFT") {
                self.field_mut(key).shift.get_or_insert(value);
            } else if let Some(key) = name.strip_suffix("_MASK").filter(|key| key.contains("__")) {
                self.field_mut(key).mask.get_or_insert(value);
            } else if let Some(name) = ["mm", "reg"].iter().find_map(|p| name.strip_prefix(p)) {
                match name.strip_suffix("_BASE_IDX") {
                    None => drop(self.dwords.entry(name.into()).or_insert(value)),
                    Some(name) => {
                        if let Some(dword) = self.dwords.get(name) {
                            let place = (*dword, value as usize);
                            self.registers.entry(name.into()).or_insert(place);
                        }
                    }
                }
            }
        }
    }

    /// A field by its full name.
    fn field_mut(&mut self, key: &str) -> &mut Field {
        let key = key.to_ascii_uppercase();
        let (register, field) = key.split_once("__").unwrap_or((&key, ""));
        let fields = self.fields.entry(register.into()).or_default();
        fields.entry(field.into()).or_default()
    }

    /// A field of a register; capitals or not makes no difference. An error if there is none, or if its shift does not
    /// fit its mask.
    pub fn field(&self, register: &str, field: &str) -> Result<Option<Mask>, String> {
        let fields = self.fields.get(&register.to_ascii_uppercase());
        let Some(Field { mask, shift }) = fields.and_then(|f| f.get(&field.to_ascii_uppercase())) else {
            return Ok(None);
        };
        match mask.map(|mask| (Mask(mask), mask.trailing_zeros())) {
            Some((mask, lowest)) if *shift == Some(lowest) => Ok(Some(mask)),
            _ => Err(format!(
                "{register}.{field}: the header's mask {mask:x?} and shift {shift:?} do not fit"
            )),
        }
    }

    /// All fields of a register, named in capitals, in any order.
    pub fn fields(&self, register: &str) -> Vec<(String, Mask)> {
        let fields = self
            .fields
            .get(&register.to_ascii_uppercase())
            .into_iter()
            .flatten();
        fields
            .filter_map(|(name, field)| Some((name.clone(), Mask(field.mask?))))
            .collect()
    }

    /// All bits of a register that belong to fields, and those between them; `None` if nothing is known of it.
    pub fn whole(&self, register: &str) -> Option<Mask> {
        let fields = self.fields.get(&register.to_ascii_uppercase())?;
        let masks = fields.values().filter_map(|field| field.mask.map(Mask));
        masks.reduce(Mask::span)
    }
}

/// A number as C writes it.
fn number(text: &str) -> Option<u32> {
    let digits = text.trim_end_matches(['L', 'U', 'l', 'u']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// The segments of an instance (from 0) of block `name` in the text of an IP offset header, in dwords.
pub(crate) fn segments(text: &str, name: &str, instance: usize) -> Option<Vec<u32>> {
    let at = text.find(&format!("struct IP_BASE {name}_BASE "))?;
    let (table, _) = text.get(at..)?.split_once(';')?;
    let (_, table) = table.split_once("{ { {")?;
    let (_, row) = table.split('}').nth(2 * instance)?.rsplit_once('{')?;
    row.split(',').map(|n| number(n.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defines(text: &str) -> Defines {
        let mut d = Defines::default();
        d.read(text);
        d
    }

    #[test]
    fn both_prefixes_and_layouts_of_offsets_are_read() {
        let d = defines(
            "#define _gc_OFFSET_HEADER\n\
             #define regCP_A                 0x0010\n#define regCP_A_BASE_IDX   1\n\
             #define mmCP_B\t0x0011\n#define mmCP_B_BASE_IDX\t0\n\
             // #define mmCP_C 0x12\n\
             #define mmCP_D 0x13 // no base\n#define ixCP_E 0x14\n#define cfgCP_F 0x15\n",
        );
        let mut names: Vec<_> = d.registers.iter().collect();
        names.sort();
        assert_eq!(names, [(&"CP_A".into(), &(16, 1)), (&"CP_B".into(), &(17, 0))]);
    }

    #[test]
    fn addresses_of_the_management_network_are_apart() {
        let d = defines("#define smnCPM_CONTROL\t\t0x11180460\n");
        assert_eq!(d.smn.get("CPM_CONTROL"), Some(&0x1118_0460));
        assert!(d.registers.is_empty());
    }

    #[test]
    fn fields_have_mask_and_shift() {
        let d = defines(
            "#define CP_A__LOW__SHIFT 0x0\n#define CP_A__HIGH__SHIFT 0x1c\n\
             #define CP_A__LOW_MASK 0x0000000FL\n#define CP_A__HIGH_MASK 0x70000000L\n\
             #define CP_AB__TOP_MASK 0x80000000L\n#define CP_AB__TOP__SHIFT 0x1e\n",
        );
        assert_eq!(d.field("CP_A", "LOW"), Ok(Some(Mask(0xf))));
        assert_eq!(d.field("CP_A", "high"), Ok(Mask::of(30, 28)));
        assert_eq!(d.field("CP_A", "MIDDLE"), Ok(None));
        assert!(d.field("CP_AB", "TOP").is_err(), "bit 31 is not bit 30");
        assert_eq!(d.whole("CP_A"), Mask::of(30, 0));
        assert_eq!(d.whole("CP_C"), None);
    }

    #[test]
    fn the_first_definition_holds() {
        let d = defines("#define mmA 1\n#define mmA_BASE_IDX 0\n#define mmA 2\n#define mmA_BASE_IDX 1\n");
        assert_eq!(d.registers.get("A"), Some(&(1, 0)));
    }

    #[test]
    fn segments_of_an_instance() {
        let text = "static const struct IP_BASE XGC_BASE = { { { { 0x1, 0, 0 } },\n{ { 2, 0, 0 } } } };\n\
                    static const struct IP_BASE GC_BASE = { { { { 0x00002000, 0x0000A000, 0 } },\n\
                    { { 5, 6, 7 } },\n  { { 8, 9, 0 } } } };\n";
        assert_eq!(segments(text, "GC", 0), Some(vec![0x2000, 0xa000, 0]));
        assert_eq!(segments(text, "GC", 1), Some(vec![5, 6, 7]));
        assert_eq!(segments(text, "GC", 2), Some(vec![8, 9, 0]));
        assert_eq!(segments(text, "GC", 3), None);
        assert_eq!(segments(text, "HDP", 0), None);
    }

    #[test]
    fn masks() {
        assert_eq!(Mask::of(31, 0), Some(Mask(u32::MAX)));
        assert_eq!(Mask::of(31, 31), Some(Mask(1 << 31)));
        assert_eq!((Mask::of(32, 0), Mask::of(0, 1)), (None, None));
        assert_eq!(Mask(1 << 4).span(Mask(1 << 1)), Mask(0x1e));
    }
}
