// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds the fields in the source of the virtual GPU: `MASK = REGISTER.FIELD[high:low];` in `fields!`.

use std::path::Path;

use registers::{rust_files, without_comments, Mask};

/// A declared field.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) register: String,
    pub(crate) field: String,
    pub(crate) mask: Mask,
}

/// All fields declared in a folder. Panics about a declaration that is not understood.
pub(crate) fn in_source(folder: &Path) -> Vec<Field> {
    let files = rust_files(folder);
    files
        .iter()
        // the macro itself
        .filter(|(path, _)| !path.ends_with("regs/field.rs"))
        .flat_map(|(_, text)| in_text(&without_comments(text)))
        .collect()
}

fn in_text(text: &str) -> Vec<Field> {
    let blocks = text.split("fields! {").skip(1);
    let statements = blocks.flat_map(|block| block.split('}').next().unwrap_or_default().split(';'));
    statements
        .map(str::trim)
        .filter(|statement| !statement.is_empty())
        .map(|statement| parse(statement).unwrap_or_else(|| panic!("not understood: {statement}")))
        .collect()
}

fn parse(statement: &str) -> Option<Field> {
    let (_, place) = statement.split_once(" = ")?;
    let (register, rest) = place.split_once('.')?;
    let (field, bits) = rest.strip_suffix(']')?.split_once('[')?;
    let (high, low) = bits.split_once(':')?;
    Some(Field {
        register: register.into(),
        field: field.into(),
        mask: Mask::of(high.parse().ok()?, low.parse().ok()?)?,
    })
}

#[test]
fn fields_are_found() {
    let text = "fields! {\n A = R.F[3:1];\n  B = R.G[31:31]; }\n} mod x { crate::fields! { C = S.H[0:0]; } }";
    let found = in_text(text);
    let masks: Vec<_> = found.iter().map(|f| (f.field.as_str(), f.mask.0)).collect();
    assert_eq!(masks, [("F", 0xe), ("G", 1 << 31), ("H", 1)]);
    assert_eq!(parse("A = R.F[1:3]"), None);
}
